import { and, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import type { AmountMinor } from '../../shared/money.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import { isOpen, openStatuses, type Status } from '../collection/collection.ts';
import { inRows } from '../collection/store/collection-store.ts';
import { collection, hasJob, isClosed, openStatusesText, requestedByOther } from '../database/schema.ts';
import { getOpenedAt, type Selection } from './page-query.ts';

/** Statuses that people ask for together: without a result or a decision of the service, ended without a payment, and to decide here. */
export const statusGroups = ['waiting', 'unpaid', 'decide'] as const;

export type StatusFilter = Status | (typeof statusGroups)[number];

/** The properties of the collections to list. A property that is not set selects every collection. */
export type CollectionFilter = {
  status?: StatusFilter | undefined;
  merchantId?: string | undefined;
  channel?: string | undefined;
  network?: string | undefined;
  /** Why the collection ended, or why it is in review. */
  reason?: string | undefined;
  /** Opened at this time or later. */
  from?: EpochMs | undefined;
  /** Opened before this time. */
  before?: EpochMs | undefined;
  /** Inclusive bounds of an amount: the price, the total that the payer was asked for, or the total that was charged. */
  minMinor?: AmountMinor | undefined;
  maxMinor?: AmountMinor | undefined;
  dialler?: Msisdn | undefined;
  /** The last four digits of the payer or of the dialler. */
  last4?: string | undefined;
  /** The person to whom the collection is assigned. */
  assigned?: string | undefined;
};

/** The charge of the payer: the total of the prompt, or the best known one before it. */
const total = sql`coalesce(${collection.amountMinor}, ${collection.shownTotalMinor}, ${collection.goodsMinor})`;

/**
 * Returns the condition that the price or a total is in a range with inclusive bounds. A payer reads the price on a bill, the total
 * on the confirm screen, and the charge in the message of the network, which is another one when a wrong amount arrived.
 */
export function hasAmount({ minMinor, maxMinor }: Pick<CollectionFilter, 'minMinor' | 'maxMinor'>): SQL {
  const isInRange = (amount: SQL) =>
    and(
      minMinor === undefined ? undefined : sql`${amount} >= ${minMinor}`,
      maxMinor === undefined ? undefined : sql`${amount} <= ${maxMinor}`,
    );
  const { goodsMinor, shownTotalMinor } = collection;
  const amounts = [sql`${goodsMinor}`, total, sql`${shownTotalMinor}`];
  return sql`(${sql.join(amounts.map(isInRange), sql` OR `)})`;
}

/** Returns whether an index finds few collections. Few are open at a time. */
export function isSelective({ status, dialler, last4, assigned }: CollectionFilter): boolean {
  const isOfFew = status === 'waiting' || status === 'decide' || openStatuses.some((one) => one === status);
  return isOfFew || [dialler, last4, assigned].some((value) => value !== undefined);
}

/**
 * Returns the condition of a filter.
 *
 * @param rare the property whose index finds few rows. A plus keeps SQLite from the index of the other one, which can have
 *   most of the ledger.
 */
export function toSelection(filter: CollectionFilter, rare?: 'status' | 'merchant'): Selection {
  const { reason, status, merchantId } = filter;
  if (reason === undefined && status !== undefined && merchantId !== undefined && rare !== undefined) {
    const { where } = select({ ...filter, status: undefined, merchantId: undefined }, false, undefined);
    const isFound =
      rare === 'status'
        ? and(statusIs(status), sql`+${collection.merchantId} = ${merchantId}`)
        : and(testedStatus(status), eq(collection.merchantId, merchantId));
    return { where: and(isFound, where), selective: false };
  }
  const found = findByTime(filter);
  const selection =
    reason === undefined
      ? select(filter, isSelective(filter), undefined)
      : select(filter, true, inRows(found ?? []));
  return found === undefined || isSelective(filter)
    ? selection
    : { ...selection, byTime: { found, tested: testFilter(filter) } };
}

/** Returns the conditions of a filter whose indexes are in the order of time, which together find all of its rows. */
function findByTime({ reason, status, merchantId, from, before }: CollectionFilter): SQL[] | undefined {
  const { openedAt } = collection;
  const ofTime = (condition: SQL) =>
    and(
      condition,
      from === undefined ? undefined : gte(openedAt, from),
      before === undefined ? undefined : lt(openedAt, before),
    ) as SQL;
  if (reason !== undefined)
    return [ofTime(eq(collection.reason, reason)), sql`${collection.review} = ${reason}`];
  if (status !== 'unpaid' || merchantId !== undefined) return undefined;
  return unpaidStatuses.map((one) => ofTime(sql`${collection.status} = ${one} AND ${isClosed}`));
}

/** Returns the condition of a filter, without its reason, for rows that something else finds. */
function testFilter({ status, merchantId, ...filter }: CollectionFilter): SQL | undefined {
  const isTested = and(
    status === undefined ? undefined : testedStatus(status),
    merchantId === undefined ? undefined : sql`+${collection.merchantId} = ${merchantId}`,
  );
  return select(filter, true, isTested).where;
}

/** Returns the condition of a filter that an index of the time serves. */
export function toScan({ reason, ...filter }: CollectionFilter): Selection {
  const hasReason =
    reason === undefined ? undefined : sql`${reason} IN (${collection.reason}, ${collection.review})`;
  return select(filter, false, hasReason);
}

/** Returns the condition of a filter without its reason. */
export function select(filter: CollectionFilter, selective: boolean, hasReason: SQL | undefined): Selection {
  const { status, dialler, last4, assigned } = filter;
  const openedAt = getOpenedAt({ selective });
  const ifSet = <Value>(value: Value | undefined, condition: (value: Value) => SQL) =>
    value === undefined ? undefined : condition(value);
  const where = and(
    ifSet(status, statusIs),
    ifSet(filter.merchantId, (value) => eq(collection.merchantId, value)),
    ifSet(filter.channel, (value) => eq(collection.channel, value)),
    ifSet(filter.network, (value) => eq(collection.network, value)),
    ifSet(filter.from, (value) => gte(openedAt, value)),
    ifSet(filter.before, (value) => lt(openedAt, value)),
    filter.minMinor === undefined && filter.maxMinor === undefined ? undefined : hasAmount(filter),
    hasReason,
    ifSet(dialler, (value) => inRows([sql`${collection.dialler} = ${value}`])),
    ifSet(last4, (value) => inRows(phoneEndsWith(value))),
    ifSet(assigned, (value) => inRows([sql`${collection.id} IN (${assignedTo(value)})`])),
  );
  return { where, selective };
}

/**
 * Selects the collections whose last assignment is to this person. It reads every assignment that was ever made, and for each the
 * later actions of its collection: with an index of the action, it would read all later assignments.
 */
function assignedTo(name: string): SQL {
  return sql`SELECT "one"."subject_id" FROM "staff_action" AS "one" WHERE "one"."action" = 'assign'
    AND "one"."result" = 'done' AND "one"."detail" ->> '$.to' = ${name}
    AND NOT EXISTS (SELECT 1 FROM "staff_action" AS "later" WHERE "later"."subject_id" = "one"."subject_id"
      AND "later"."seq" > "one"."seq" AND +"later"."action" = 'assign' AND "later"."result" = 'done')`;
}

/** A person at the service decides, and staff here cannot. */
const serviceDecides = sql`(+${collection.status} = 'review' AND ${collection.awaitsServiceSince} IS NOT NULL)`;

const unpaidStatuses = ['failed', 'expired', 'abandoned'] as const;
const unpaidStatusesText = sql.raw(`('${unpaidStatuses.join("', '")}')`);

/** Returns the condition that a row, which something else finds, has a status. A plus keeps SQLite from the index of the status. */
export function testedStatus(status: StatusFilter): SQL {
  switch (status) {
    case 'waiting':
      return sql`(+${collection.status} IN ${openStatusesText} OR ${serviceDecides})`;
    case 'unpaid':
      return sql`+${collection.status} IN ${unpaidStatusesText}`;
    case 'decide':
      return sql`(+${collection.review} IS NOT NULL AND NOT ${serviceDecides})`;
    default:
      return sql`+${collection.status} = ${status}`;
  }
}

/** The partial indexes hold for conditions that repeat their literal text. */
export function statusIs(status: StatusFilter): SQL {
  if (status === 'waiting')
    return inRows([sql`${hasJob} AND (${collection.status} IN ${openStatusesText} OR ${serviceDecides})`]);
  if (status === 'decide') return inRows([sql`${collection.review} IS NOT NULL AND NOT ${serviceDecides}`]);
  if (status === 'unpaid') return sql`${collection.status} IN ${unpaidStatusesText} AND ${isClosed}`;
  const isSame = sql`${collection.status} = ${status}`;
  return isOpen(status) ? inRows([sql`${isSame} AND ${hasJob}`]) : sql`${isSame} AND ${isClosed}`;
}

/**
 * Returns the conditions on the payer's and the dialler's phone. The index has the last four digits: three have ten entries of it.
 *
 * @param digits three or more.
 */
export function phoneEndsWith(digits: string): SQL[] {
  const lastFour =
    digits.length >= 4 ? [digits.slice(-4)] : [...'0123456789'].map((first) => `${first}${digits}`);
  const ends = sql.join(
    lastFour.map((one) => sql`${Number(one)}`),
    sql`, `,
  );
  const endsWith = (phone: typeof collection.payer | typeof collection.dialler) =>
    sql`${phone} % 10000 IN (${ends}) AND ${phone} LIKE ${`%${digits}`}`;
  return [endsWith(collection.payer), sql`${endsWith(collection.dialler)} AND ${requestedByOther}`];
}
