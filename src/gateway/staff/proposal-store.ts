import { and, asc, desc, eq, gt, inArray, isNotNull, sql } from 'drizzle-orm';
import type { ProposalView } from '../../contract/staff/review.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { maskNumbers } from '../../shared/msisdn.ts';
import { build, equals, insertRow, parameter, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import type { CollectionRow } from '../collection/collection.ts';
import { collection, proposal, staffAction } from '../database/schema.ts';
import type { Booking } from '../ledger/posting.ts';

export type Proposal = typeof proposal.$inferSelect;

const { placeholder } = sql;

const insertProposal = insertRow(proposal);

const closeProposal = prepareWrite<Pick<Proposal, 'id' | 'state' | 'decidedBy' | 'decidedAt'>>(
  build
    .update(proposal)
    .set({
      state: parameter('state'),
      decidedBy: parameter('decidedBy'),
      decidedAt: parameter('decidedAt'),
    })
    .where(and(equals(proposal, 'id'), eq(proposal.state, 'open'))),
  1,
);

export type ProposalStore = ReturnType<typeof proposalStore>;

const byId = prepareQuery(build.select().from(proposal).where(equals(proposal, 'id')));

const open = prepareQuery(
  build
    .select()
    .from(proposal)
    .where(and(equals(proposal, 'subjectId'), eq(proposal.state, 'open'))),
);

/** The open proposals, of which there are few: an index has only those. */
const waiting = prepareQuery(
  build
    .select()
    .from(proposal)
    .where(
      and(
        eq(proposal.state, sql`'open'`),
        equals(proposal, 'livemode'),
        gt(proposal.proposedAt, placeholder('after')),
      ),
    )
    .orderBy(asc(proposal.proposedAt), asc(proposal.id))
    .limit(placeholder('limit')),
);

/** The ids are in the order of time. */
const newest = prepareQuery(
  build.select().from(proposal).orderBy(desc(proposal.id)).limit(placeholder('limit')),
);

const refusalProposal = sql<string>`${staffAction.detail} ->> '$.proposal'`;

const reviews = prepareQuery(
  build
    .select({ row: collection, proposal })
    .from(collection)
    .leftJoin(proposal, and(eq(proposal.subjectId, collection.id), eq(proposal.state, 'open')))
    .where(
      and(
        isNotNull(collection.review),
        sql`(${collection.openedAt}, ${collection.id}) < (${placeholder('openedAt')}, ${placeholder('id')})`,
      ),
    )
    .orderBy(desc(collection.openedAt), desc(collection.id))
    .limit(placeholder('limit')),
);

const reviewCount = prepareQuery(
  build.select({ total: sql<number>`count(*)` }).from(collection).where(isNotNull(collection.review)),
);

/** Sorts before every collection. */
const firstOfAll = { openedAt: Number.MAX_SAFE_INTEGER, id: '' };

/** Reads proposals, and the collections in review that they are about. */
export function proposalStore(store: Store) {
  return {
    find: (id: string): Promise<Proposal | undefined> => byId.get(store, { id }),
    findOpen: (subjectId: string): Promise<Proposal | undefined> => open.get(store, { subjectId }),
    /** Lists the open proposals that have not expired, the oldest first. */
    listWaiting: (livemode: 0 | 1, now: EpochMs, limit: number): Promise<Proposal[]> =>
      waiting.all(store, { livemode, after: now - proposalLifetimeMs, limit }),
    /** Lists the proposals that have ended among the newest ones, the newest first. */
    async listEnded(livemode: 0 | 1, now: EpochMs, limit: number): Promise<Proposal[]> {
      const found = await newest.all(store, { limit: 2 * limit });
      const isEnded = (one: Proposal) => one.livemode === livemode && getProposalState(one, now) !== 'open';
      return found.filter(isEnded).slice(0, limit);
    },
    /** Returns why people refused proposals, by the ids of the proposals. */
    async refusalReasons(
      refused: readonly Pick<Proposal, 'id' | 'subjectId'>[],
    ): Promise<Readonly<Record<string, string>>> {
      if (refused.length === 0) return {};
      const rows = await store.read
        .select({ id: refusalProposal, reason: sql<string | null>`${staffAction.detail} ->> '$.reason'` })
        .from(staffAction)
        .where(
          and(
            inArray(
              staffAction.subjectId,
              refused.map(({ subjectId }) => subjectId),
            ),
            eq(staffAction.action, 'refuse'),
            inArray(
              refusalProposal,
              refused.map(({ id }) => id),
            ),
          ),
        );
      return Object.fromEntries(rows.map(({ id, reason }) => [id, reason ?? '']));
    },
    /** Lists the collections in review, newest first, each with its open proposal, those after `last` if it is given. */
    async listReviews(
      limit: number,
      last: Pick<CollectionRow, 'openedAt' | 'id'> = firstOfAll,
    ): Promise<{ row: CollectionRow; proposal: Proposal | null }[]> {
      const { openedAt, id } = last;
      const rows = await reviews.all(store, { limit, openedAt, id });
      return rows as { row: CollectionRow; proposal: Proposal | null }[];
    },
    /** Returns the number of collections in review. */
    async countReviews(): Promise<number> {
      return (await reviewCount.get(store))?.total ?? 0;
    },
  };
}

/** Returns the write that inserts a proposal. It loses when the subject has an open one. */
export function proposalWrite(row: Proposal): Write {
  return insertProposal(row);
}

/** Returns the write that ends an open proposal, once. */
export function closeProposalWrite(
  id: string,
  state: Exclude<Proposal['state'], 'open'>,
  decidedBy: string | null,
  decidedAt: EpochMs,
): Write {
  return closeProposal({ id, state, decidedBy, decidedAt });
}

/** An open proposal ends after this time. */
export const proposalLifetimeMs = 24 * 60 * 60_000;

/** Returns the state of a proposal now: an open one that is too old has expired, whether or not that was recorded. */
export function getProposalState({ state, proposedAt }: Proposal, now: EpochMs): Proposal['state'] {
  return state === 'open' && now >= proposedAt + proposalLifetimeMs ? 'expired' : state;
}

/** Returns a proposal as people read it, with masked numbers. */
export function viewProposal(proposal: Proposal, now: EpochMs): ProposalView {
  const { proposedAt, decidedAt: _decidedAt, livemode: _livemode, ...rest } = proposal;
  return {
    ...rest,
    evidence: maskNumbers(rest.evidence),
    reference: rest.reference === null ? null : maskNumbers(rest.reference),
    state: getProposalState(proposal, now),
    proposedAt: new Date(proposedAt).toISOString(),
    endsAt: new Date(proposedAt + proposalLifetimeMs).toISOString(),
  };
}

export function viewPostings(bookings: readonly Booking[]) {
  return bookings.flatMap(({ kind: booking, postings }) => postings.map((side) => ({ booking, ...side })));
}
