import { asc, type SQL, sql } from 'drizzle-orm';
import { build, prepareQuery } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import { collection, fact, posting, unplacedPayment } from '../database/schema.ts';
import type { BlockEnd } from './chain.ts';
import { bySubject, type SubjectEntries } from './subject-entries.ts';

const { placeholder } = sql;

/** The number of rows of each kind. */
export type LedgerCounts = {
  facts: number;
  postings: number;
  turns: number;
  deletedTurns: number;
  settings: number;
  actions: number;
};

const listed: SQL = sql`(SELECT value FROM json_each(${placeholder('ids')}))`;

const facts = prepareQuery(
  build
    .select()
    .from(fact)
    .where(sql`${fact.subjectId} IN ${listed}`)
    .orderBy(asc(fact.subjectId), asc(fact.version)),
);

const postings = prepareQuery(
  build
    .select()
    .from(posting)
    .where(sql`${posting.subjectId} IN ${listed}`)
    .orderBy(asc(posting.subjectId), asc(posting.seq)),
);

const collections = prepareQuery(build.select().from(collection).where(sql`${collection.id} IN ${listed}`));

const unplacedPayments = prepareQuery(
  build.select().from(unplacedPayment).where(sql`${unplacedPayment.id} IN ${listed}`),
);

/** Reads what changed after a block. */
export function changedSubjectsQuery(store: Store) {
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
      const factsById = bySubject(await facts.all(store, values));
      const postingsById = bySubject(await postings.all(store, values));
      const listEntries: SubjectEntries = (id) => ({
        facts: factsById.get(id) ?? [],
        postings: postingsById.get(id) ?? [],
      });
      return {
        collections: await collections.all(store, values),
        unplacedPayments: await unplacedPayments.all(store, values),
        entriesOf: listEntries,
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
