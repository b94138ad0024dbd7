import { and, eq, gt, isNotNull, lte, ne, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { BlockRole } from '../../../contract/staff/staff.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import { build, equals, prepareQuery, prepareWrite, rowParameters } from '../../../sqlite/statement.ts';
import type { Store, Write } from '../../../sqlite/store.ts';
import {
  activeBlock,
  collection,
  declinedRequest,
  diallerSetting,
  everyMerchant,
  openStatusesText,
  requestedByOther,
  staffAction,
} from '../../database/schema.ts';
import { factWrite } from '../../ledger/entry-store.ts';
import type { CollectionIntent, CollectionRow, CollectionWithJob, RequestedBy } from '../collection.ts';
import { acceptedData } from '../fact-row.ts';
import { insertJobWrite } from '../store/job-store.ts';
import type { Limits, Rejection } from './limits.ts';

const { placeholder } = sql;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const isSameMode = equals(collection, 'livemode');
const isSameMerchant = equals(collection, 'merchantId');

/** Selects something from the collections of this merchant and mode that match all conditions. */
function select(what: SQL, ...conditions: (SQL | undefined)[]): SQL {
  return selectEverywhere(what, ...conditions, isSameMerchant);
}

/** Selects something from the collections of this mode that match all conditions, at all merchants. */
function selectEverywhere(what: SQL, ...conditions: (SQL | undefined)[]): SQL {
  return sql`(SELECT ${what} FROM ${collection} WHERE ${and(...conditions, isSameMode)})`;
}

type Select = typeof select;

const countAll = sql`count(*)`;
const isNone = sql`count(*) = 0`;

/**
 * True while fewer matching collections than the limit fall into a time window. `windowValues` fills its start and its
 * limit. The window has an end, so that rows of a clock that was far ahead count only when their time comes.
 */
function isBelowLimit(limit: string, from: Select, at: SQLiteColumn, ...conditions: Condition[]): SQL {
  const isBelow = sql`${countAll} < ${placeholder(`${limit}Max`)}`;
  return from(isBelow, ...conditions, ...withinWindow(limit, at));
}

/** The same for the windows of an hour and of a day, which one scan of the longer one counts. */
function isBelowBoth(limit: string, from: Select, at: SQLiteColumn, ...conditions: Condition[]): SQL {
  const isBelow = (window: string) =>
    sql`${countAll} FILTER (WHERE ${gt(at, placeholder(`${window}Since`))}) < ${placeholder(`${window}Max`)}`;
  const areBelow = sql`${isBelow(`${limit}Hour`)} AND ${isBelow(`${limit}Day`)}`;
  return from(areBelow, ...conditions, ...withinWindow(limit, at));
}

type Condition = SQL | undefined;

function withinWindow(window: string, at: SQLiteColumn): SQL[] {
  return [gt(at, placeholder(`${window}Since`)), lte(at, placeholder('until'))];
}

const isPayer = equals(collection, 'payer');
const isDialler = equals(collection, 'dialler');
const { openedAt, closedAt, requestedBy } = collection;

/** Literals, as in the partial indexes: SQLite cannot use such an index when a parameter replaces a literal. */
const isOpen = sql`${collection.status} IN ${openStatusesText} AND ${collection.lapsedAt} IS NULL`;
const isRequestedBy = (kind: RequestedBy) => eq(requestedBy, sql.raw(`'${kind}'`));
const isUnpaid = sql`${collection.status} IN ('failed', 'expired', 'abandoned') AND ${collection.review} IS NULL
  AND ${collection.booked} IS NULL`;

const isSamePayment = and(isPayer, equals(collection, 'goodsMinor'));
const isRetried = eq(collection.id, placeholder('retryOf'));
const isEarlierRetry = equals(collection, 'retryOf');

const optOutOfPayer = sql`SELECT 1 FROM ${diallerSetting} WHERE ${and(
  eq(diallerSetting.merchantId, everyMerchant),
  equals(diallerSetting, 'livemode'),
  eq(diallerSetting.msisdn, placeholder('payer')),
  ne(diallerSetting.msisdn, placeholder('dialler')),
  isNotNull(diallerSetting.optedOutAt),
)}`;

/** Selects the blocks of a number in a role that hold at this merchant. */
function getBlocks(role: BlockRole, number: 'dialler' | 'payer'): SQL {
  // Without the index of actions, which would read the blocks of all numbers.
  return sql`SELECT 1 FROM ${staffAction} AS "block" WHERE "block"."subject_id" = ${placeholder(number)}
    AND +"block"."action" = 'block'
    AND "block"."livemode" = ${placeholder('livemode')} AND "block"."detail" ->> '$.role' = ${sql.raw(`'${role}'`)}
    AND coalesce("block"."merchant_id" = ${placeholder('merchantId')}, TRUE) AND ${activeBlock(sql`${placeholder('now')}`)}`;
}

/**
 * The kinds of phones whose collections count for a request of each kind. The payer's own payments come first, then the requests
 * of attendants: neither is limited by the requests of other phones, however many phones there are.
 */
const kindsAhead: Record<RequestedBy, readonly RequestedBy[]> = {
  payer: ['payer'],
  attendant: ['payer', 'attendant'],
  other: ['payer', 'attendant', 'other'],
};

/**
 * The conditions for opening a collection that a phone of this kind requests, by the rejection that each one prevents, in order
 * of precedence for the payer's own payment; without those that hold for every request of the kind. Each is true or false, never
 * null. The insert requires all of them; `rejectionQuery` reads the first that does not hold.
 */
function getGuards(kind: RequestedBy) {
  const isByOther = kind !== 'payer';
  const isSameKind = isRequestedBy(kind);
  const isRequested = and(requestedByOther, isSameKind);
  const isDeclined = and(declinedRequest, isSameKind);
  /** Requests that a phone makes as an attendant have limits of their own. */
  const isOfSamePerson = kind === 'attendant' ? isSameKind : sql`NOT ${isRequestedBy('attendant')}`;
  const isAhead = kind === 'other' ? undefined : or(...kindsAhead[kind].map(isRequestedBy));
  // Declined requests of attendants count at their merchant, those of other phones at all merchants.
  const declined = kind === 'attendant' ? select : selectEverywhere;
  return {
    dialler_blocked: sql`NOT EXISTS (${getBlocks('dialler', 'dialler')})`,
    // The payer's own payment keeps out every request, and an attendant's request that of a stranger; never the reverse.
    open: and(...kindsAhead[kind].map((ahead) => select(isNone, isPayer, isOpen, isRequestedBy(ahead)))),
    retry: sql`${select(countAll, isRetried, isSamePayment, isUnpaid)} = ${placeholder('retries')}
      AND ${select(isNone, isEarlierRetry)}`,
    opted_out: isByOther ? sql`NOT EXISTS (${optOutOfPayer})` : undefined,
    payer_blocked: isByOther ? sql`NOT EXISTS (${getBlocks('payer', 'payer')})` : undefined,
    payer_cool_down: isByOther
      ? isBelowLimit('payerDeclines', declined, closedAt, isPayer, isDeclined)
      : undefined,
    dialler_cool_down: isByOther
      ? isBelowLimit('diallerDeclines', declined, closedAt, isDialler, isDeclined)
      : undefined,
    dialler_limit: and(
      isBelowBoth('dialler', select, openedAt, isDialler, isOfSamePerson),
      kind === 'other'
        ? isBelowBoth('diallerRequests', selectEverywhere, openedAt, isDialler, isRequested)
        : undefined,
    ),
    payer_limit: and(
      isBelowBoth('payer', select, openedAt, isPayer, isSameKind),
      isByOther ? isBelowBoth('payerRequests', selectEverywhere, openedAt, isPayer, isRequested) : undefined,
    ),
    merchant_limit: isBelowLimit('merchantMinute', select, openedAt, isAhead),
    reference: select(isNone, equals(collection, 'shortReference')),
  } satisfies Record<Rejection, SQL | undefined>;
}

/**
 * A phone that may request nothing gets its own reason first. Otherwise the reason would reveal to a stranger, who prompts and
 * counts nothing with a rejected request, whether a payer pays, has paid or blocks requests at the moment.
 */
const diallersOwn = ['dialler_blocked', 'dialler_cool_down', 'dialler_limit', 'merchant_limit'] as const;

const cells = Object.values(rowParameters(collection)).map((cell) => sql`${cell}`);

/** Prepares the guarded insert of a collection that a phone of this kind requests, and the query for its rejection. */
function prepareOpening(kind: RequestedBy) {
  const guards = getGuards(kind);
  const names = (Object.keys(guards) as Rejection[]).filter((name) => guards[name] !== undefined);
  const inOrder = kind === 'payer' ? names : [...new Set([...diallersOwn, ...names])];
  const allHold = sql.join(
    names.map((name) => sql`(${guards[name]})`),
    sql` AND `,
  );
  const firstViolated = sql.join(
    inOrder.map((name) => sql`WHEN NOT (${guards[name]}) ${sql.raw(`THEN '${name}'`)}`),
    sql` `,
  );
  return {
    insert: prepareWrite<Record<string, unknown>>(
      build.insert(collection).select(sql`SELECT ${sql.join(cells, sql`, `)} WHERE ${allHold}`),
      1,
    ),
    rejection: prepareQuery(
      build.select({ name: sql<Rejection | null>`CASE ${firstViolated} END` }).from(sql`(SELECT 1) AS one`),
    ),
  };
}

const openings: Record<RequestedBy, ReturnType<typeof prepareOpening>> = {
  payer: prepareOpening('payer'),
  attendant: prepareOpening('attendant'),
  other: prepareOpening('other'),
};

/** Returns the writes that open a collection. The database rejects them while a guard does not hold. */
export function openingWrites(row: CollectionWithJob, intent: CollectionIntent, limits: Limits): Write[] {
  const values = { ...row, ...guardValues(row, limits, row.openedAt) };
  return [
    { ...openings[row.requestedBy].insert(values), locks: countedBy(row, limits) },
    factWrite(row, 1, { kind: 'accepted', data: acceptedData(intent) }, row.openedAt),
    insertJobWrite(row),
  ];
}

/** Names what the guards count: the collections of the payer and of the dialler, and those of the merchant where they have a limit. */
function countedBy({ payer, dialler, merchantId, livemode }: CollectionRow, { merchant }: Limits): string[] {
  return [
    `payer ${livemode} ${payer}`,
    `dialler ${livemode} ${dialler}`,
    ...(merchant.perMinute === null ? [] : [`merchant ${livemode} ${merchantId}`]),
  ];
}

/** The fields of a collection intent that its guards compare. */
export type GuardedIntent = Pick<
  CollectionIntent,
  | ('merchantId' | 'livemode' | 'dialler' | 'payer' | 'requestedBy')
  | ('retryOf' | 'goodsMinor' | 'shortReference')
>;

/** Creates the query for the first guard that does not hold; `undefined` when all hold and the caller may retry. */
export function rejectionQuery(store: Store) {
  return async (intent: GuardedIntent, limits: Limits, now: EpochMs): Promise<Rejection | undefined> => {
    const found = await openings[intent.requestedBy].rejection.get(store, guardValues(intent, limits, now));
    return found?.name ?? undefined;
  };
}

/** Returns the values of all guards; those of a kind use some of them. */
function guardValues(intent: GuardedIntent, limits: Limits, now: EpochMs): Record<string, unknown> {
  const { merchantId, livemode, dialler, payer, requestedBy, retryOf, goodsMinor, shortReference } = intent;
  const { declines, attendants } = limits;
  const isAttendant = requestedBy === 'attendant';
  const window = (name: string, ms: number, max: number | null) => windowValues(name, { ms, max, now });
  return {
    ...{ merchantId, livemode, dialler, payer, retryOf, goodsMinor, shortReference },
    retries: retryOf === null ? 0 : 1,
    // Of two concurrent collections the later one may be written first. The earlier one must count it.
    until: now + minuteMs,
    now,
    ...window('payerDeclines', declines.coolDownMs, declines.maxDeclines),
    ...window('diallerDeclines', declines.coolDownMs, (isAttendant ? attendants : declines).maxDeclines),
    ...bothValues('dialler', isAttendant ? attendants : limits.dialler, now),
    ...bothValues('diallerRequests', limits.requests.dialler, now),
    ...bothValues('payer', limits.payer, now),
    ...bothValues('payerRequests', limits.requests.payer, now),
    ...window('merchantMinute', minuteMs, limits.merchant.perMinute),
  };
}

type LimitedWindow = { ms: number; max: number | null; now: EpochMs };

/** Returns the start and the limit of a time window. Without a limit the window is empty, so nothing is counted. */
function windowValues(name: string, { ms, max, now }: LimitedWindow): Record<string, number> {
  return { [`${name}Since`]: max === null ? Number.MAX_SAFE_INTEGER : now - ms, [`${name}Max`]: max ?? 1 };
}

/** Returns the values of `isBelowBoth`: of each window, and the start of the longer one. */
function bothValues(
  name: string,
  { perHour, perDay }: Limits['payer'],
  now: EpochMs,
): Record<string, number> {
  const maxWindow = perDay === null ? { ms: hourMs, max: perHour, now } : { ms: dayMs, max: perDay, now };
  return {
    ...windowValues(name, maxWindow),
    ...windowValues(`${name}Hour`, { ms: hourMs, max: perHour, now }),
    ...windowValues(`${name}Day`, { ms: dayMs, max: perDay, now }),
  };
}
