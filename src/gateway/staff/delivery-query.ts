import { and, desc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { DeliveryView } from '../../contract/staff/merchant-system.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import { notification } from '../database/schema.ts';
import { notificationEndpointStore } from '../notify/endpoint-store.ts';
import { notificationStore } from '../notify/notification-store.ts';
import { viewDelivery } from './operations/deliveries.ts';

export const notificationStates = ['waiting', 'delivered', 'failed', 'cancelled'] as const;
export type DeliveryState = (typeof notificationStates)[number];

/** A delivery as the cursor of the next page. */
type Key = { at: EpochMs; eventId: string; endpointId: string };

export type DeliveriesRequest = {
  livemode: 0 | 1;
  endpointId?: string | undefined;
  state?: DeliveryState | undefined;
  /** The cursor of a page; another text is no page. */
  after?: string | undefined;
  limit: number;
};

/** An endpoint to choose from. */
export type DeliveryEndpoint = { id: string; url: string; merchantId: string; isDisabled: boolean };

export type FoundDeliveries = {
  data: DeliveryView[];
  endpoints: DeliveryEndpoint[];
  /** The cursor of older ones; null when every delivery was searched. */
  next: string | null;
  /** True when there are more endpoints than one list reads. */
  isCut: boolean;
};

/** Endpoints whose deliveries one list reads. */
const maxEndpoints = 100;
/** Deliveries that a page with a state tests, of all endpoints together. */
const maxTested = 5_000;

/** Lists what was sent to the endpoints of one merchant, or with null of all, newest first. */
export async function readDeliveries(
  store: Store,
  scope: { merchantId: string | null },
  { livemode, endpointId, state, after, limit }: DeliveriesRequest,
): Promise<FoundDeliveries | 'unknown_cursor' | 'unknown_endpoint'> {
  const before = after === undefined ? undefined : readKey(after);
  if (before === null) return 'unknown_cursor';
  const all = (await notificationEndpointStore(store).list(livemode)).filter(
    ({ merchantId }) => scope.merchantId === null || merchantId === scope.merchantId,
  );
  const endpoints = all.slice(0, maxEndpoints);
  const chosen = endpointId === undefined ? endpoints : all.filter(({ id }) => id === endpointId);
  if (endpointId !== undefined && chosen.length === 0) return 'unknown_endpoint';
  const window = state === undefined ? limit + 1 : Math.floor(maxTested / Math.max(1, chosen.length));
  const found: Key[] = [];
  let reached: Key | undefined;
  for (const { id } of chosen) {
    const keys = await readKeys(store, id, before, window);
    found.push(...keys.filter((one) => state === undefined || one.state === state));
    const last = keys.length < window ? undefined : keys.at(-1);
    // Older deliveries of this endpoint are unknown, so that no older one of another endpoint is listed.
    if (last && (!reached || compare(last, reached) < 0)) reached = last;
  }
  const known = found.filter((one) => !reached || compare(one, reached) <= 0).toSorted(compare);
  const shown = known.slice(0, limit);
  const end = known.length > limit ? shown.at(-1) : reached;
  return {
    data: await readViews(store, shown),
    endpoints: endpoints.map(({ id, url, merchantId, disabledAt }) => ({
      ...{ id, url, merchantId, isDisabled: disabledAt !== null },
    })),
    next: end === undefined ? null : `${end.at}.${end.eventId}.${end.endpointId}`,
    isCut: all.length > maxEndpoints,
  };
}

/** Reads the newest deliveries of an endpoint before a cursor, in an index. */
function readKeys(
  { read }: Store,
  endpointId: string,
  before: Key | undefined,
  limit: number,
): Promise<(Key & { state: DeliveryState })[]> {
  const { at, eventId, state } = notification;
  let isBefore: SQL | undefined;
  if (before) {
    // An event that several endpoints have is listed by their ids.
    const comparison = sql.raw(endpointId < before.endpointId ? '<=' : '<');
    isBefore = sql`(${at}, ${eventId}) ${comparison} (${before.at}, ${before.eventId})`;
  }
  return read
    .select({ at, eventId, endpointId: notification.endpointId, state })
    .from(notification)
    .where(and(eq(notification.endpointId, endpointId), isBefore))
    .orderBy(desc(at), desc(eventId))
    .limit(limit);
}

async function readViews(store: Store, keys: readonly Key[]): Promise<DeliveryView[]> {
  if (keys.length === 0) return [];
  const ids = (name: 'endpointId' | 'eventId') => [...new Set(keys.map((one) => one[name]))];
  const rows = await store.read
    .select()
    .from(notification)
    .where(
      and(inArray(notification.endpointId, ids('endpointId')), inArray(notification.eventId, ids('eventId'))),
    );
  const notifications = notificationStore(store);
  const wanted = keys.flatMap(
    (key) =>
      rows.find(({ endpointId, eventId }) => endpointId === key.endpointId && eventId === key.eventId) ?? [],
  );
  return Promise.all(wanted.map((row) => viewDelivery(notifications, row, false)));
}

/** Newest first; deliveries of one event by their endpoints, the highest id first. */
function compare(one: Key, other: Key): number {
  return (
    other.at - one.at ||
    compareText(other.eventId, one.eventId) ||
    compareText(other.endpointId, one.endpointId)
  );
}

function compareText(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

function readKey(text: string): Key | null {
  const [, at, eventId, endpointId] = /^(\d{1,15})\.(\w{1,80})\.(\w{1,80})$/.exec(text) ?? [];
  return at && eventId && endpointId ? { at: Number(at), eventId, endpointId } : null;
}
