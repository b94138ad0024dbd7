import { and, asc, eq, inArray, isNotNull, isNull, ne, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { EpochMs } from '../../shared/clock.ts';
import { build, prepareQuery } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import type { CollectionWithJob } from '../collection/collection.ts';
import { selectWithJob } from '../collection/store/claim-store.ts';
import {
  collection,
  notificationEndpoint as endpoint,
  hasJob,
  inbox,
  isUnplacedOpen,
  openStatusesText,
  proposal,
  unplacedEventStates,
  unplacedPayment,
} from '../database/schema.ts';
import { readAssignees } from '../support/action-query.ts';
import type { EventRow } from '../support/collection-query.ts';

/** The kinds of waiting work. `overdue`: without a result in time. `events`: dead letters. `service`: it decides first. */
export const workKinds = ['reviews', 'overdue', 'unplaced', 'events', 'endpoints', 'service'] as const;
export type WorkKind = (typeof workKinds)[number];

const hourMs = 60 * 60_000;

/** The ages of work: each is below the upper bound of its bucket, which the last one does not have. */
export const ageBuckets = [
  { label: '< 1 h', belowMs: hourMs },
  { label: '1 to 4 h', belowMs: 4 * hourMs },
  { label: '4 to 24 h', belowMs: 24 * hourMs },
  { label: '1 to 3 days', belowMs: 72 * hourMs },
  { label: '> 3 days', belowMs: Number.POSITIVE_INFINITY },
] as const;

/** The number of things in each bucket, in the order of the buckets. */
type AgeCounts = readonly number[];

/** Counts since a time: of everything, and of what is younger than the bound of each bucket but the last. */
type YoungerCounts = {
  total: number;
  hour: number;
  fourHours: number;
  day: number;
  threeDays: number;
};

/** Returns since when things are younger than the bound of each bucket. */
function youngerThan(now: EpochMs) {
  const [hour, fourHours, day, threeDays] = ageBuckets.map(({ belowMs }) => now - belowMs);
  return { hour, fourHours, day, threeDays };
}

/** Returns how many things are in each bucket. */
function ageCounts({ total, hour, fourHours, day, threeDays }: YoungerCounts): AgeCounts {
  return [hour, fourHours - hour, day - fourHours, threeDays - day, total - threeDays];
}

/** Work of the list, which is in the order of both. */
export type DeskCursor = { since: EpochMs; id: string };

type DeskRequest = {
  /** The kinds to count and to read. */
  kinds: readonly WorkKind[];
  livemode: 0 | 1;
  now: EpochMs;
  /** The rows of each kind to read. */
  limit: number;
  /** The last work of the page before. */
  after?: DeskCursor | undefined;
};

/** The oldest work of each kind, and how much there is by age. Plain data. */
export type Desk = Awaited<ReturnType<typeof readDesk>>;

const { placeholder } = sql;

/** Reviews about which a person at the service decides, so that staff here cannot. */
export const isAtService = and(
  isNotNull(collection.review),
  eq(collection.status, sql`'review'`),
  isNotNull(collection.awaitsServiceSince),
);

/** Reviews about which people here decide. */
export const isDecidable = and(
  isNotNull(collection.review),
  or(ne(collection.status, sql`'review'`), isNull(collection.awaitsServiceSince)),
);

/** Payments without a result in time. Few have a job. */
export const isOverdue = and(
  sql`${hasJob} AND ${collection.status} IN ${openStatusesText}`,
  isNotNull(collection.lapsedAt),
  isNull(collection.review),
);

const isUnplaced = and(isUnplacedOpen, eq(unplacedPayment.livemode, placeholder('livemode')));

/** Endpoints that accept no notification, and those that were disabled for it. */
export const isFailing = and(
  eq(endpoint.livemode, placeholder('livemode')),
  sql`(${endpoint.disabledReason} IN ('gone', 'failing') OR (${endpoint.disabledAt} IS NULL AND ${endpoint.failingSince} IS NOT NULL))`,
);

/** Events that failed too often. An index has only those without a payment. */
const isDead = and(
  sql`${inbox.state} IN ${unplacedEventStates}`,
  sql`${inbox.state} = 'dead'`,
  eq(inbox.livemode, placeholder('livemode')),
);

/** Identifies an event: two merchants can get the same one. */
const inboxId = sql`(${inbox.eventId} || ':' || ${inbox.merchantId})`;

/** Returns the condition that work is after the cursor. */
const isAfter = (at: SQLiteColumn | SQL, id: SQLiteColumn | SQL) =>
  sql`(${at}, ${id}) > (${placeholder('afterAt')}, ${placeholder('afterId')})`;

const failingSince = sql<EpochMs>`coalesce(${endpoint.failingSince}, ${endpoint.disabledAt})`;

function countYounger(at: SQLiteColumn | SQL) {
  const younger = (name: keyof ReturnType<typeof youngerThan>) =>
    sql<number>`coalesce(sum(CASE WHEN ${at} > ${placeholder(name)} THEN 1 ELSE 0 END), 0)`;
  return {
    total: sql<number>`count(*)`,
    hour: younger('hour'),
    fourHours: younger('fourHours'),
    day: younger('day'),
    threeDays: younger('threeDays'),
  };
}

const counts = {
  reviews: prepareQuery(build.select(countYounger(collection.openedAt)).from(collection).where(isDecidable)),
  service: prepareQuery(build.select(countYounger(collection.openedAt)).from(collection).where(isAtService)),
  overdue: prepareQuery(build.select(countYounger(collection.openedAt)).from(collection).where(isOverdue)),
  unplaced: prepareQuery(
    build.select(countYounger(unplacedPayment.receivedAt)).from(unplacedPayment).where(isUnplaced),
  ),
  events: prepareQuery(build.select(countYounger(inbox.receivedAt)).from(inbox).where(isDead)),
  endpoints: prepareQuery(build.select(countYounger(failingSince)).from(endpoint).where(isFailing)),
} satisfies Record<WorkKind, unknown>;

/** A plus keeps SQLite from reading all collections in the order of their time. */
const ofCollections = (condition: SQL | undefined) =>
  prepareQuery(
    selectWithJob(and(condition, isAfter(sql`+${collection.openedAt}`, collection.id)))
      .orderBy(asc(sql`+${collection.openedAt}`), asc(collection.id))
      .limit(placeholder('limit')),
  );

const reviews = ofCollections(isDecidable);
const service = ofCollections(isAtService);
const overdue = ofCollections(isOverdue);

const unplaced = prepareQuery(
  build
    .select()
    .from(unplacedPayment)
    .where(and(isUnplaced, isAfter(unplacedPayment.receivedAt, unplacedPayment.id)))
    .orderBy(asc(unplacedPayment.receivedAt), asc(unplacedPayment.id))
    .limit(placeholder('limit')),
);

const events = prepareQuery(
  build
    .select({
      eventId: inbox.eventId,
      merchantId: inbox.merchantId,
      type: inbox.type,
      sessionId: inbox.sessionId,
      receivedAt: inbox.receivedAt,
    })
    .from(inbox)
    .where(and(isDead, isAfter(inbox.receivedAt, inboxId)))
    .orderBy(asc(inbox.receivedAt), asc(inboxId))
    .limit(placeholder('limit')),
);

const endpoints = prepareQuery(
  build
    .select({
      id: endpoint.id,
      merchantId: endpoint.merchantId,
      failingSince: endpoint.failingSince,
      disabledAt: endpoint.disabledAt,
    })
    .from(endpoint)
    .where(and(isFailing, isAfter(failingSince, endpoint.id)))
    .orderBy(asc(failingSince), asc(endpoint.id))
    .limit(placeholder('limit')),
);

/** Reads the oldest work of each kind. Every part reads an index that has only what waits, or a table of a few rows. */
async function readDesk(store: Store, { kinds, livemode, now, limit, after }: DeskRequest) {
  const page = { limit, afterAt: after?.since ?? -1, afterId: after?.id ?? '' };
  const ifAsked = <Row>(kind: WorkKind, read: () => Promise<Row[]>) =>
    kinds.includes(kind) ? read() : Promise.resolve([]);
  const found = {
    reviews: (await ifAsked('reviews', () => reviews.all(store, page))) as CollectionWithJob[],
    service: (await ifAsked('service', () => service.all(store, page))) as CollectionWithJob[],
    overdue: (await ifAsked('overdue', () => overdue.all(store, page))) as CollectionWithJob[],
    unplaced: await ifAsked('unplaced', () => unplaced.all(store, { ...page, livemode })),
    events: await ifAsked('events', () => events.all(store, { ...page, livemode })),
    endpoints: await ifAsked('endpoints', () => endpoints.all(store, { ...page, livemode })),
  };
  const taken = [...found.reviews, ...found.service, ...found.overdue, ...found.unplaced].map(({ id }) => id);
  const decided = [...found.reviews, ...found.unplaced].map(({ id }) => id);
  return {
    ...found,
    counts: await readCounts(store, kinds, { livemode, ...youngerThan(now) }),
    /** Open proposals about the rows, whether or not they can still be approved. */
    proposals: await readProposals(store, decided),
    /** The assignees of the payments and the unplaced money in the rows. The others have none. */
    takenBy: await readAssignees(store, taken),
  };
}

async function readCounts(
  store: Store,
  kinds: readonly WorkKind[],
  values: Record<string, unknown>,
): Promise<Partial<Record<WorkKind, AgeCounts>>> {
  const found: Partial<Record<WorkKind, AgeCounts>> = {};
  for (const kind of kinds) {
    const [row]: YoungerCounts[] = await counts[kind].all(store, values);
    if (row) found[kind] = ageCounts(row);
  }
  return found;
}

async function readProposals({ read }: Store, subjectIds: readonly string[]) {
  if (subjectIds.length === 0) return [];
  const { id, subjectId, outcome, proposedBy, proposedAt } = proposal;
  return read
    .select({ id, subjectId, outcome, proposedBy, proposedAt })
    .from(proposal)
    .where(and(inArray(subjectId, [...subjectIds]), sql`${proposal.state} = 'open'`));
}

type EventKey = Pick<EventRow, 'merchantId' | 'eventId'> & { livemode: 0 | 1 };

/** Finds an event that could not be handled, by its key. Other events are not found. */
async function findDeadEvent(
  { read }: Store,
  { merchantId, eventId, livemode }: EventKey,
): Promise<EventRow | undefined> {
  const [row] = await read
    .select()
    .from(inbox)
    .where(and(eq(inbox.merchantId, merchantId), eq(inbox.eventId, eventId)));
  return row?.state === 'dead' && row.livemode === livemode ? row : undefined;
}

export const deskReads = { desk: readDesk, deadEvent: findDeadEvent };
