import { expect, test } from 'vitest';
import type { PostingRow } from '../../../src/gateway/ledger/chain.ts';
import { ledgerStore } from '../../../src/gateway/ledger/ledger-store.ts';
import { postingFaults, verifyLedger } from '../../../src/gateway/ledger/verify.ts';
import { ledgerAudits } from '../../../src/gateway/upkeep/ledger-audits.ts';
import type { Database } from '../../../src/sqlite/driver.ts';
import { createSqliteReader } from '../../../src/sqlite/sqlite.ts';
import { allNeedFile } from '../../kit/engine.ts';
import { ledger } from '../../kit/ledger-command.ts';
import { collectionOf, payers, tampered } from './tampering.ts';
import { tamperings } from './tamperings.ts';

allNeedFile('change the rows of a file without its triggers');

async function verify(path: string) {
  const store = createSqliteReader(path);
  try {
    return await verifyLedger(ledgerStore(store), ledgerAudits);
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

const side = (booking: string, account: string, amountMinor: number): PostingRow => ({
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
