import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FactRow, genesis, hashBlock, type PostingRow } from '../../../src/gateway/ledger/chain.ts';
import { sealBlock } from '../../../src/gateway/ledger/seal.ts';
import { verifyLedger } from '../../../src/gateway/ledger/verify.ts';
import { openLedger } from './support.ts';

test('every row is sealed once; sealing again changes nothing', async () => {
  const { ledger, clock, append } = openLedger();
  expect(await sealBlock(ledger, clock)).toBeUndefined();
  await append('col_1', 3);
  const first = await sealBlock(ledger, clock);
  expect(first).toMatchObject({ number: 1, rows: 5, factSeq: 3, postingSeq: 2, previousHash: genesis.hash });
  expect(await sealBlock(ledger, clock)).toBeUndefined();
  await append('col_2', 1);
  const second = await sealBlock(ledger, clock);
  expect(second).toMatchObject({ number: 2, rows: 3, factSeq: 4, postingSeq: 4, previousHash: first?.hash });
  expect(await ledger.seals(0, 10)).toEqual([first, second]);
});

test('two concurrent sealers write one block', async () => {
  const { ledger, clock, append } = openLedger();
  await append('col_1', 3);
  const made = await Promise.all([
    sealBlock(ledger, clock),
    sealBlock(ledger, clock),
    sealBlock(ledger, clock),
  ]);
  expect(made.filter((block) => block !== undefined)).toHaveLength(1);
  expect(await ledger.seals(0, 10)).toHaveLength(1);
});

test('a row that is written between two sealers goes into the next block, and the chain stays valid', async () => {
  const { ledger, clock, append } = openLedger();
  await append('col_1', 3);
  await Promise.all([sealBlock(ledger, clock), append('col_2', 2), sealBlock(ledger, clock)]);
  await sealBlock(ledger, clock);
  expect(await sealBlock(ledger, clock)).toBeUndefined();
  const report = await verifyLedger(ledger, () => []);
  // These rows have no collection; only the chain is checked.
  expect(report.faults.filter((fault) => fault.row.startsWith('seal'))).toEqual([]);
  expect(report).toMatchObject({ facts: 5, postings: 4, unsealed: 0 });
});

test('a backlog is sealed in several blocks, without a gap', async () => {
  const { ledger, clock, append } = openLedger();
  await append('col_1', 5_000);
  await append('col_2', 2_001);
  const rows: number[] = [];
  for (let block = await sealBlock(ledger, clock); block; block = await sealBlock(ledger, clock))
    rows.push(block.rows);
  expect(rows).toEqual([5_004, 2_001]);
  expect(await verifyLedger(ledger, () => [])).toMatchObject({ blocks: 2, facts: 7_001, unsealed: 0 });
});

test('the time of a block is never before that of its predecessor', async () => {
  const { ledger, clock, append } = openLedger();
  await append('col_1', 1);
  const first = await sealBlock(ledger, clock);
  await append('col_2', 1);
  const behind = { ...clock, now: () => clock.now() - 60_000 };
  expect((await sealBlock(ledger, behind))?.at).toBe(first?.at);
});

const fact: FactRow = {
  seq: 1,
  collectionId: 'col_1',
  merchantId: 'm',
  version: 1,
  kind: 'paid',
  data: '{}',
  at: 1,
};
const posting: PostingRow = {
  seq: 1,
  collectionId: 'col_1',
  merchantId: 'm',
  livemode: 0,
  booking: 'paid',
  account: 'payers',
  amountMinor: -2_020,
  at: 1,
};

test('the hash of a known block never changes, because a stored seal must stay verifiable', () => {
  expect(hashBlock(genesis.hash, [fact], [posting])).toBe(
    '228b647e4f4b054e57334bdd267a8fd53e5e2ccdd7e61dfa533e32882a330b6d',
  );
});

test('a change to any field of any row, or to the previous hash, changes the hash', () => {
  const whole = hashBlock(genesis.hash, [fact], [posting]);
  const hashes = [
    whole,
    hashBlock('1'.repeat(64), [fact], [posting]),
    hashBlock(genesis.hash, [], [posting]),
  ];
  for (const field of Object.keys(fact))
    hashes.push(hashBlock(genesis.hash, [{ ...fact, [field]: 'changed' }], [posting]));
  for (const field of Object.keys(posting))
    hashes.push(hashBlock(genesis.hash, [fact], [{ ...posting, [field]: 'changed' }]));
  expect(new Set(hashes).size).toBe(hashes.length);
});

test('moving text between neighbouring fields changes the hash', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (kind, data, otherKind, otherData) => {
      const hash = (changed: Partial<FactRow>) => hashBlock(genesis.hash, [{ ...fact, ...changed }], []);
      const same = kind === otherKind && data === otherData;
      expect(hash({ kind, data }) === hash({ kind: otherKind, data: otherData })).toBe(same);
    }),
  );
});
