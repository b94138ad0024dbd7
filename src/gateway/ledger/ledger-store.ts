import { and, asc, desc, eq, gt, lte, sql } from 'drizzle-orm';
import { build, equals, insertRow, prepareQuery } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import { collection, fact, posting, seal, unplacedPayment } from '../database/schema.ts';
import { auditQuery } from './audit-query.ts';
import {
  type BlockEnd,
  type ChainedFact,
  type ChainedPosting,
  groupEntries,
  type Seal,
  type SubjectEntries,
} from './chain.ts';
import { blockRowsQuery, changedSubjectsQuery, type LedgerCounts } from './chain-query.ts';
import { totalsStore, totalWrites } from './totals-store.ts';

const { placeholder } = sql;

const insertSeal = insertRow(seal);

export type LedgerStore = ReturnType<typeof ledgerStore>;

const lastSeal = prepareQuery(build.select().from(seal).orderBy(desc(seal.number)).limit(1));

const seals = prepareQuery(
  build
    .select()
    .from(seal)
    .where(gt(seal.number, placeholder('after')))
    .orderBy(asc(seal.number))
    .limit(placeholder('limit')),
);

const factsQuery = prepareQuery(
  build
    .select()
    .from(fact)
    .where(eq(fact.subjectId, placeholder('id')))
    .orderBy(asc(fact.version)),
);

const postingsQuery = prepareQuery(
  build
    .select()
    .from(posting)
    .where(eq(posting.subjectId, placeholder('id')))
    .orderBy(asc(posting.seq)),
);

const inSubjects = (subjectId: typeof fact.subjectId | typeof posting.subjectId) =>
  and(gt(subjectId, placeholder('after')), lte(subjectId, placeholder('upTo')));

const factsBetween = prepareQuery(
  build.select().from(fact).where(inSubjects(fact.subjectId)).orderBy(asc(fact.subjectId), asc(fact.version)),
);

const postingsBetween = prepareQuery(
  build
    .select()
    .from(posting)
    .where(inSubjects(posting.subjectId))
    .orderBy(asc(posting.subjectId), asc(posting.seq)),
);

const collections = prepareQuery(
  build
    .select()
    .from(collection)
    .where(gt(collection.id, placeholder('after')))
    .orderBy(asc(collection.id))
    .limit(placeholder('limit')),
);

const unplacedPayments = prepareQuery(
  build
    .select()
    .from(unplacedPayment)
    .where(gt(unplacedPayment.id, placeholder('after')))
    .orderBy(asc(unplacedPayment.id))
    .limit(placeholder('limit')),
);

const counts = prepareQuery(
  build
    .select({
      facts: sql<number>`(SELECT count(*) FROM fact)`,
      postings: sql<number>`(SELECT count(*) FROM posting)`,
      turns: sql<number>`(SELECT count(*) FROM turn)`,
      deletedTurns: sql<number>`(SELECT count(*) FROM deleted_turn)`,
      settings: sql<number>`(SELECT count(*) FROM dialler_setting_change)`,
      actions: sql<number>`(SELECT count(*) FROM staff_action)`,
    })
    .from(sql`(SELECT 1)`),
);

const latestNumbers = prepareQuery(
  build
    .select({
      factSeq: sql<number>`coalesce((SELECT max(seq) FROM fact), 0)`,
      postingSeq: sql<number>`coalesce((SELECT max(seq) FROM posting), 0)`,
      turnSeq: sql<number>`max(coalesce((SELECT max(seq) FROM turn), 0), coalesce((SELECT max(seq) FROM deleted_turn), 0))`,
      settingSeq: sql<number>`coalesce((SELECT max(seq) FROM dialler_setting_change), 0)`,
      actionSeq: sql<number>`coalesce((SELECT max(seq) FROM staff_action), 0)`,
    })
    .from(sql`(SELECT 1) AS one`),
);

const sealByHash = prepareQuery(build.select().from(seal).where(equals(seal, 'hash')));

/** Reads facts and postings, and reads and appends the blocks that seal the append-only rows. */
export function ledgerStore(store: Store) {
  return {
    ...auditQuery(store),
    ...totalsStore(store),
    lastSeal: (): Promise<Seal | undefined> => lastSeal.get(store),
    seals: (after: number, limit: number): Promise<Seal[]> => seals.all(store, { after, limit }),
    sealByHash: (hash: string): Promise<Seal | undefined> => sealByHash.get(store, { hash }),
    ...changedSubjectsQuery(store),
    blockRows: blockRowsQuery(store),
    factsOf: (id: string): Promise<ChainedFact[]> => factsQuery.all(store, { id }),
    postingsOf: (id: string): Promise<ChainedPosting[]> => postingsQuery.all(store, { id }),
    /** Returns the facts and postings of the subjects after `after` up to `upTo`, in the order of `factsOf` and `postingsOf`. */
    async entriesBetween(after: string, upTo: string): Promise<SubjectEntries> {
      return groupEntries(
        await factsBetween.all(store, { after, upTo }),
        await postingsBetween.all(store, { after, upTo }),
      );
    },
    collections: (after: string, limit: number) => collections.all(store, { after, limit }),
    unplacedPayments: (after: string, limit: number) => unplacedPayments.all(store, { after, limit }),
    async counts(): Promise<LedgerCounts> {
      const none = { facts: 0, postings: 0, turns: 0, deletedTurns: 0, settings: 0, actions: 0 };
      return (await counts.get(store)) ?? none;
    },
    /**
     * Returns the latest row of each kind, after every row before them is visible or was not written. `undefined` when a write
     * that could have an earlier number lasts too long.
     */
    async sealableEnd(): Promise<BlockEnd | undefined> {
      const end = await latestNumbers.get(store);
      return (await store.settled()) ? end : undefined;
    },
    /** Appends a block and adds its postings to the totals, in one batch. Returns false when the number is taken. */
    appendSeal: (block: Seal, postings: readonly ChainedPosting[]): Promise<boolean> =>
      store.apply([insertSeal(block), ...totalWrites(postings)]),
  };
}
