import { and, asc, desc, eq, gt, gte, ne, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, prepareQuery } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import {
  collection,
  notificationEndpoint as endpoint,
  isUnplacedOpen,
  proposal,
  staffAction,
  unplacedPayment,
} from '../database/schema.ts';
import { proposalLifetimeMs, proposalStore } from '../staff/proposal-store.ts';
import { isAtService, isDecidable, isFailing, isOverdue } from './desk-query.ts';

/** The amount of waiting work, and the time of the oldest; null without any. */
export type Waiting = { count: number; oldestAt: EpochMs | null; sumMinor: number };

/** The work that waits for people of the gateway. */
export type Needs = Awaited<ReturnType<typeof readNeeds>>;

type NeedsRequest = { name: string; livemode: 0 | 1; now: EpochMs };

const { placeholder } = sql;

/** The total of what a proposal is about, as in the inbox and on its page. */
const proposedMinor = sql<number | null>`coalesce(
  ${collection.amountMinor}, ${collection.shownTotalMinor}, ${collection.goodsMinor}, ${unplacedPayment.amountMinor})`;

/** Prices, as in the sum of a list. */
const ofCollections = {
  count: sql<number>`count(*)`,
  oldestAt: sql<EpochMs | null>`min(${collection.openedAt})`,
  sumMinor: sql<number>`coalesce(sum(${collection.goodsMinor}), 0)`,
};

const reviews = prepareQuery(build.select(ofCollections).from(collection).where(isDecidable));

/** Reviews about which the service decides first: staff here cannot. */
const service = prepareQuery(build.select(ofCollections).from(collection).where(isAtService));

const overdue = prepareQuery(build.select(ofCollections).from(collection).where(isOverdue));

const proposals = prepareQuery(
  build
    .select({
      count: sql<number>`count(*)`,
      oldestAt: sql<EpochMs | null>`min(${proposal.proposedAt})`,
      sumMinor: sql<number>`coalesce(sum(${proposedMinor}), 0)`,
    })
    .from(proposal)
    .leftJoin(collection, eq(collection.id, proposal.subjectId))
    .leftJoin(unplacedPayment, eq(unplacedPayment.id, proposal.subjectId))
    .where(
      and(
        eq(proposal.state, sql`'open'`),
        gt(proposal.proposedAt, placeholder('after')),
        ne(proposal.proposedBy, placeholder('name')),
      ),
    ),
);

/** A proposal of another person that this person may approve. */
export type OpenProposal = Awaited<ReturnType<typeof readOpenProposals>>[number];

/** Returns the oldest proposals of other people, at most `limit`. */
function readOpenProposals({ read }: Store, { name, livemode, now }: NeedsRequest, limit: number) {
  const { id, outcome, proposedBy, proposedAt, merchantId } = proposal;
  return read
    .select({ id, outcome, proposedBy, proposedAt, merchantId, amountMinor: proposedMinor })
    .from(proposal)
    .leftJoin(collection, eq(collection.id, proposal.subjectId))
    .leftJoin(unplacedPayment, eq(unplacedPayment.id, proposal.subjectId))
    .where(
      and(
        eq(proposal.state, sql`'open'`),
        eq(proposal.livemode, livemode),
        gt(proposal.proposedAt, now - proposalLifetimeMs),
        ne(proposal.proposedBy, name),
      ),
    )
    .orderBy(asc(proposedAt))
    .limit(limit);
}

const unplaced = prepareQuery(
  build
    .select({
      count: sql<number>`count(*)`,
      oldestAt: sql<EpochMs | null>`min(${unplacedPayment.receivedAt})`,
      sumMinor: sql<number>`coalesce(sum(${unplacedPayment.suspendedMinor}), 0)`,
    })
    .from(unplacedPayment)
    .where(and(isUnplacedOpen, eq(unplacedPayment.livemode, placeholder('livemode')))),
);

const endpoints = prepareQuery(
  build
    .select({
      count: sql<number>`count(*)`,
      oldestAt: sql<EpochMs | null>`min(coalesce(${endpoint.failingSince}, ${endpoint.disabledAt}))`,
      sumMinor: sql<number>`0`,
    })
    .from(endpoint)
    .where(isFailing),
);

const nothing: Waiting = { count: 0, oldestAt: null, sumMinor: 0 };

/** Counts what waits for people. Every part reads an index that has only what waits, or a table of a few rows. */
async function readNeeds(store: Store, { name, livemode, now }: NeedsRequest) {
  return {
    reviews: (await reviews.get(store)) ?? nothing,
    service: (await service.get(store)) ?? nothing,
    /** Those of other people, which this person may approve. */
    proposals: (await proposals.get(store, { name, after: now - proposalLifetimeMs })) ?? nothing,
    unplaced: (await unplaced.get(store, { livemode })) ?? nothing,
    overdue: (await overdue.get(store)) ?? nothing,
    endpoints: (await endpoints.get(store, { livemode })) ?? nothing,
  };
}

