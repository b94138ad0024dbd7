import { and, asc, desc, eq, gt, lte, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { EpochMs } from '../../shared/clock.ts';
import { build, equals, insertRow, prepareQuery } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import {
  collection,
  deletedTurn,
  diallerSettingChange,
  fact,
  posting,
  seal,
  staffAction,
  turn,
  unplacedPayment,
} from '../database/schema.ts';
import { auditQuery } from './audit-query.ts';
import {
  type BlockEnd,
  type BlockRows,
  type ChainedFact,
  type ChainedPosting,
  digestTurn,
  groupEntries,
  type Seal,
  type SubjectEntries,
  type TurnDigest,
} from './chain.ts';
import { totalsStore, totalWrites } from './entry-store.ts';

const { placeholder } = sql;

/** The rows after one block, up to the end of another, at most `limit` of each kind. */
type BlockRange = { after: BlockEnd; upTo: BlockEnd; limit: number };

/** Prepares the query for the rows of a numbered table in a range of their numbers. */
function prepareRange<T extends SQLiteTable & { seq: SQLiteColumn }>(table: T) {
  const inRange = and(gt(table.seq, placeholder('after')), lte(table.seq, placeholder('upTo')));
  const select = build
    .select()
    .from(table as SQLiteTable)
    .where(inRange);
  return prepareQuery<T['$inferSelect']>(select.orderBy(asc(table.seq)).limit(placeholder('limit')));
}

const facts = prepareRange(fact);
const postings = prepareRange(posting);
const turns = prepareRange(turn);
const deletedTurns = prepareRange(deletedTurn);
const settings = prepareRange(diallerSettingChange);
const actions = prepareRange(staffAction);

/** Creates the query for the rows of a block. A deleted turn is represented by the digest that retention left. */
function blockRowsQuery(store: Store) {
  return async ({ after, upTo, limit }: BlockRange): Promise<BlockRows> => {
    const turnRange = { after: after.turnSeq, upTo: upTo.turnSeq, limit };
    const stored: TurnDigest[] = (await turns.all(store, turnRange)).map(digestTurn);
    const deleted: TurnDigest[] = await deletedTurns.all(store, turnRange);
    const digests =
      deleted.length === 0 ? stored : [...stored, ...deleted].sort((one, other) => one.seq - other.seq);
    return {
      facts: await facts.all(store, { after: after.factSeq, upTo: upTo.factSeq, limit }),
      postings: await postings.all(store, { after: after.postingSeq, upTo: upTo.postingSeq, limit }),
      turns: digests.slice(0, limit),
      settings: await settings.all(store, { after: after.settingSeq, upTo: upTo.settingSeq, limit }),
      actions: await actions.all(store, { after: after.actionSeq, upTo: upTo.actionSeq, limit }),
    };
  };
}

/** The number of rows of each kind. */
type LedgerCounts = {
  facts: number;
  postings: number;
  turns: number;
  deletedTurns: number;
  settings: number;
  actions: number;
};

const listed: SQL = sql`(SELECT value FROM json_each(${placeholder('ids')}))`;

/** Prepares the queries for the facts and the postings of several subjects, in their order. */
function prepareEntries(areSubjects: (id: SQLiteColumn) => SQL | undefined) {
  const facts = build.select().from(fact).where(areSubjects(fact.subjectId));
  const postings = build.select().from(posting).where(areSubjects(posting.subjectId));
  return {
    facts: prepareQuery(facts.orderBy(asc(fact.subjectId), asc(fact.version))),
    postings: prepareQuery(postings.orderBy(asc(posting.subjectId), asc(posting.seq))),
  };
}

const listedEntries = prepareEntries((id) => sql`${id} IN ${listed}`);

const entriesInRange = prepareEntries((id) =>
  and(gt(id, placeholder('after')), lte(id, placeholder('upTo'))),
);

const listedCollections = prepareQuery(
  build.select().from(collection).where(sql`${collection.id} IN ${listed}`),
);

const listedUnplaced = prepareQuery(
  build.select().from(unplacedPayment).where(sql`${unplacedPayment.id} IN ${listed}`),
);

/** Reads what changed after a block. */
function changedSubjectsQuery(store: Store) {
  return {
    /** Returns the subjects with a fact or a posting after a block, in the order of their ids. */
    async changedSubjects({ factSeq, postingSeq }: BlockEnd): Promise<string[]> {
      const rows = await store.read.all<[string]>(sql`SELECT subject_id FROM fact WHERE seq > ${factSeq}
        UNION SELECT subject_id FROM posting WHERE seq > ${postingSeq} ORDER BY 1`);
      return rows.map(([id]) => id);
    },
    /** Returns the rows of these subjects with their facts and postings. */
    async subjects(ids: readonly string[]) {
      const values = { ids: JSON.stringify(ids) };
      return {
        collections: await listedCollections.all(store, values),
        unplacedPayments: await listedUnplaced.all(store, values),
        entriesOf: groupEntries(
          await listedEntries.facts.all(store, values),
          await listedEntries.postings.all(store, values),
        ),
      };
    },
    /** Returns the number of rows of each kind after a block. */
    async countsAfter(end: BlockEnd): Promise<LedgerCounts> {
      const [row] = await store.read.all<number[]>(sql`SELECT
        (SELECT count(*) FROM fact WHERE seq > ${end.factSeq}),
        (SELECT count(*) FROM posting WHERE seq > ${end.postingSeq}),
        (SELECT count(*) FROM turn WHERE seq > ${end.turnSeq}),
        (SELECT count(*) FROM deleted_turn WHERE seq > ${end.turnSeq}),
        (SELECT count(*) FROM dialler_setting_change WHERE seq > ${end.settingSeq}),
        (SELECT count(*) FROM staff_action WHERE seq > ${end.actionSeq})`);
      const [facts = 0, postings = 0, turns = 0, deletedTurns = 0, settings = 0, actions = 0] = row ?? [];
      return { facts, postings, turns, deletedTurns, settings, actions };
    },
  };
}

const insertSeal = insertRow(seal);

export type LedgerStore = ReturnType<typeof ledgerStore>;

const lastSeal = prepareQuery(build.select().from(seal).orderBy(desc(seal.number)).limit(1));

/** Prepares the query for the next rows of a table by a key. */
function preparePage<T extends SQLiteTable>(table: T, key: SQLiteColumn) {
  const select = build
    .select()
    .from(table as SQLiteTable)
    .where(gt(key, placeholder('after')));
  return prepareQuery<T['$inferSelect']>(select.orderBy(asc(key)).limit(placeholder('limit')));
}

const seals = preparePage(seal, seal.number);
const collections = preparePage(collection, collection.id);
const unplacedPayments = preparePage(unplacedPayment, unplacedPayment.id);

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

/** The first row of each kind after the last block, in the order of its numbers, as one list of times. */
const firstUnsealed = sql.join(
  [
    ...(['fact', 'posting', 'turn'] as const).map((table) => [table, `${table}_seq`] as const),
    ...([
      ['dialler_setting_change', 'setting_seq'],
      ['staff_action', 'action_seq'],
    ] as const),
  ].map(([table, end]) =>
    sql.raw(`SELECT (SELECT at FROM ${table}
      WHERE seq > coalesce((SELECT ${end} FROM seal ORDER BY number DESC LIMIT 1), 0) ORDER BY seq LIMIT 1) AS at`),
  ),
  sql.raw(' UNION ALL '),
);

const oldestUnsealed = prepareQuery(
  build.select({ at: sql<number | null>`min(at)` }).from(sql`(${firstUnsealed}) AS first`),
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
    /** Returns the time of the oldest row without a block; null when all have one. */
    async oldestUnsealedAt(): Promise<EpochMs | null> {
      return (await oldestUnsealed.get(store))?.at ?? null;
    },
    ...changedSubjectsQuery(store),
    blockRows: blockRowsQuery(store),
    factsOf: (id: string): Promise<ChainedFact[]> => factsQuery.all(store, { id }),
    postingsOf: (id: string): Promise<ChainedPosting[]> => postingsQuery.all(store, { id }),
    /** Returns the facts and postings of the subjects after `after` up to `upTo`, in the order of `factsOf` and `postingsOf`. */
    async entriesBetween(after: string, upTo: string): Promise<SubjectEntries> {
      return groupEntries(
        await entriesInRange.facts.all(store, { after, upTo }),
        await entriesInRange.postings.all(store, { after, upTo }),
      );
    },
    collections: (after: string, limit: number) => collections.all(store, { after, limit }),
    unplacedPayments: (after: string, limit: number) => unplacedPayments.all(store, { after, limit }),
    async counts(): Promise<LedgerCounts> {
      const none = { facts: 0, postings: 0, turns: 0, deletedTurns: 0, settings: 0, actions: 0 };
      return (await counts.get(store)) ?? none;
    },
    /** Returns the latest row of each kind, once every row before is visible or gone; undefined when a write lasts too long. */
    async sealableEnd(): Promise<BlockEnd | undefined> {
      const end = await latestNumbers.get(store);
      return (await store.settled()) ? end : undefined;
    },
    /** Appends a block and adds its postings to the totals, in one batch. Returns false when the number is taken. */
    appendSeal: (block: Seal, postings: readonly ChainedPosting[]): Promise<boolean> =>
      store.apply([insertSeal(block), ...totalWrites(postings)]),
  };
}
