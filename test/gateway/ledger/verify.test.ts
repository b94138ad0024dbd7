import { expect, test } from 'vitest';
import type { ChainedPosting } from '../../../src/gateway/ledger/chain.ts';
import { ledgerStore } from '../../../src/gateway/ledger/ledger-store.ts';
import { sealBlock } from '../../../src/gateway/ledger/seal.ts';
import { postingFaults, verifyLedger } from '../../../src/gateway/ledger/verify.ts';
import { ledgerAudits } from '../../../src/gateway/upkeep/ledger-audits.ts';
import type { Database } from '../../../src/sqlite/driver.ts';
import { createSqliteReader } from '../../../src/sqlite/sqlite.ts';
import { allNeedFile } from '../../kit/engine.ts';
import { noAudits } from '../../kit/no-audits.ts';
import { ledger } from '../../kit/staff-command.ts';
import { openLedger } from './support.ts';
import { collectionOf, earlierLedger, payers, tampered } from './tampering.ts';
import { tamperings } from './tamperings.ts';

allNeedFile('change the rows of a file without its triggers');

async function verify(path: string, from?: string) {
  const store = createSqliteReader(path);
  try {
    return await verifyLedger(ledgerStore(store), ledgerAudits, { from });
  } finally {
    await store.close();
  }
}

/** Runs `dialtill ledger verify` on a file. Returns its exit code and its output. */
async function command(path: string, ...options: string[]): Promise<{ code: number; printed: string }> {
  const { code, out } = await ledger(path, 'verify', ...options);
  return { code, printed: out };
}

const untouched = () => {};

test('an untouched ledger has no faults and no unsealed rows', async () => {
  const path = await tampered(untouched);
  const report = await verify(path);
  expect(report).toMatchObject({ ok: true, faults: [], collections: 4, unsealed: 0 });
  expect(report.blocks).toBeGreaterThan(3);
  const { code, printed } = await command(path);
  expect(code).toBe(0);
  expect(printed).toContain(`head of the chain: ${report.head}\nledger: ok\n`);
});

test.each(tamperings)('$what is reported with its row', async ({ sql, named }) => {
  const ids = { PAID: await collectionOf(payers.paid), SUSPENDED: await collectionOf(payers.suspended) };
  const path = await tampered((file: Database) => file.exec(sql));
  const report = await verify(path);
  expect(report.ok).toBe(false);
  const faultLines = report.faults.map(({ row, fault }) => `${row}: ${fault}`);
  const short = faultLines.map((line) =>
    line.replace(`collection ${ids.PAID}`, 'PAID').replace(`collection ${ids.SUSPENDED}`, 'SUSPENDED'),
  );
  for (const pattern of named) expect(short).toContainEqual(expect.stringMatching(pattern));

  const { code, printed } = await command(path);
  expect(code).toBe(1);
  for (const line of faultLines) expect(printed).toContain(`${line}\n`);
  expect(printed).toMatch(
    new RegExp(`\nledger: ${faultLines.length} fault${faultLines.length === 1 ? '' : 's'}\n$`),
  );
  expect(JSON.parse((await command(path, '--json')).printed)).toEqual(report);
});

test('deleted last seals leave a valid shorter chain, with another head than the stored one', async () => {
  const whole = await verify(await tampered(untouched));
  const cut = await verify(
    await tampered((file) => {
      file.exec('DELETE FROM seal WHERE number = (SELECT max(number) FROM seal)');
    }),
  );
  expect(cut.head).not.toBe(whole.head);
  expect(cut.blocks).toBe(whole.blocks - 1);
  expect(cut.unsealed).toBeGreaterThan(0);
});

const side = (booking: string, account: string, amountMinor: number): ChainedPosting => ({
  seq: 1,
  subjectId: 'col_1',
  merchantId: 'demo-shop',
  livemode: 0,
  version: 1,
  booking,
  account,
  amountMinor,
  at: 1,
});

const paidSides = [side('paid', 'payers', -5), side('paid', 'merchant:demo-shop', 5)];

const suspense = [side('suspense', 'payers', -5), side('suspense', 'suspense', 5)];

const reclassification = [
  side('reclassification', 'merchant:demo-shop', -5),
  side('reclassification', 'suspense', 5),
];

const returned = [side('return', 'suspense', -5), side('return', 'payers', 5)];

const release = [side('release', 'suspense', -5), side('release', 'merchant:demo-shop', 5)];

const reversal = [side('reversal', 'payers', 5), side('reversal', 'merchant:demo-shop', -5)];

const further = [side('further_suspense', 'payers', -7), side('further_suspense', 'suspense', 7)];

const corrected = [side('correction', 'payers', 3), side('correction', 'suspense', -3)];

const releasedAgain = [side('release', 'suspense', -7), side('release', 'merchant:demo-shop', 7)];

