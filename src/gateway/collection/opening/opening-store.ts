import { and, eq, gt, isNotNull, lte, ne, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { BlockRole } from '../../../contract/staff.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import { build, prepareQuery, prepareWrite, rowParameters } from '../../../sqlite/statement.ts';
import type { Store, Write } from '../../../sqlite/store.ts';
import { factWrite } from '../../ledger/entry-store.ts';
import {
  activeBlock,
  collection,
  declinedRequest,
  diallerSetting,
  everyMerchant,
  openStatuses,
  requestedByOther,
  staffAction,
} from '../../schema.ts';
import type { CollectionIntent, CollectionRow, RequestedBy } from '../collection.ts';
import { acceptedData } from '../fact-row.ts';
import type { Limits } from './limits.ts';
import type { Rejection } from './rejection.ts';

const { placeholder } = sql;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const isSameMode = eq(collection.livemode, placeholder('livemode'));
const isSameMerchant = eq(collection.merchantId, placeholder('merchantId'));

/** Counts the collections of this merchant and mode that match all conditions. */
function count(...conditions: (SQL | undefined)[]): SQL {
  return countEverywhere(...conditions, isSameMerchant);
}

/** Counts the collections of this mode that match all conditions, at all merchants. */
function countEverywhere(...conditions: (SQL | undefined)[]): SQL {
  return sql`(SELECT count(*) FROM ${collection} WHERE ${and(...conditions, isSameMode)})`;
}

type Count = typeof count;

/**
 * True while fewer matching collections than the limit fall into a time window. `windowValues` fills its start and its
 * limit. The window has an end, so that rows of a clock that was far ahead count only when their time comes.
 */
function isBelowLimit(window: string, counted: Count, at: SQLiteColumn, ...conditions: SQL[]): SQL {
  const since = gt(at, placeholder(`${window}Since`));
  const until = lte(at, placeholder('until'));
  return sql`${counted(...conditions, since, until)} < ${placeholder(`${window}Max`)}`;
}

const isPayer = eq(collection.payer, placeholder('payer'));
const isDialler = eq(collection.dialler, placeholder('dialler'));
const { openedAt, closedAt, requestedBy } = collection;

/** The same kind of phone requested the collection: the payer's own, an attendant's, or another one. */
const isSameKind = eq(requestedBy, placeholder('requestedBy'));
const isRequested = and(requestedByOther, isSameKind) as SQL;
const isDeclined = and(declinedRequest, isSameKind) as SQL;
/** Requests that a phone makes as an attendant have limits of their own. */
const isOfSamePerson = sql`(${requestedBy} = 'attendant') = (${placeholder('requestedBy')} = 'attendant')`;
/**
 * The payer's own payments come first, then the requests of attendants: neither is limited by the requests of other
 * phones, however many phones there are.
 */
const hasPriority = sql`(${requestedBy} = 'payer' OR ${isSameKind} OR ${placeholder('requestedBy')} = 'other')`;

/** Literals, as in the partial indexes: SQLite cannot use such an index when a parameter replaces a literal. */
const isOpen = sql`${collection.status} IN ${openStatuses} AND ${collection.lapsedAt} IS NULL`;
const isOpenBy = (kind: RequestedBy) => sql`${isOpen} AND ${eq(requestedBy, sql.raw(`'${kind}'`))}`;
const isUnpaid = sql`${collection.status} IN ('failed', 'expired', 'abandoned') AND ${collection.review} IS NULL
  AND ${collection.booked} IS NULL`;

const isSamePayment = and(isPayer, eq(collection.goodsMinor, placeholder('goodsMinor')));
const isRetried = eq(collection.id, placeholder('retryOf'));
const isEarlierRetry = eq(collection.retryOf, placeholder('retryOf'));

const optOutOfPayer = sql`SELECT 1 FROM ${diallerSetting} WHERE ${and(
  eq(diallerSetting.merchantId, everyMerchant),
  eq(diallerSetting.livemode, placeholder('livemode')),
  eq(diallerSetting.msisdn, placeholder('payer')),
  ne(diallerSetting.msisdn, placeholder('dialler')),
  isNotNull(diallerSetting.optedOutAt),
)}`;

/** Selects the blocks of a number in a role that hold at this merchant. */
function blocksOf(role: BlockRole, number: 'dialler' | 'payer'): SQL {
  // Without the index of actions, which would read the blocks of all numbers.
  return sql`SELECT 1 FROM ${staffAction} AS "block" WHERE "block"."subject_id" = ${placeholder(number)}
    AND +"block"."action" = 'block'
    AND "block"."livemode" = ${placeholder('livemode')} AND "block"."detail" ->> '$.role' = ${sql.raw(`'${role}'`)}
    AND coalesce("block"."merchant_id" = ${placeholder('merchantId')}, TRUE) AND ${activeBlock(sql`${placeholder('now')}`)}`;
}

/**
 * The conditions for opening a collection, by the rejection that each one prevents, in order of precedence for the payer's
 * own payment. Each is true or false, never null. The insert requires all of them; `rejectionQuery` reads the first that does not hold.
 */
const guards = {
  dialler_blocked: sql`NOT EXISTS (${blocksOf('dialler', 'dialler')})`,
  // The payer's own payment keeps out every request, and an attendant's request that of a stranger; never the reverse.
  open: sql`${count(isPayer, isOpenBy('payer'))} = 0
    AND (${placeholder('requestedBy')} = 'payer' OR ${count(isPayer, isOpenBy('attendant'))} = 0)
    AND (${placeholder('requestedBy')} <> 'other' OR ${count(isPayer, isOpenBy('other'))} = 0)`,
  retry: sql`${count(isRetried, isSamePayment, isUnpaid)} = ${placeholder('retries')}
    AND ${count(isEarlierRetry)} = 0`,
  opted_out: sql`NOT EXISTS (${optOutOfPayer})`,
  payer_blocked: sql`${placeholder('requestedBy')} = 'payer' OR NOT EXISTS (${blocksOf('payer', 'payer')})`,
  payer_cool_down: sql`${isBelowLimit('payerDeclines', countEverywhere, closedAt, isPayer, isDeclined)}
    AND ${isBelowLimit('payerDeclinesHere', count, closedAt, isPayer, isDeclined)}`,
  dialler_cool_down: sql`${isBelowLimit('diallerDeclines', countEverywhere, closedAt, isDialler, isDeclined)}
    AND ${isBelowLimit('diallerDeclinesHere', count, closedAt, isDialler, isDeclined)}`,
  dialler_limit: sql`${isBelowLimit('diallerHour', count, openedAt, isDialler, isOfSamePerson)}
    AND ${isBelowLimit('diallerDay', count, openedAt, isDialler, isOfSamePerson)}
    AND ${isBelowLimit('diallerRequestsHour', countEverywhere, openedAt, isDialler, isRequested)}
    AND ${isBelowLimit('diallerRequestsDay', countEverywhere, openedAt, isDialler, isRequested)}`,
  payer_limit: sql`${isBelowLimit('payerHour', count, openedAt, isPayer, isSameKind)}
    AND ${isBelowLimit('payerDay', count, openedAt, isPayer, isSameKind)}
    AND ${isBelowLimit('payerRequestsHour', countEverywhere, openedAt, isPayer, isRequested)}
    AND ${isBelowLimit('payerRequestsDay', countEverywhere, openedAt, isPayer, isRequested)}`,
  merchant_limit: isBelowLimit('merchantMinute', count, openedAt, hasPriority),
  reference: sql`${count(eq(collection.shortReference, placeholder('shortReference')))} = 0`,
} satisfies Record<Rejection, SQL>;

const allHold = sql.join(
  Object.values(guards).map((holds) => sql`(${holds})`),
  sql` AND `,
);
const isViolated = (name: Rejection) => sql`NOT (${guards[name]})`;
const returns = (name: Rejection) => sql.raw(`THEN '${name}'`);
/**
 * A phone that may request nothing gets its own reason first. Otherwise the reason would reveal to a stranger, who prompts and
 * counts nothing with a rejected request, whether a payer pays, has paid or blocks requests at the moment.
 */
const diallersOwn = ['dialler_blocked', 'dialler_cool_down', 'dialler_limit', 'merchant_limit'] as const;
const firstViolated = sql.join(
  [
    ...diallersOwn.map(
      (name) => sql`WHEN ${placeholder('requestedBy')} <> 'payer' AND ${isViolated(name)} ${returns(name)}`,
    ),
    ...(Object.keys(guards) as Rejection[]).map((name) => sql`WHEN ${isViolated(name)} ${returns(name)}`),
  ],
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
    { ...insertGuarded({ ...row, ...guardValues(row, limits, row.openedAt) }), locks: countedBy(row) },
    factWrite(row, 1, { kind: 'accepted', data: acceptedData(intent) }, row.openedAt),
  ];
}

