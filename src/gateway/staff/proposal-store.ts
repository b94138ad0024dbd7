import { and, desc, eq, isNotNull, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, equals, insertRow, parameter, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import type { CollectionRow } from '../collection/collection.ts';
import { collection, proposal } from '../database/schema.ts';

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
const newest = { openedAt: Number.MAX_SAFE_INTEGER, id: '' };

/** Reads proposals, and the collections in review that they are about. */
export function proposalStore(store: Store) {
  return {
    find: (id: string): Promise<Proposal | undefined> => byId.get(store, { id }),
    findOpen: (subjectId: string): Promise<Proposal | undefined> => open.get(store, { subjectId }),
    /** Lists the collections in review, newest first, each with its open proposal, those after `last` if it is given. */
    async listReviews(
      limit: number,
      last: Pick<CollectionRow, 'openedAt' | 'id'> = newest,
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
