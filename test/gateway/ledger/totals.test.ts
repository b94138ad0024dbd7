import { expect, test } from 'vitest';
import { readDay } from '../../../src/gateway/ledger/day.ts';
import { sealBlock } from '../../../src/gateway/ledger/seal.ts';
import { verifyLedger } from '../../../src/gateway/ledger/verify.ts';
import { noAudits } from '../../kit/no-audits.ts';
import { openLedger } from './support.ts';

const day = 24 * 60 * 60_000;

const each = (bookings: number) => [
  { account: 'payers', livemode: 0, amountMinor: -100 * bookings, postings: bookings },
  { account: 'suspense', livemode: 0, amountMinor: 100 * bookings, postings: bookings },
];

test('balances count each posting once, whether or not a block has it', async () => {
  const { ledger, clock, append } = openLedger();
  expect(await ledger.balances()).toEqual([]);
  await append('col_1', 1);
  expect(await ledger.balances()).toEqual(each(1));
  await Promise.all([sealBlock(ledger, clock), append('col_2', 1), sealBlock(ledger, clock)]);
  expect(await ledger.balances()).toEqual(each(2));
  await sealBlock(ledger, clock);
  expect(await ledger.balances()).toEqual(each(2));
});

test('balances of a day count the postings of that day, on both sides of midnight', async () => {
  const { ledger, clock, append } = openLedger();
  const today = readDay(new Date(clock.now()).toISOString().slice(0, 10)) ?? { from: 0, to: 0 };
  const tomorrow = { from: today.to, to: today.to + day };
  await clock.advance(today.to - 1 - clock.now());
  await append('col_1', 1);
  await clock.advance(1);
  await append('col_2', 1);
  await sealBlock(ledger, clock);
  await append('col_3', 1);
  expect(await ledger.balances(today)).toEqual(each(1));
  expect(await ledger.balances(tomorrow)).toEqual(each(2));
  expect(await ledger.balances({ from: tomorrow.to, to: tomorrow.to + day })).toEqual([]);
  expect(await ledger.balances()).toEqual(each(3));
});

test.each([
  ["UPDATE account_total SET amount_minor = amount_minor + 1 WHERE account = 'suspense'", 'suspense'],
  ["UPDATE account_total SET postings = 5 WHERE account = 'payers'", 'payers'],
  ["DELETE FROM account_total WHERE account = 'payers'", 'payers'],
  ["INSERT INTO account_total VALUES ('merchant:mine', 1, 5, 1)", 'merchant:mine'],
])('the audit finds a wrong total: %s', async (sql, account) => {
  const { ledger, clock, append, apply } = openLedger();
  await append('col_1', 1);
  await sealBlock(ledger, clock);
  await append('col_2', 1);
  expect((await verifyLedger(ledger, noAudits)).faults.filter(isTotal)).toEqual([]);
  await apply(sql);
  const faults = (await verifyLedger(ledger, noAudits)).faults.filter(isTotal);
  expect(faults).toHaveLength(1);
  expect(faults[0]?.row).toContain(`total of ${account} (`);
});

test('the audit finds a total that belongs to another day', async () => {
  const { ledger, clock, append, apply } = openLedger();
  await append('col_1', 1);
  await sealBlock(ledger, clock);
  await apply("UPDATE account_day_total SET day = day + 1 WHERE account = 'payers'");
  expect((await verifyLedger(ledger, noAudits)).faults.filter(isTotal)).toHaveLength(2);
});

const isTotal = ({ row }: { row: string }) => row.startsWith('total of');
