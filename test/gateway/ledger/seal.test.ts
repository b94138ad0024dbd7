import { expect, test } from 'vitest';
import { genesis } from '../../../src/gateway/ledger/chain.ts';
import { sealBlock, sealJob } from '../../../src/gateway/ledger/seal.ts';
import { verifyLedger } from '../../../src/gateway/ledger/verify.ts';
import { noAudits } from '../../kit/no-audits.ts';
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

test('of several gateways, the one whose turn comes soon after a block leaves its own out, and the next row has one in time', async () => {
  const { ledger, clock, append } = openLedger();
  let members = 2;
  const job = sealJob({ ledger, clock, key: undefined, countMembers: () => members }, 1_000);
  const sealed = async () => (await ledger.seals(0, 10)).length;
  await append('col_1', 1);
  await job.run(clock.now());
  await append('col_2', 1);
  await clock.advance(499);
  await job.run(clock.now());
  expect(await sealed()).toBe(1);
  await clock.advance(1);
  await job.run(clock.now());
  expect(await sealed()).toBe(2);
  // A gateway alone seals at each of its turns.
  members = 1;
  await append('col_3', 1);
  await job.run(clock.now());
  expect(await sealed()).toBe(3);
});

test('a row that is written between two sealers goes into the next block, and the chain stays valid', async () => {
  const { ledger, clock, append } = openLedger();
  await append('col_1', 3);
  await Promise.all([sealBlock(ledger, clock), append('col_2', 2), sealBlock(ledger, clock)]);
  await sealBlock(ledger, clock);
  expect(await sealBlock(ledger, clock)).toBeUndefined();
  const report = await verifyLedger(ledger, noAudits);
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
  expect(rows).toEqual([504, ...Array(13).fill(500), 1]);
  expect(await verifyLedger(ledger, noAudits)).toMatchObject({ blocks: 15, facts: 7_001, unsealed: 0 });
});

const minute = 60_000;

test('blocks that seal rows of several minutes long after they were written are reported, as after a removal of all blocks', async () => {
  const { ledger, clock, append } = openLedger();
  for (const collectionId of ['col_1', 'col_2', 'col_3']) {
    await append(collectionId, 300);
    await clock.advance(3 * minute);
  }
  await clock.advance(13 * minute);
  const sealedAt = clock.now();
  await sealBlock(ledger, clock);
  await sealBlock(ledger, clock);
  expect((await verifyLedger(ledger, noAudits)).lateBlocks).toEqual([
    { from: 1, to: 2, oldestRowAt: sealedAt - 22 * minute, sealedAt },
  ]);
});

test('a gateway that ends abnormally and starts later seals its last rows late without a warning', async () => {
  const { ledger, clock, append } = openLedger();
  for (const collectionId of ['col_1', 'col_2', 'col_3']) {
    await append(collectionId, 3);
    await clock.advance(24 * 60 * minute);
    // Rows of the start, in the same block.
    await append(`${collectionId}_later`, 3);
    await sealBlock(ledger, clock);
  }
  expect(await verifyLedger(ledger, noAudits)).toMatchObject({ blocks: 3, unsealed: 0, lateBlocks: [] });
});

test('the time of a block is never before that of its predecessor', async () => {
  const { ledger, clock, append } = openLedger();
  await append('col_1', 1);
  const first = await sealBlock(ledger, clock);
  await append('col_2', 1);
  const behind = { ...clock, now: () => clock.now() - 60_000 };
  expect((await sealBlock(ledger, behind))?.at).toBe(first?.at);
});
