import { and, asc, eq, gte, inArray, lt, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import type { CollectionRow } from '../collection/collection.ts';
import { inRows } from '../collection/store/collection-store.ts';
import {
  collection,
  isEndpointActive,
  notification,
  notificationAttempt,
  notificationEndpoint,
  staffAction,
} from '../database/schema.ts';
import { listBlocksOf } from '../staff/block-query.ts';
import { type CollectionRecord, loadCollectionRecord } from '../support/collection-query.ts';
import { findNamed } from '../support/find-query.ts';
import type { Scope } from '../support/page.ts';
import { hasIdInScope, readCollectionPart } from '../support/page-query.ts';

/** The context of a payment, besides its own record. */
export type PaymentContext = Awaited<ReturnType<typeof readPaymentContext>>;

const maxRetries = 10;
const relatedRows = 5;
const maxNotifications = 20;
const maxAttempts = 500;
/** A merchant has at most ten. */
const maxEndpoints = 10;

/** Reads what belongs to a payment of the scope. */
async function readPaymentContext(store: Store, scope: Scope, row: CollectionRow, now: EpochMs) {
  const retries = await readRetries(store, scope, row);
  const own = new Set([row.id, ...retries.map(({ id }) => id)]);
  const others = (rows: readonly CollectionRow[]) => rows.filter(({ id }) => !own.has(id));
  // One more than is shown: the payment itself.
  const page = { limit: relatedRows + 1 };
  const payer = await findNamed(store, row.payer, page, scope);
  const isTyped = row.reference !== row.shortReference;
  return {
    /** The payments that this one retries, and those that retry it, oldest first. */
    retries,
    sameReference: isTyped ? others(await readSameReference(store, row)).slice(0, relatedRows) : [],
    /** Other payments that the payer's phone paid or requested, newest first. */
    samePayer: payer === 'unknown_cursor' ? [] : others(payer.data).slice(0, relatedRows),
    /** The blocks that hold of both numbers; none for people of a merchant. */
    blocks:
      scope.merchantId === null
        ? await listBlocksOf(store, [row.payer, row.dialler], { now, livemode: row.livemode })
        : [],
    notifications: await readNotifications(store, row),
  };
}

/** Follows the chain of retries in both directions. */
async function readRetries(
  { read }: Store,
  scope: Scope,
  { id: start, retryOf }: CollectionRow,
): Promise<CollectionRow[]> {
  const before: CollectionRow[] = [];
  for (let id = retryOf; id !== null && before.length < maxRetries; ) {
    const [found] = (await read.select().from(collection).where(hasIdInScope(id, scope))) as CollectionRow[];
    if (!found) break;
    before.unshift(found);
    id = found.retryOf;
  }
  const after: CollectionRow[] = [];
  for (let id: string | undefined = start; id !== undefined && after.length < maxRetries; ) {
    const [found] = (await read
      .select()
      .from(collection)
      .where(eq(collection.retryOf, id))) as CollectionRow[];
    if (found) after.push(found);
    id = found?.id;
  }
  return [...before, ...after];
}

/** Returns the newest payments with the same reference at the same merchant. */
async function readSameReference(
  store: Store,
  { reference, merchantId, livemode }: CollectionRow,
): Promise<CollectionRow[]> {
  const where = inRows([
    sql`${collection.reference} = ${reference} AND ${collection.livemode} = ${livemode}`,
  ]);
  const found = await readCollectionPart(
    store,
    { where, selective: true, scope: { merchantId } },
    { limit: relatedRows + 1 },
  );
  return found === 'unknown_cursor' ? [] : found.data;
}

/** Returns what was sent to the active endpoints of the merchant about a payment, oldest first. */
async function readNotifications({ read }: Store, { id, merchantId, livemode }: CollectionRow) {
  const endpoints = await read
    .select({ id: notificationEndpoint.id, url: notificationEndpoint.url })
    .from(notificationEndpoint)
    .where(
      and(
        eq(notificationEndpoint.merchantId, merchantId),
        eq(notificationEndpoint.livemode, livemode),
        isEndpointActive,
      ),
    )
    .limit(maxEndpoints);
  if (endpoints.length === 0) return [];
  const ids = endpoints.map((one) => one.id);
  // The identifier of an event starts with the one of its payment: the key of the table serves the range.
  const start = `evt_${id.replace(/^col_/, '')}_`;
  const end = `${start}\u{10ffff}`;
  const rows = await read
    .select()
    .from(notification)
    .where(
      and(
        inArray(notification.endpointId, ids),
        gte(notification.eventId, start),
        lt(notification.eventId, end),
      ),
    )
    .orderBy(asc(notification.at), asc(notification.eventId))
    .limit(maxNotifications);
  const attempts = await read
    .select()
    .from(notificationAttempt)
    .where(
      and(
        inArray(notificationAttempt.endpointId, ids),
        gte(notificationAttempt.eventId, start),
        lt(notificationAttempt.eventId, end),
      ),
    )
    .orderBy(asc(notificationAttempt.number))
    .limit(maxAttempts);
  return rows.map(({ endpointId, eventId, type, state, at, nextAt }) => {
    const own = attempts.filter((one) => one.endpointId === endpointId && one.eventId === eventId);
    const endpoint = endpoints.find((one) => one.id === endpointId);
    const last = own.at(-1);
    return {
      ...{ endpointId, eventId, type, state, at, nextAt, attempts: own.length },
      url: endpoint?.url ?? '',
      last: last
        ? { startedAt: last.startedAt, status: last.status, error: last.error, durationMs: last.durationMs }
        : null,
    };
  });
}

/** Names what a page of a payment shows: the number of its facts, and its newest action. */
export function getVersion({
  collection: { version },
  actions,
}: Pick<CollectionRecord, 'collection' | 'actions'>): string {
  return `${version}.${actions.at(-1)?.seq ?? 0}`;
}

/** Reads the version of a payment; undefined outside of the scope. Actions of support staff do not count for people of a merchant. */
async function readPaymentVersion({ read }: Store, scope: Scope, id: string): Promise<string | undefined> {
  const [found] = await read
    .select({ version: collection.version })
    .from(collection)
    .where(hasIdInScope(id, scope));
  if (!found || scope.merchantId !== null) return found && `${found.version}.0`;
  const [last] = await read
    .select({ seq: sql<number | null>`max(${staffAction.seq})` })
    .from(staffAction)
    .where(and(eq(staffAction.subjectId, id), eq(staffAction.subjectKind, 'collection')));
  return `${found.version}.${last?.seq ?? 0}`;
}

export const paymentReads = {
  /** Returns a payment; for a merchant without what support staff wrote about it. */
  async payment(store: Store, scope: Scope, id: string): Promise<CollectionRecord | undefined> {
    const record = await loadCollectionRecord(store, id, scope);
    return record && scope.merchantId !== null ? { ...record, actions: [] } : record;
  },
  paymentContext: readPaymentContext,
  paymentVersion: readPaymentVersion,
};
