import { and, eq, gt, ne, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, prepareQuery } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import { collection, isUnplacedOpen, proposal, unplacedPayment } from '../database/schema.ts';
import { proposalLifetimeMs } from '../staff/proposal-store.ts';
import { isDecidable, isOverdue } from './desk-query.ts';

/** The work of a person that the menu counts, beside the page of each. */
export const countedWork = ['proposals', 'desk', 'unplaced'] as const;
export type CountedWork = (typeof countedWork)[number];

/** The number of waiting things, at most one more than the menu shows. */
export type MenuCounts = Partial<Record<CountedWork, number>>;

/** The highest count of the menu. */
export const maxMenuCount = 99;

type CountsRequest = { kinds: readonly CountedWork[]; name: string; livemode: 0 | 1; now: EpochMs };

const { placeholder } = sql;
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