test.each([
  ['paid', [...paidSides, ...reversal, ...further, ...releasedAgain], []],
  [
    'failed',
    [...paidSides, ...reversal, ...further, ...releasedAgain],
    ['is failed, but its booking to the merchant is not reversed'],
  ],
  ['review', [...suspense, ...corrected], []],
  [
    'review',
    [...suspense, ...corrected, { ...side('correction', 'payers', -1), version: 2 }],
    ['its correction booking must sum to 0, found -1 pesewas'],
  ],
  ['paid', paidSides, []],
  ['paid', [...suspense, ...release], []],
  ['paid', [], ['is paid, but no booking credits the merchant']],
  ['paid', suspense, ['is paid, but no booking credits the merchant']],
  ['paid', [...paidSides, ...suspense], ['has two closing bookings: paid and suspense']],
  ['failed', [], []],
  ['failed', paidSides, ['is failed, but its booking to the merchant is not reversed']],
  ['failed', [...paidSides, ...reversal], []],
  ['failed', [...paidSides, ...reclassification, ...returned], []],
  ['paid', [...paidSides, ...reclassification, ...release], []],
  ['paid', [...paidSides, ...reclassification], ['is paid, but no booking credits the merchant']],
  [
    'failed',
    [...paidSides, ...reclassification, ...release],
    ['is failed, but its booking to the merchant is not reversed'],
  ],
  ['review', suspense, []],
  ['review', paidSides, []],
  ['accepted', suspense, ['is accepted, but has postings']],
  ['created', suspense, ['is created, but has postings']],
  ['initiating', suspense, ['is initiating, but has postings']],
  ['initiated', suspense, ['is initiated, but has postings']],
  ['expired', suspense, ['is expired, but has postings']],
  ['abandoned', suspense, ['is abandoned, but has postings']],
])('a collection that is %s has the expected booking faults: %#', (status, postings, faults) => {
  expect(postingFaults(status, postings)).toEqual(faults);
});

/** Audits a changed ledger from the head of its earlier copy. */
async function verifyFromEarlier(sql: string) {
  const { head } = await verify(await earlierLedger());
  const path = await tampered((file: Database) => file.exec(sql));
  return { head, whole: await verify(path), later: await verify(path, head) };
}

const named = (payer: string) => `(SELECT id FROM collection WHERE payer = '233${payer.slice(1)}')`;

test('an audit from a noted block reads what follows it, and finds the same head', async () => {
  const { whole, later } = await verifyFromEarlier('SELECT 1');
  expect(later).toMatchObject({ ok: true, head: whole.head, blocks: whole.blocks, unsealed: whole.unsealed });
  expect(later.facts).toBeGreaterThan(0);
  expect(later.facts).toBeLessThan(whole.facts);
  expect(later.collections).toBeLessThan(whole.collections);
});

test.each([
  ['a fact after the block', `UPDATE fact SET data = '{}' WHERE seq = (SELECT max(seq) FROM fact)`],
  [
    'a collection with a fact after the block',
    `UPDATE collection SET goods_minor = 1 WHERE id = ${named(payers.suspended)}`,
  ],
  ['a removed collection', `DELETE FROM collection WHERE id = ${named(payers.open)}`],
  ['a removed block', 'DELETE FROM seal WHERE number = (SELECT max(number) - 1 FROM seal)'],
])('an audit from a noted block finds %s that was changed', async (_, sql) => {
  const { whole, later } = await verifyFromEarlier(sql);
  expect(whole.ok).toBe(false);
  expect(later.ok).toBe(false);
});

test('an audit from a noted block does not see a change before it, which the complete audit finds', async () => {
  const { whole, later } = await verifyFromEarlier(`UPDATE fact SET data = '{}' WHERE seq = 1`);
  expect(whole.ok).toBe(false);
  expect(later.ok).toBe(true);
});

test('a noted block whose ends were moved, so that rows after it are skipped, is found', async () => {
  const { head } = await verify(await earlierLedger());
  const path = await tampered((file) =>
    file.exec(`UPDATE seal SET fact_seq = fact_seq + 1 WHERE hash = '${head}'`),
  );
  expect((await verify(path, head)).ok).toBe(false);
});

test('with an unknown block, everything is audited, and the block is reported', async () => {
  const path = await tampered(() => {});
  const report = await verify(path, 'f'.repeat(64));
  expect(report.faults.map(({ row }) => row)).toEqual(['head']);
  expect(report.facts).toBe((await verify(path)).facts);
});

test('many small blocks are verified with a few reads', async () => {
  const { ledger, clock, append } = openLedger();
  for (let block = 0; block < 60; block++) {
    await append(`col_${block}`, 1);
    await sealBlock(ledger, clock);
  }
  let reads = 0;
  const counted: typeof ledger = {
    ...ledger,
    blockRows(range) {
      reads += 1;
      return ledger.blockRows(range);
    },
  };
  const report = await verifyLedger(counted, noAudits);
  expect(report).toMatchObject({ blocks: 60, unsealed: 0 });
  expect(report.faults.filter(({ row }) => row.startsWith('seal'))).toEqual([]);
  expect(reads).toBe(1);
});

test('one changed row among many small blocks is reported with its block only', async () => {
  const { ledger, clock, append, apply } = openLedger();
  for (let block = 0; block < 20; block++) {
    await append(`col_${block}`, 1);
    await sealBlock(ledger, clock);
  }
  await apply('DROP TRIGGER fact_no_update');
  await apply("UPDATE fact SET data = '[]' WHERE seq = 7");
  const faults = (await verifyLedger(ledger, noAudits)).faults.filter(({ row }) => row.startsWith('seal'));
  expect(faults.map(({ row }) => row)).toEqual(['seal 7']);
});