/** Names what the guards count: the collections of the payer, of the dialler and of the merchant. */
function countedBy({ payer, dialler, merchantId, livemode }: CollectionRow): string[] {
  return [
    `payer ${livemode} ${payer}`,
    `dialler ${livemode} ${dialler}`,
    `merchant ${livemode} ${merchantId}`,
  ];
}

const query = prepareQuery(
  build.select({ name: sql<Rejection | null>`CASE ${firstViolated} END` }).from(sql`(SELECT 1) AS one`),
);

/** Creates the query for the first guard that does not hold; `undefined` when all hold and the caller may retry. */
export function rejectionQuery(store: Store) {
  return async (intent: CollectionIntent, limits: Limits, now: EpochMs): Promise<Rejection | undefined> => {
    const found = await query.get(store, guardValues(intent, limits, now));
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
  const { merchantId, livemode, dialler, payer, requestedBy, retryOf, goodsMinor, shortReference } = intent;
  return {
    ...{ merchantId, livemode, dialler, payer, requestedBy, retryOf, goodsMinor, shortReference },
    retries: retryOf === null ? 0 : 1,
    // Of two concurrent collections the later one may be written first. The earlier one must count it.
    until: now + minuteMs,
    now,
    ...declineValues(requestedBy, limits, now),
    ...openedValues(requestedBy, limits, now),
    ...windowValues('merchantMinute', { ms: minuteMs, maxCount: limits.merchant.perMinute, now }),
  };
}

/** Declined requests of attendants count at their merchant, those of other phones at all merchants. */
function declineValues(requestedBy: RequestedBy, limits: Limits, now: EpochMs): Record<string, number> {
  const { maxDeclines, coolDownMs: ms } = limits.declines;
  const ofAttendant = (maxCount: number | null) => (requestedBy === 'attendant' ? maxCount : null);
  const ofOther = (maxCount: number | null) => (requestedBy === 'other' ? maxCount : null);
  return {
    ...windowValues('payerDeclines', { ms, maxCount: ofOther(maxDeclines), now }),
    ...windowValues('payerDeclinesHere', { ms, maxCount: ofAttendant(maxDeclines), now }),
    ...windowValues('diallerDeclines', { ms, maxCount: ofOther(maxDeclines), now }),
    ...windowValues('diallerDeclinesHere', { ms, maxCount: ofAttendant(limits.attendants.maxDeclines), now }),
  };
}

function openedValues(requestedBy: RequestedBy, limits: Limits, now: EpochMs): Record<string, number> {
  const none = { perHour: null, perDay: null };
  const windows = {
    dialler: requestedBy === 'attendant' ? limits.attendants : limits.dialler,
    diallerRequests: requestedBy === 'other' ? limits.requests.dialler : none,
    payer: limits.payer,
    payerRequests: requestedBy === 'payer' ? none : limits.requests.payer,
  };
  const values = Object.entries(windows).map(([name, { perHour, perDay }]) => ({
    ...windowValues(`${name}Hour`, { ms: hourMs, maxCount: perHour, now }),
    ...windowValues(`${name}Day`, { ms: dayMs, maxCount: perDay, now }),
  }));
  return Object.assign({}, ...values) as Record<string, number>;
}
