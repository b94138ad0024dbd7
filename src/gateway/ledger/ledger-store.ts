import { and, asc, desc, eq, gt, gte, lt, lte, sql } from 'drizzle-orm';
import {
  expectedSchema,
  type SchemaObject,
  schemaDifferences,
  schemaObjectsQuery,
} from '../../sqlite/compare-schema.ts';
import { migrationsFolder } from '../../sqlite/migrations-folder.ts';
import { insertRow } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import { collection, fact, posting, seal } from '../schema.ts';
import type { FactRow, PostingRow, Seal } from './chain.ts';
import type { TimeSpan } from './day.ts';

const { placeholder } = sql;

const insertSeal = insertRow(seal);

export type Balance = { account: string; livemode: number; amountMinor: number; postings: number };

export type LedgerStore = ReturnType<typeof ledgerStore>;

/** Reads the journal (facts and postings in the order of writing) and reads and appends the blocks that seal it. */
export function ledgerStore(store: Store) {
  const lastSeal = store.read.select().from(seal).orderBy(desc(seal.number)).limit(1).prepare();
  const seals = store.read
    .select()
    .from(seal)
    .where(gt(seal.number, placeholder('after')))
    .orderBy(asc(seal.number))
    .limit(placeholder('limit'))
    .prepare();
  const facts = store.read
    .select()
    .from(fact)
    .where(and(gt(fact.seq, placeholder('after')), lte(fact.seq, placeholder('upTo'))))
    .orderBy(asc(fact.seq))
    .limit(placeholder('limit'))
    .prepare();
  const postings = store.read
    .select()
    .from(posting)
    .where(and(gt(posting.seq, placeholder('after')), lte(posting.seq, placeholder('upTo'))))
    .orderBy(asc(posting.seq))
    .limit(placeholder('limit'))
    .prepare();
  const factsOf = store.read
    .select()
    .from(fact)
    .where(eq(fact.collectionId, placeholder('id')))
    .orderBy(asc(fact.version))
    .prepare();
  const postingsOf = store.read
    .select()
    .from(posting)
    .where(eq(posting.collectionId, placeholder('id')))
    .orderBy(asc(posting.seq))
    .prepare();
  const collections = store.read
    .select()
    .from(collection)
    .where(gt(collection.id, placeholder('after')))
    .orderBy(asc(collection.id))
    .limit(placeholder('limit'))
    .prepare();
  const balances = store.read
    .select({
      account: posting.account,
      livemode: posting.livemode,
      amountMinor: sql<number>`sum(${posting.amountMinor})`,
      postings: sql<number>`count(*)`,
    })
    .from(posting)
    .where(and(gte(posting.at, placeholder('from')), lt(posting.at, placeholder('to'))))
    .groupBy(posting.account, posting.livemode)
    .orderBy(asc(posting.livemode), asc(posting.account))
    .prepare();
  const counts = store.read
    .select({
      facts: sql<number>`(SELECT count(*) FROM fact)`,
      postings: sql<number>`(SELECT count(*) FROM posting)`,
    })
    .from(sql`(SELECT 1)`)
    .prepare();
  // Facts and postings without a collection, which reading by collection would miss.
  const orphans = store.read
    .select({ id: sql<string>`collection_id` })
    .from(
      sql`(SELECT collection_id FROM fact UNION SELECT collection_id FROM posting
           EXCEPT SELECT id FROM collection ORDER BY 1 LIMIT 100)`,
    )
    .prepare();

  return {
    /** Returns the differences of the file's schema from the one of this program. */
    async schemaDifferences(): Promise<string[]> {
      const found = await store.read.all<SchemaObject>(sql.raw(schemaObjectsQuery));
      return schemaDifferences(found, expectedSchema(migrationsFolder('gateway')));
    },
    lastSeal: (): Promise<Seal | undefined> => lastSeal.get(),
    seals: (after: number, limit: number): Promise<Seal[]> => seals.all({ after, limit }),
    facts: (range: { after: number; upTo: number; limit: number }): Promise<FactRow[]> => facts.all(range),
    postings: (range: { after: number; upTo: number; limit: number }): Promise<PostingRow[]> =>
      postings.all(range),
    factsOf: (id: string): Promise<FactRow[]> => factsOf.all({ id }),
    postingsOf: (id: string): Promise<PostingRow[]> => postingsOf.all({ id }),
    collections: (after: string, limit: number) => collections.all({ after, limit }),
    /** Returns the sum of the postings of each account, in total or within a span of time. */
    balances: (within: TimeSpan = { from: 0, to: Number.MAX_SAFE_INTEGER }): Promise<Balance[]> =>
      balances.all(within),
    async counts(): Promise<{ facts: number; postings: number }> {
      return (await counts.get()) ?? { facts: 0, postings: 0 };
    },
    orphans: async (): Promise<string[]> => (await orphans.all()).map((row) => row.id),
    appendSeal: (block: Seal): Promise<boolean> => store.apply([insertSeal(block)]),
  };
}
