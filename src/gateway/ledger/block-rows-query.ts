import { and, asc, gt, lte, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { build, prepareQuery } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import { deletedTurn, diallerSettingChange, fact, posting, staffAction, turn } from '../database/schema.ts';
import { type BlockEnd, type BlockRows, digestTurn, type TurnDigest } from './chain.ts';

const { placeholder } = sql;

/** The rows after one block, up to the end of another, at most `limit` of each kind. */
export type BlockRange = { after: BlockEnd; upTo: BlockEnd; limit: number };

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

/** Creates the query for the rows of a block. A deleted turn is represented by the digest that retention kept. */
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
