import { expect, test } from 'vitest';
import type { AmountMinor } from '../../src/shared/money.ts';
import { createBench, number } from '../gateway/collection/bench.ts';
import { queryPlansOf } from '../kit/query-plans.ts';
import { ledger, printed } from '../kit/staff-command.ts';
import { createTill, paidEvent } from '../kit/till.ts';
import { onlyUnplaced, paidOf } from '../kit/unplaced.ts';
import { readCsv } from '../security/read-csv.ts';

async function exported(file: string, ...args: string[]): Promise<Record<string, string>[]> {
  const [head = [], ...records] = readCsv(await printed(file, 'export', ...args));
  return records.map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at] ?? ''])));
}

const sumOf = (rows: readonly Record<string, string>[], name: string) =>
  rows.reduce((sum, row) => sum + Number(row[`received_${name}_pesewas`]), 0);

/** The received amounts of an export, as balances of the accounts. */
const balancesOf = (rows: readonly Record<string, string>[]) => ({
  payers: 0 - sumOf(rows, 'amount'),
  'merchant:demo-shop': sumOf(rows, 'net'),
  service_fees: sumOf(rows, 'fee'),
  suspense: sumOf(rows, 'suspended'),
});

async function balances(file: string, ...args: string[]) {
  const { balances: rows }: { balances: { account: string; amountMinor: number }[] } = JSON.parse(
    await printed(file, 'balances', '--json', ...args),
  );
  const none = { payers: 0, 'merchant:demo-shop': 0, service_fees: 0, suspense: 0 };
  return { ...none, ...Object.fromEntries(rows.map(({ account, amountMinor }) => [account, amountMinor])) };
}

test('the received amounts of an export by booking time equal the balances of the same day, and of all time', async () => {
  const till = await createTill({ service: { rail: { promptLifetimeMs: 7 * 24 * 3_600_000 } } });
  const file = till.config.database.file;
  const rows = [];
  for (const payer of ['0244000001', '0244000002', '0244000003']) rows.push(await till.prompted(payer));
  const [first, short, late] = rows as [(typeof rows)[0], (typeof rows)[0], (typeof rows)[0]];
  await till.deliverHandled(paidEvent(first, 'evt_1'));
  await till.deliverHandled(paidEvent(short, 'evt_2', { amount_minor: 1_010, expected_net_minor: 990 }));
  await till.clock.skip(24 * 3_600_000);
  await till.deliverHandled(paidEvent(late, 'evt_3'));
  await till.pay('0244000004');
  await till.clock.advance(10_000);

  const days = ['2026-03-06', '2026-03-07'];
  for (const day of days) {
    const booked = await exported(file, '--by', 'booked', '--from', day, '--to', day);
    expect(balancesOf(booked), day).toEqual(await balances(file, '--day', day));
    expect(booked.every((row) => row.booked_at?.startsWith(day))).toBe(true);
  }
  const booked = await exported(file, '--by', 'booked');
  expect(booked.map(({ bookings, collection }) => [collection, bookings])).toEqual([
    [first.id, 'paid'],
    [short.id, 'suspense'],
    [late.id, 'paid'],
  ]);
  const opened = await exported(file);
  expect(balancesOf(opened)).toEqual(await balances(file));
  expect(balancesOf(booked)).toEqual(await balances(file));
});

test('unplaced payments have lines of their own by booking time, so that the sums stay equal to the balances', async () => {
  const till = await createTill();
  const file = till.config.database.file;
  const row = await till.prompted();
  await till.deliverHandled(paidEvent(row));
  await till.deliver(paidOf('pay_elsewhere_1'));
  await till.clock.advance(1_000);
  const booked = await exported(file, '--by', 'booked');
  expect(booked[1]).toMatchObject({
    ...{ collection: (await onlyUnplaced(till)).id, status: 'unplaced open', merchant: 'demo-shop' },
    ...{ received_suspended_pesewas: '2020', bookings: 'suspense', goods_pesewas: '' },
  });
  expect(balancesOf(booked)).toEqual(await balances(file));
  expect(await exported(file, '--by', 'booked', '--merchant', 'demo-shop')).toHaveLength(2);
  expect(await exported(file, '--by', 'booked', '--status', 'paid')).toHaveLength(1);
});

