import { hash } from 'node:crypto';
import type {
  deletedTurn,
  diallerSettingChange,
  fact,
  posting,
  seal,
  staffAction,
  turn as turnTable,
} from '../database/schema.ts';

/** A fact of a collection or of an unplaced payment. */
export type ChainedFact = typeof fact.$inferSelect;

export type ChainedPosting = typeof posting.$inferSelect;

/** The part of a turn that a block contains. It is kept when retention deletes the turn. */
export type TurnDigest = typeof deletedTurn.$inferSelect;

/** An action of support staff, or an attempt. */
export type ChainedAction = typeof staffAction.$inferSelect;

/** The rows of one block, each kind in the order of its sequence numbers. */
export type BlockRows = {
  facts: readonly ChainedFact[];
  postings: readonly ChainedPosting[];
  turns: readonly TurnDigest[];
  settings: readonly (typeof diallerSettingChange.$inferSelect)[];
  actions: readonly ChainedAction[];
};

/** A block of the hash chain: it covers all rows after the previous block, up to its sequence numbers. */
export type Seal = typeof seal.$inferSelect;

/** The part of a block, apart from its rows, that its hash covers. */
export type BlockHeader = Omit<Seal, 'hash' | 'keyId' | 'signature'>;

/** The highest sequence number of each kind of row up to a block. */
export type BlockEnd = Omit<BlockHeader, 'number' | 'rows' | 'at' | 'previousHash'>;

/** The predecessor of the first block. */
export const genesis: Seal = {
  number: 0,
  factSeq: 0,
  postingSeq: 0,
  turnSeq: 0,
  settingSeq: 0,
  actionSeq: 0,
  rows: 0,
  at: 0,
  previousHash: '',
  hash: '0'.repeat(64),
  keyId: null,
  signature: null,
};

/** Returns the number of rows of a block. */
export function countRows({ facts, postings, turns, settings, actions }: BlockRows): number {
  return facts.length + postings.length + turns.length + settings.length + actions.length;
}

/** Returns the digest of a turn: the hash covers every column, as a JSON array. */
export function digestTurn(turn: typeof turnTable.$inferSelect): TurnDigest {
  const { seq, channel, session, sequence, dialogueId, merchantId, dialler, operator, at } = turn;
  const { input, position, payer, ussdRef, ending, state, reply, screen, collectionId } = turn;
  const content = JSON.stringify([
    ...[seq, channel, session, sequence, dialogueId, merchantId, dialler, operator],
    ...[input, position, payer, ussdRef, ending, state, reply, screen, collectionId, at],
  ]);
  return { seq, at, hash: hash('sha256', content, 'hex') };
}

/** Returns the hash of a block: SHA-256 of its header and rows, each a JSON array on a line, so that fields stay apart. */
export function hashBlock(header: BlockHeader, blockRows: BlockRows): string {
  const { facts, postings, turns, settings, actions } = blockRows;
  const { number, previousHash, factSeq, postingSeq, turnSeq, settingSeq, actionSeq, rows } = header;
  const ends = [factSeq, postingSeq, turnSeq, settingSeq, actionSeq];
  const lines = [JSON.stringify(['block', number, previousHash, ...ends, rows, header.at])];
  for (const { seq, subjectId, merchantId, version, kind, data, at } of facts)
    lines.push(JSON.stringify(['fact', seq, subjectId, merchantId, version, kind, data, at]));
  for (const { seq, subjectId, merchantId, livemode, version, booking, ...side } of postings) {
    const subject = [subjectId, merchantId, livemode, version];
    const row = ['posting', seq, ...subject, booking, side.account, side.amountMinor, side.at];
    lines.push(JSON.stringify(row));
  }
  for (const turn of turns) lines.push(JSON.stringify(['turn', turn.seq, turn.at, turn.hash]));
  for (const { seq, merchantId, livemode, msisdn, language, optedOutAt, at } of settings)
    lines.push(JSON.stringify(['setting', seq, merchantId, livemode, msisdn, language, optedOutAt, at]));
  for (const { seq, at, actor, action, result, subjectKind, subjectId, merchantId, ...rest } of actions) {
    const subject = [subjectKind, subjectId, merchantId, rest.livemode];
    const row = ['action', seq, at, actor, action, result, ...subject, rest.detail];
    lines.push(JSON.stringify(row));
  }
  return hash('sha256', lines.join('\n'), 'hex');
}

/** Returns the facts and postings of a subject. */
export type SubjectEntries = (id: string) => {
  facts: readonly ChainedFact[];
  postings: readonly ChainedPosting[];
};

/** Groups facts and postings by their subject, in their order. */
export function groupEntries(
  facts: readonly ChainedFact[],
  postings: readonly ChainedPosting[],
): SubjectEntries {
  const factsById = Map.groupBy(facts, ({ subjectId }) => subjectId);
  const postingsById = Map.groupBy(postings, ({ subjectId }) => subjectId);
  return (id) => ({ facts: factsById.get(id) ?? [], postings: postingsById.get(id) ?? [] });
}
