import { hash } from 'node:crypto';
import type { EpochMs } from '../../shared/clock.ts';

export type ChainedFact = {
  seq: number;
  /** The id of a collection or of an unplaced payment. */
  subjectId: string;
  merchantId: string;
  version: number;
  kind: string;
  data: string;
  at: EpochMs;
};

export type ChainedPosting = {
  seq: number;
  subjectId: string;
  merchantId: string;
  livemode: number;
  version: number;
  booking: string;
  account: string;
  amountMinor: number;
  at: EpochMs;
};

/** The content of a turn, which retention deletes. */
export type ChainedTurn = {
  seq: number;
  channel: string;
  session: string;
  sequence: number;
  dialogueId: string;
  merchantId: string;
  dialler: string;
  operator: string;
  input: string | null;
  position: string | null;
  payer: string | null;
  ussdRef: string | null;
  ending: string | null;
  state: string;
  reply: string;
  screen: string;
  collectionId: string | null;
  at: EpochMs;
};

/** The part of a turn that a block contains. It is kept when retention deletes the turn. */
export type TurnDigest = { seq: number; at: EpochMs; hash: string };

/** A change of a number's settings at a merchant, with the values after it. */
export type SettingRow = {
  seq: number;
  merchantId: string;
  livemode: number;
  msisdn: string;
  language: string | null;
  optedOutAt: EpochMs | null;
  at: EpochMs;
};

/** An action of support staff, or an attempt. */
export type ChainedAction = {
  seq: number;
  at: EpochMs;
  actor: string;
  action: string;
  result: string;
  subjectKind: string;
  subjectId: string;
  merchantId: string | null;
  livemode: number;
  detail: string;
};

/** The rows of one block, each kind in the order of its sequence numbers. */
export type BlockRows = {
  facts: readonly ChainedFact[];
  postings: readonly ChainedPosting[];
  turns: readonly TurnDigest[];
  settings: readonly SettingRow[];
  actions: readonly ChainedAction[];
};

/** The highest sequence number of each kind of row up to a block. */
export type BlockEnd = {
  factSeq: number;
  postingSeq: number;
  turnSeq: number;
  settingSeq: number;
  actionSeq: number;
};

/** The part of a block, apart from its rows, that its hash covers. */
export type BlockHeader = BlockEnd & { number: number; rows: number; at: EpochMs; previousHash: string };

/** A block of the hash chain: it covers all rows after the previous block, up to its sequence numbers. */
export type Seal = BlockHeader & {
  hash: string;
  /** The key that signed the hash; null, like the signature, when the gateway has no key. */
  keyId: string | null;
  signature: string | null;
};

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
export function digestTurn(turn: ChainedTurn): TurnDigest {
  const { seq, channel, session, sequence, dialogueId, merchantId, dialler, operator, at } = turn;
  const { input, position, payer, ussdRef, ending, state, reply, screen, collectionId } = turn;
  const content = JSON.stringify([
    ...[seq, channel, session, sequence, dialogueId, merchantId, dialler, operator],
    ...[input, position, payer, ussdRef, ending, state, reply, screen, collectionId, at],
  ]);
  return { seq, at, hash: hash('sha256', content, 'hex') };
}

/**
 * Returns the hash of a block: SHA-256 over its header and each row as a JSON array on its own line. JSON separates
 * neighbouring fields unambiguously.
 */
export function hashBlock(header: BlockHeader, blockRows: BlockRows): string {
  const { facts, postings, turns, settings, actions } = blockRows;
  const { number, previousHash, factSeq, postingSeq, turnSeq, settingSeq, actionSeq, rows } = header;
  const ends = [factSeq, postingSeq, turnSeq, settingSeq, actionSeq];
  const lines = [JSON.stringify(['block', number, previousHash, ...ends, rows, header.at])];
  for (const { seq, subjectId, merchantId, version, kind, data, at } of facts)
    lines.push(JSON.stringify(['fact', seq, subjectId, merchantId, version, kind, data, at]));
  for (const {
    seq,
    subjectId,
    merchantId,
    livemode,
    version,
    booking,
    account,
    amountMinor,
    at,
  } of postings) {
    const subject = [subjectId, merchantId, livemode, version];
    const row = ['posting', seq, ...subject, booking, account, amountMinor, at];
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
