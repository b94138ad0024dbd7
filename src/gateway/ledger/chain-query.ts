import { and, asc, gt, lte, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { build, prepareQuery } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import {
  collection,
  deletedTurn,
  diallerSettingChange,
  fact,
  posting,
  staffAction,
  turn,
  unplacedPayment,
} from '../database/schema.ts';
import { type BlockEnd, type BlockRows, digestTurn, groupEntries, type TurnDigest } from './chain.ts';

const { placeholder } = sql;

/** The rows after one block, up to the end of another, at most `limit` of each kind. */
type BlockRange = { after: BlockEnd; upTo: BlockEnd; limit: number };

const inRange = (seq: SQLiteColumn) => and(gt(seq, placeholder('after')), lte(seq, placeholder('upTo')));

const limit = placeholder('limit');

const facts = prepareQuery(
  build.select().from(fact).where(inRange(fact.seq)).orderBy(asc(fact.seq)).limit(limit),
);

const postings = prepareQuery(
  build.select().from(posting).where(inRange(posting.seq)).orderBy(asc(posting.seq)).limit(limit),
);

const turns = prepareQuery(
  build.select().from(turn).where(inRange(turn.seq)).orderBy(asc(turn.seq)).limit(limit),
);

const deletedTurns = prepareQuery(
  build.select().from(deletedTurn).where(inRange(deletedTurn.seq)).orderBy(asc(deletedTurn.seq)).limit(limit),
);

const settings = prepareQuery(
  build
    .select()
    .from(diallerSettingChange)
    .where(inRange(diallerSettingChange.seq))
    .orderBy(asc(diallerSettingChange.seq))
    .limit(limit),
);

const actions = prepareQuery(
  build.select().from(staffAction).where(inRange(staffAction.seq)).orderBy(asc(staffAction.seq)).limit(limit),
);

/** Creates the query for the rows of a block. A deleted turn is represented by the digest that retention left. */
export function blockRowsQuery(store: Store) {
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
export type LedgerCounts = {
  facts: number;
  postings: number;
  turns: number;
  deletedTurns: number;
  settings: number;
  actions: number;
};

const listed: SQL = sql`(SELECT value FROM json_each(${placeholder('ids')}))`;

const factsOfSubjects = prepareQuery(
  build
    .select()
    .from(fact)
    .where(sql`${fact.subjectId} IN ${listed}`)
    .orderBy(asc(fact.subjectId), asc(fact.version)),
);

const postingsOfSubjects = prepareQuery(
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
      return {
        collections: await collections.all(store, values),
        unplacedPayments: await unplacedPayments.all(store, values),
        entriesOf: groupEntries(
          await factsOfSubjects.all(store, values),
          await postingsOfSubjects.all(store, values),
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
