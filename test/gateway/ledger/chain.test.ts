import { getTableColumns } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as schema from '../../../src/gateway/database/schema.ts';
import {
  type BlockHeader,
  type BlockRows,
  type ChainedAction,
  type ChainedFact,
  type ChainedPosting,
  countRows,
  digestTurn,
  genesis,
  groupEntries,
  hashBlock,
} from '../../../src/gateway/ledger/chain.ts';

const fact: ChainedFact = {
  seq: 1,
  subjectId: 'col_1',
  merchantId: 'm',
  version: 1,
  kind: 'paid',
  data: '{}',
  at: 1,
};
const posting: ChainedPosting = {
  seq: 1,
  subjectId: 'col_1',
  merchantId: 'm',
  livemode: 0,
  version: 1,
  booking: 'paid',
  account: 'payers',
  amountMinor: -2_020,
  at: 1,
};

const turn: Parameters<typeof digestTurn>[0] = {
  ...{
    seq: 1,
    channel: 'till',
    session: 's-1',
    sequence: 1,
    dialogueId: 'dlg_1',
    merchantId: 'm',
    dialler: '233',
  },
  ...{ operator: 'mtn', input: '1', position: null, payer: null, ussdRef: null, ending: null, state: '{}' },
  ...{ reply: 'continue', screen: 'Amount in GHS', collectionId: null, at: 1 },
};
const setting: BlockRows['settings'][number] = {
  ...{ seq: 1, merchantId: 'm', livemode: 0, msisdn: '233', language: null, optedOutAt: 1, at: 1 },
};
const action: ChainedAction = {
  ...{ seq: 1, at: 1, actor: 'ama', action: 'note', result: 'done', subjectKind: 'collection' },
  ...{ subjectId: 'col_1', merchantId: 'm', livemode: 0, detail: '{}' },
};
const header: BlockHeader = {
  ...{ number: 1, factSeq: 1, postingSeq: 1, turnSeq: 1, settingSeq: 1, actionSeq: 1, rows: 5, at: 2 },
  previousHash: genesis.hash,
};
const rows: BlockRows = {
  facts: [fact],
  postings: [posting],
  turns: [digestTurn(turn)],
  settings: [setting],
  actions: [action],
};

test('the hash of a known block never changes, because a stored seal must stay verifiable', () => {
  expect(hashBlock(header, rows)).toBe('9725614f385a7121ef8c9dcbb8301fd518e07ae229c7eb1276302453db9db6f2');
});

test('a change to any field of the block or of any row changes the hash', () => {
  const hashes = [hashBlock(header, rows), hashBlock(header, { ...rows, facts: [] })];
  for (const field of Object.keys(header)) hashes.push(hashBlock({ ...header, [field]: 'changed' }, rows));
  for (const field of Object.keys(fact))
    hashes.push(hashBlock(header, { ...rows, facts: [{ ...fact, [field]: 'changed' }] }));
  for (const field of Object.keys(posting))
    hashes.push(hashBlock(header, { ...rows, postings: [{ ...posting, [field]: 'changed' }] }));
  for (const field of Object.keys(turn))
    hashes.push(hashBlock(header, { ...rows, turns: [digestTurn({ ...turn, [field]: 'changed' })] }));
  for (const field of Object.keys(setting))
    hashes.push(hashBlock(header, { ...rows, settings: [{ ...setting, [field]: 'changed' }] }));
  for (const field of Object.keys(action))
    hashes.push(hashBlock(header, { ...rows, actions: [{ ...action, [field]: 'changed' }] }));
  expect(new Set(hashes).size).toBe(hashes.length);
});

test('a block covers every column of its tables', () => {
  const columns = (table: SQLiteTable) => Object.keys(getTableColumns(table)).sort();
  expect(Object.keys(fact).sort()).toEqual(columns(schema.fact));
  expect(Object.keys(posting).sort()).toEqual(columns(schema.posting));
  expect(Object.keys(turn).sort()).toEqual(columns(schema.turn));
  expect(Object.keys(setting).sort()).toEqual(columns(schema.diallerSettingChange));
  expect(Object.keys(action).sort()).toEqual(columns(schema.staffAction));
  expect(Object.keys(digestTurn(turn)).sort()).toEqual(columns(schema.deletedTurn));
});

test('moving text between neighbouring fields changes the hash', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (kind, data, otherKind, otherData) => {
      const hash = (changed: Partial<ChainedFact>) =>
        hashBlock(header, { ...rows, facts: [{ ...fact, ...changed }] });
      const same = kind === otherKind && data === otherData;
      expect(hash({ kind, data }) === hash({ kind: otherKind, data: otherData })).toBe(same);
    }),
  );
});

test('the first block follows one without rows, whose hash is 64 zeros', () => {
  const ends = { factSeq: 0, postingSeq: 0, turnSeq: 0, settingSeq: 0, actionSeq: 0 };
  expect(genesis).toEqual({
    ...{ number: 0, ...ends, rows: 0, at: 0, previousHash: '' },
    ...{ hash: '0'.repeat(64), keyId: null, signature: null },
  });
});

test('the rows of a block are those of all kinds', () => {
  const { facts, postings, turns, settings, actions } = rows;
  expect(countRows(rows)).toBe(5);
  const doubled = [...turns, ...turns];
  expect(countRows({ facts: [], postings, turns: doubled, settings: [], actions })).toBe(4);
  expect(countRows({ facts, postings: [], turns: [], settings, actions: [] })).toBe(2);
});

test('facts and postings are found by their subject', () => {
  const other = { ...fact, subjectId: 'col_2' };
  const entries = groupEntries([fact, other], [posting]);
  expect(entries('col_1')).toEqual({ facts: [fact], postings: [posting] });
  expect(entries('col_2')).toEqual({ facts: [other], postings: [] });
  expect(entries('col_3')).toEqual({ facts: [], postings: [] });
});
