import { and, eq, gt, isNotNull, lte, ne, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { EpochMs } from '../../../shared/clock.ts';
import { build, prepareWrite, rowParameters } from '../../../sqlite/statement.ts';
import type { Store, Write } from '../../../sqlite/store.ts';
import { collection, declinedForOther, diallerSetting, openStatuses } from '../../schema.ts';
import type { CollectionIntent, CollectionRow } from '../collection.ts';
import { factWrite } from '../store/transition-store.ts';
import type { Limits } from './limits.ts';
import type { Rejection } from './rejection.ts';

const { placeholder } = sql;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const isSameScope = and(
  eq(collection.merchantId, placeholder('merchantId')),
  eq(collection.livemode, placeholder('livemode')),
);

/** Counts the collections of this merchant and mode that match all conditions. */
function count(...conditions: (SQL | undefined)[]): SQL {
  return sql`(SELECT count(*) FROM ${collection} WHERE ${and(...conditions, isSameScope)})`;
}

/**
 * True while fewer matching collections than the limit fall into a time window. `windowValues` fills its start and its
 * limit. The window has an end, so that rows of a clock that was far ahead count only when their time comes.
 */
function isBelowLimit(window: string, at: SQLiteColumn, ...conditions: SQL[]): SQL {
  const since = gt(at, placeholder(`${window}Since`));
  const until = lte(at, placeholder('until'));
  return sql`${count(...conditions, since, until)} < ${placeholder(`${window}Max`)}`;
}

const isPayer = eq(collection.payer, placeholder('payer'));
const isDialler = eq(collection.dialler, placeholder('dialler'));
/** Requests of other phones must not keep a payer from paying, so the payer's own phone is counted by itself. */
const countsForPayer = sql`${isPayer} AND (${collection.dialler} = ${placeholder('dialler')}
  OR ${placeholder('payer')} <> ${placeholder('dialler')})`;
const { openedAt, closedAt } = collection;

/** Literals, as in the partial indexes: SQLite cannot use such an index when a parameter replaces a literal. */
const isOpen = sql`${collection.status} IN ${openStatuses} AND ${collection.lapsedAt} IS NULL`;
const isUnpaid = sql`${collection.status} IN ('failed', 'expired', 'abandoned') AND ${collection.review} IS NULL
  AND ${collection.booked} IS NULL`;

const isSamePayment = and(isPayer, eq(collection.goodsMinor, placeholder('goodsMinor')));
const isRetried = eq(collection.id, placeholder('retryOf'));
const isEarlierRetry = eq(collection.retryOf, placeholder('retryOf'));

const optOutForDialler = sql`SELECT 1 FROM ${diallerSetting} WHERE ${and(
  eq(diallerSetting.merchantId, placeholder('merchantId')),
  eq(diallerSetting.livemode, placeholder('livemode')),
  eq(diallerSetting.msisdn, placeholder('payer')),
  ne(diallerSetting.msisdn, placeholder('dialler')),
  isNotNull(diallerSetting.optedOutAt),
)}`;

/**
 * The conditions for opening a collection, by the rejection that each one prevents, in order of precedence. Each is true
 * or false, never null. The insert requires all of them; `rejectionQuery` reads the first that does not hold.
 */
const guards = {
  open: sql`${count(isPayer, isOpen)} = 0`,
  retry: sql`${count(isRetried, isSamePayment, isUnpaid)} = ${placeholder('retries')}
    AND ${count(isEarlierRetry)} = 0`,
  opted_out: sql`NOT EXISTS (${optOutForDialler})`,
  cool_down: sql`${isBelowLimit('payerDeclines', closedAt, declinedForOther, isPayer, ne(collection.payer, placeholder('dialler')))}
    AND ${isBelowLimit('diallerDeclines', closedAt, declinedForOther, isDialler, ne(collection.dialler, placeholder('payer')))}`,
  dialler_limit: sql`${isBelowLimit('diallerHour', openedAt, isDialler)} AND ${isBelowLimit('diallerDay', openedAt, isDialler)}`,
  payer_limit: sql`${isBelowLimit('payerHour', openedAt, countsForPayer)} AND ${isBelowLimit('payerDay', openedAt, countsForPayer)}`,
  merchant_limit: isBelowLimit('merchantMinute', openedAt),
  reference: sql`${count(eq(collection.shortReference, placeholder('shortReference')))} = 0`,
} satisfies Record<Rejection, SQL>;

const allHold = sql.join(
  Object.values(guards).map((holds) => sql`(${holds})`),
  sql` AND `,
);
const firstViolated = sql.join(
  Object.entries(guards).map(([name, holds]) => sql`WHEN NOT (${holds}) THEN ${sql.raw(`'${name}'`)}`),
  sql` `,
);

const cells = Object.values(rowParameters(collection)).map((cell) => sql`${cell}`);

const insertGuarded = prepareWrite<Record<string, unknown>>(
  build.insert(collection).select(sql`SELECT ${sql.join(cells, sql`, `)} WHERE ${allHold}`),
  1,
);

/** Returns the writes that open a collection. The database rejects them while a guard does not hold. */
export function openingWrites(row: CollectionRow, intent: CollectionIntent, limits: Limits): Write[] {
  return [
    insertGuarded({ ...row, ...guardValues(row, limits, row.openedAt) }),
    factWrite(row, 1, { kind: 'accepted', data: intent }, row.openedAt),
  ];
}

/** Creates the query for the first guard that does not hold; `undefined` when all hold and the caller may retry. */
export function rejectionQuery(store: Store) {
  const query = store.read
    .select({ name: sql<Rejection | null>`CASE ${firstViolated} END` })
    .from(sql`(SELECT 1) AS one`)
    .prepare();
  return async (intent: CollectionIntent, limits: Limits, now: EpochMs): Promise<Rejection | undefined> => {
    const found = await query.get(guardValues(intent, limits, now));
    return found?.name ?? undefined;
  };
}

type LimitedWindow = { ms: number; maxCount: number | null; now: EpochMs };

/** Returns the start and the limit of a time window. Without a limit the window is empty, so nothing is counted. */
function windowValues(name: string, { ms, maxCount, now }: LimitedWindow): Record<string, number> {
  const since = maxCount === null ? Number.MAX_SAFE_INTEGER : now - ms;
  return { [`${name}Since`]: since, [`${name}Max`]: maxCount ?? 1 };
}

function guardValues(intent: CollectionIntent, limits: Limits, now: EpochMs): Record<string, unknown> {
  const { merchantId, livemode, dialler, payer, retryOf, goodsMinor, shortReference } = intent;
  const { maxDeclines, coolDownMs, countsDialler = true } = limits.declines;
  const maxDiallerDeclines = countsDialler ? maxDeclines : null;
  return {
    ...{ merchantId, livemode, dialler, payer, retryOf, goodsMinor, shortReference },
    retries: retryOf === null ? 0 : 1,
    // Of two concurrent collections the later one may be written first. The earlier one must count it.
    until: now + minuteMs,
    ...windowValues('payerDeclines', { ms: coolDownMs, maxCount: maxDeclines, now }),
    ...windowValues('diallerDeclines', { ms: coolDownMs, maxCount: maxDiallerDeclines, now }),
    ...windowValues('diallerHour', { ms: hourMs, maxCount: limits.dialler.perHour, now }),
    ...windowValues('diallerDay', { ms: dayMs, maxCount: limits.dialler.perDay, now }),
    ...windowValues('payerHour', { ms: hourMs, maxCount: limits.payer.perHour, now }),
    ...windowValues('payerDay', { ms: dayMs, maxCount: limits.payer.perDay, now }),
    ...windowValues('merchantMinute', { ms: minuteMs, maxCount: limits.merchant.perMinute, now }),
  };
}
