import { and, eq, gt, isNotNull, lte, ne, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { EpochMs } from '../../../shared/clock.ts';
import { build, prepareWrite, rowOf } from '../../../sqlite/statement.ts';
import type { Store, Write } from '../../../sqlite/store.ts';
import { collection, declinedForOther, diallerSetting, openStatuses } from '../../schema.ts';
import type { CollectionIntent, CollectionRow } from '../collection.ts';
import type { Limits } from './limits.ts';
import type { Refusal } from './refusal.ts';

const { placeholder } = sql;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const here = and(
  eq(collection.merchantId, placeholder('merchantId')),
  eq(collection.livemode, placeholder('livemode')),
);

/** How many collections of this merchant and mode there are of which all of this is true. */
function count(...which: (SQL | undefined)[]): SQL {
  return sql`(SELECT count(*) FROM ${collection} WHERE ${and(...which, here)})`;
}

/**
 * True while fewer than the limit fall into a window of time. Its beginning and its limit are filled by `windowOf`. What
 * a clock that was far ahead has left counts when its time comes, and not in every window until then.
 */
function fewer(window: string, at: SQLiteColumn, ...which: SQL[]): SQL {
  const since = gt(at, placeholder(`${window}Since`));
  const until = lte(at, placeholder('until'));
  return sql`${count(...which, since, until)} < ${placeholder(`${window}Most`)}`;
}

const ofPayer = eq(collection.payer, placeholder('payer'));
const ofDialler = eq(collection.dialler, placeholder('dialler'));
/**
 * What other phones asked of a payer keeps nobody from paying by the own phone: for that, only what came from it counts.
 */
const ofPayerAlike = sql`${ofPayer} AND (${collection.dialler} = ${placeholder('dialler')}
  OR ${placeholder('payer')} <> ${placeholder('dialler')})`;
const { openedAt, closedAt } = collection;

/** As partial indexes have them: a parameter in the place of a word would keep them from being used. */
const isOpen = sql`${collection.status} IN ${openStatuses} AND ${collection.lapsedAt} IS NULL`;
const isUnpaid = sql`${collection.status} IN ('failed', 'expired', 'abandoned') AND ${collection.review} IS NULL
  AND ${collection.booked} IS NULL`;

const isSamePayment = and(ofPayer, eq(collection.goodsMinor, placeholder('goodsMinor')));
const isAskedForAgain = eq(collection.id, placeholder('retryOf'));
const isAskedForAgainAlready = eq(collection.retryOf, placeholder('retryOf'));

const closedToDialler = sql`SELECT 1 FROM ${diallerSetting} WHERE ${and(
  eq(diallerSetting.merchantId, placeholder('merchantId')),
  eq(diallerSetting.livemode, placeholder('livemode')),
  eq(diallerSetting.msisdn, placeholder('payer')),
  ne(diallerSetting.msisdn, placeholder('dialler')),
  isNotNull(diallerSetting.closedAt),
)}`;

/**
 * What must hold for a collection to be opened, by the name of what is in the way when it does not. Each is true or
 * false, never null. The insert is guarded by all of them, and whoever was refused reads the first that does not hold.
 */
const guards = {
  open: sql`${count(ofPayer, isOpen)} = 0`,
  again: sql`${count(isAskedForAgain, isSamePayment, isUnpaid)} = ${placeholder('agains')}
    AND ${count(isAskedForAgainAlready)} = 0`,
  closed: sql`NOT EXISTS (${closedToDialler})`,
  cool_down: sql`${fewer('payerDeclines', closedAt, declinedForOther, ofPayer, ne(collection.payer, placeholder('dialler')))}
    AND ${fewer('diallerDeclines', closedAt, declinedForOther, ofDialler, ne(collection.dialler, placeholder('payer')))}`,
  dialler_limit: sql`${fewer('diallerHour', openedAt, ofDialler)} AND ${fewer('diallerDay', openedAt, ofDialler)}`,
  payer_limit: sql`${fewer('payerHour', openedAt, ofPayerAlike)} AND ${fewer('payerDay', openedAt, ofPayerAlike)}`,
  merchant_limit: fewer('merchantMinute', openedAt),
  reference: sql`${count(eq(collection.shortReference, placeholder('shortReference')))} = 0`,
} satisfies Record<Refusal, SQL>;

const all = sql.join(
  Object.values(guards).map((holds) => sql`(${holds})`),
  sql` AND `,
);
const first = sql.join(
  Object.entries(guards).map(([name, holds]) => sql`WHEN NOT (${holds}) THEN ${sql.raw(`'${name}'`)}`),
  sql` `,
);

const cells = Object.values(rowOf(collection)).map((cell) => sql`${cell}`);

const insertGuarded = prepareWrite<Record<string, unknown>>(
  build.insert(collection).select(sql`SELECT ${sql.join(cells, sql`, `)} WHERE ${all}`),
  1,
);

/** The insert of a collection, refused while anything is in its way. */
export function guardedInsert(row: CollectionRow, limits: Limits): Write {
  return insertGuarded({ ...row, ...guardValues(row, limits, row.openedAt) });
}

/** Reads the first guard that does not hold; `undefined` when all do. */
export function refusalQuery(store: Store) {
  const query = store.read
    .select({ name: sql<Refusal | null>`CASE ${first} END` })
    .from(sql`(SELECT 1) AS one`)
    .prepare();
  return async (opening: CollectionIntent, limits: Limits, now: EpochMs): Promise<Refusal | undefined> => {
    const found = await query.get(guardValues(opening, limits, now));
    return found?.name ?? undefined;
  };
}

/** A window of time before now. Without a limit it holds no time at all, so that nothing is counted. */
function windowOf(name: string, ms: number, most: number | null, now: EpochMs): Record<string, number> {
  const since = most === null ? Number.MAX_SAFE_INTEGER : now - ms;
  return { [`${name}Since`]: since, [`${name}Most`]: most ?? 1 };
}

function guardValues(opening: CollectionIntent, limits: Limits, now: EpochMs): Record<string, unknown> {
  const { merchantId, livemode, dialler, payer, retryOf, goodsMinor, shortReference } = opening;
  const { maxDeclines: most, coolDownMs, ofDialler: countsDialler = true } = limits.declines;
  return {
    ...{ merchantId, livemode, dialler, payer, retryOf, goodsMinor, shortReference },
    agains: retryOf === null ? 0 : 1,
    // Of those who agree at once, the later may be written first: it counts for the other.
    until: now + minuteMs,
    ...windowOf('payerDeclines', coolDownMs, most, now),
    ...windowOf('diallerDeclines', coolDownMs, countsDialler ? most : null, now),
    ...windowOf('diallerHour', hourMs, limits.dialler.perHour, now),
    ...windowOf('diallerDay', dayMs, limits.dialler.perDay, now),
    ...windowOf('payerHour', hourMs, limits.payer.perHour, now),
    ...windowOf('payerDay', dayMs, limits.payer.perDay, now),
    ...windowOf('merchantMinute', minuteMs, limits.merchant.perMinute, now),
  };
}