test('received columns are empty unless money arrived, and the quote stays beside what arrived', async () => {
  const till = await createTill();
  const file = till.config.database.file;
  const row = await till.prompted();
  const received = ['received_amount_pesewas', 'received_net_cedis', 'received_fee_cedis', 'booked_at'];
  const [open] = await exported(file);
  expect(received.map((name) => open?.[name])).toEqual(['', '', '', '']);
  expect(open).toMatchObject({ quoted_total_pesewas: '2020', bookings: '' });
  await till.deliverHandled(paidEvent(row, 'evt_1', { amount_minor: 1_010, expected_net_minor: 990 }));
  const [short] = await exported(file, '--csv');
  expect(short).toMatchObject({
    quoted_total_cedis: '20.20',
    received_amount_cedis: '10.10',
    received_suspended_cedis: '10.10',
    received_net_cedis: '0.00',
    bookings: 'suspense',
  });
});

test('an export by booking time has one line per booking on every page, also for money that was booked back', async () => {
  const { open, file, store, clock } = createBench();
  const count = 400;
  for (let n = 0; n < count; n++) {
    const { row } = await open({ payer: number(n), goodsMinor: 1_000 as AmountMinor });
    const bookings = [
      ['paid', -1_010, 1_000, 10],
      ...(n % 4 === 0 ? [['reversal', 1_010, -1_000, -10]] : []),
    ] as const;
    const postings = bookings.flatMap(([booking, ...minor]) =>
      ['payers', 'merchant:demo-shop', 'service_fees'].map((account, at) => ({
        sql: `INSERT INTO posting (subject_id, merchant_id, livemode, version, booking, account, amount_minor, at)
              VALUES (?, 'demo-shop', 0, 9, ?, ?, ?, ?)`,
        args: [row.id, booking, account, minor[at] ?? 0, clock.now()],
      })),
    );
    expect(await store.apply(postings)).toBe(true);
    if (n % 7 === 0) await clock.advance(1);
  }
  const rows = await exported(file, '--by', 'booked', '--from', '2026-03-06');
  expect(rows).toHaveLength(count + count / 4);
  expect(new Set(rows.map(({ collection, bookings }) => `${collection} ${bookings}`)).size).toBe(rows.length);
  expect(rows.every((row) => Math.abs(Number(row.received_amount_pesewas)) === 1_010)).toBe(true);
  expect(rows[1]).toMatchObject({ bookings: 'reversal', received_amount_cedis: '-10.10' });
  expect(balancesOf(rows)).toEqual(await balances(file));
});

test('an export of a day and the balances of a day read only the postings of that day', async () => {
  const { file } = createBench();
  const plans = await queryPlansOf(file, async () => {
    await printed(file, 'export', '--by', 'booked', '--from', '2026-03-06', '--to', '2026-03-06');
    await printed(file, 'balances', '--day', '2026-03-06');
  });
  const steps = plans.filter(({ sql }) => sql.includes('"posting"')).map((plan) => plan.steps[0]);
  expect(steps).toContain('SEARCH posting USING INDEX posting_at (at>? AND at<?)');
  expect(steps.filter((step) => step?.startsWith('SCAN'))).toEqual([]);
});

test('an export completes the values of its filter, and refuses those that no collection has', async () => {
  const till = await createTill();
  await till.paidPayment('0244000001');
  const { file } = till.config.database;
  expect(await exported(file, '--merchant', 'demo')).toHaveLength(1);
  for (const [option, value] of [
    ['--merchant', 'nope'],
    ['--channel', 'nope'],
    ['--network', 'xx'],
    ['--reason', 'nope'],
  ] as const) {
    const { out, err, code } = await ledger(file, 'export', option, value);
    expect({ out, code, option }).toEqual({ out: '', code: 1, option });
    expect(err).toContain(`found “${value}”`);
  }
});