/** Older mentions and refusals stand in the timelines only. */
const shownMs = 7 * 24 * 3_600_000;

/** A refused proposal of a person, without a newer proposal about its subject. */
export type Refusal = Awaited<ReturnType<typeof readRefusals>>[number];

/** The newest proposals among which refused ones are found. */
const maxRecent = 200;

/** Returns what others refused to a person in the last week, the newest first, each with its reason; at most `limit`. */
async function readRefusals(store: Store, { name, livemode, now }: NeedsRequest, limit: number) {
  const { id, subjectKind, subjectId, merchantId, proposedBy, state, decidedBy, decidedAt } = proposal;
  const fields = {
    ...{ id, subjectKind, subjectId, merchantId, livemode: proposal.livemode },
    ...{ proposedBy, state, decidedBy, decidedAt },
  };
  const recent = await store.read.select(fields).from(proposal).orderBy(desc(id)).limit(maxRecent);
  const lastOfSubject = [...Map.groupBy(recent, (one) => one.subjectId).values()].flatMap(
    ([one]) => one ?? [],
  );
  const refused = lastOfSubject
    .filter((one) => one.state === 'refused' && one.proposedBy === name && one.livemode === livemode)
    .filter((one) => (one.decidedAt ?? 0) >= now - shownMs)
    .slice(0, limit);
  const reasons = await proposalStore(store).refusalReasons(refused);
  return refused.map((one) => ({ ...one, reason: reasons[one.id] ?? '' }));
}

/** A note about a payment that mentions a person. */
export type Mention = {
  at: EpochMs;
  by: string;
  merchantId: string;
  collectionId: string;
  shortReference: string;
};

const maxMentions = 20;

/** Returns who mentioned a person in the last week, newest first. */
export function readMentions({ read }: Store, accountId: string, now: EpochMs): Promise<Mention[]> {
  const { id: collectionId, merchantId, shortReference } = collection;
  return read
    .select({ at: staffAction.at, by: staffAction.actor, merchantId, collectionId, shortReference })
    .from(staffAction)
    .innerJoin(collection, eq(collectionId, sql`${staffAction.detail} ->> '$.collection'`))
    .where(
      and(
        eq(staffAction.subjectId, accountId),
        eq(staffAction.action, 'mention'),
        gte(staffAction.at, now - shownMs),
      ),
    )
    .orderBy(desc(staffAction.seq))
    .limit(maxMentions);
}

export const homeReads = {
  needs: readNeeds,
  openProposals: readOpenProposals,
  refusals: readRefusals,
  mentions: readMentions,
};

/** The work of a person that the menu counts, beside the page of each. */
const countedWork = ['proposals', 'desk', 'unplaced'] as const;
export type CountedWork = (typeof countedWork)[number];

/** The number of waiting things, at most one more than the menu shows. */
export type MenuCounts = Partial<Record<CountedWork, number>>;

/** The highest count of the menu. */
export const maxMenuCount = 99;

type CountsRequest = { kinds: readonly CountedWork[]; name: string; livemode: 0 | 1; now: EpochMs };

const count = { total: sql<number>`count(*)` };
const one = { one: sql<number>`1`.as('one') };
const limit = maxMenuCount + 1;

/** Each reads at most `limit` entries of an index that has only what waits. */
const queries = {
  /** Those of other people. */
  proposals: prepareQuery(
    build.select(count).from(
      build
        .select(one)
        .from(proposal)
        .where(
          and(
            eq(proposal.state, sql`'open'`),
            eq(proposal.livemode, placeholder('livemode')),
            gt(proposal.proposedAt, placeholder('after')),
            ne(proposal.proposedBy, placeholder('name')),
          ),
        )
        .limit(limit)
        .as('waiting'),
    ),
  ),
  desk: prepareQuery(
    build
      .select(count)
      .from(build.select(one).from(collection).where(isDecidable).limit(limit).as('waiting')),
  ),
  overdue: prepareQuery(
    build.select(count).from(build.select(one).from(collection).where(isOverdue).limit(limit).as('waiting')),
  ),
  unplaced: prepareQuery(
    build.select(count).from(
      build
        .select(one)
        .from(unplacedPayment)
        .where(and(isUnplacedOpen, eq(unplacedPayment.livemode, placeholder('livemode'))))
        .limit(limit)
        .as('waiting'),
    ),
  ),
};

/** Counts the work of some kinds. The desk has the payments to decide and those that wait too long. */
async function readMenuCounts(
  store: Store,
  { kinds, name, livemode, now }: CountsRequest,
): Promise<MenuCounts> {
  const values = { livemode, name, after: now - proposalLifetimeMs };
  const found: MenuCounts = {};
  for (const kind of kinds) {
    const total = (await queries[kind].get(store, values))?.total ?? 0;
    const overdue = kind === 'desk' ? ((await queries.overdue.get(store, values))?.total ?? 0) : 0;
    found[kind] = Math.min(limit, total + overdue);
  }
  return found;
}

export const menuCountsReads = { menuCounts: readMenuCounts };
