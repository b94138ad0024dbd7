import { expect, test } from 'vitest';
import { readDay } from '../../src/gateway/ledger/day.ts';
import type { Balance } from '../../src/gateway/ledger/entry-store.ts';
import { runLedger } from '../kit/staff-command.ts';
import { createTill, paidEvent, type Till } from '../kit/till.ts';

test.each(['africastalking', 'nalo'] as const)(
  'a payer dials through %s, approves, and is booked once',
  async (channel) => {
    const till = await createTill();
    const end = await till.pay('0244123456', ['1', '20', '1'], channel);
    expect(end).toMatch(/Approve GHS 20.00 to Demo Shop/);
    await till.untilStatus('0244123456', 'initiated');
    const row = await till.approved();
    expect(row).toMatchObject({
      amountMinor: 2020,
      feeMinor: 20,
      netMinor: 2000,
      amountSource: 'webhook',
      late: 0,
    });
    const { postings } = await till.record(row.id);
    expect(postings.map(({ account, amountMinor }) => [account, amountMinor])).toEqual([
      ['payers', -2020],
      ['merchant:demo-shop', 2000],
      ['service_fees', 20],
    ]);
    // One poll confirms the payment that the event reported.
    await till.until(async () => (await till.only(row.id)).confirmedAt !== null, 2_000);
    expect(till.calls.map((call) => call.name)).toEqual(['create', 'initiate', 'status']);
    expect((await till.verify()).faults).toEqual([]);
  },
);

test('each claim reads its collection once, and each answer is one batch', async () => {
  const reads: string[] = [];
  const batches: string[] = [];
  const till = await createTill({
    wrapStore: (store) => ({
      ...store,
      query(sql, args, result) {
        const table =
          /from "(collection|unplaced_payment)" (?:left join .+ )?where \(?"\1"\."(id|session_id)" = \?/.exec(
            sql,
          );
        if (table?.[1]) reads.push(`${table[1]} by ${table[2]}`);
        return store.query(sql, args, result);
      },
      apply(batch, signal) {
        batches.push(
          batch.map(({ sql }) => /(?:update|insert into|delete from) "(\w+)"/.exec(sql)?.[1]).join(),
        );
        return store.apply(batch, signal);
      },
    }),
  });
  await till.pay('0244123456', ['1', '20', '1'], 'africastalking');
  await till.untilStatus('0244123456', 'initiated');
  const row = await till.approved();
  await till.until(async () => (await till.only(row.id)).confirmedAt !== null, 2_000);
  const [create, prompt, poll] = Array.from({ length: 3 }, () => 'collection by id');
  const event = ['collection by session_id', 'unplaced_payment by session_id'];
  expect(reads).toEqual([create, prompt, ...event, poll]);
  const opened = batches.findIndex((tables) => tables.startsWith('turn,collection'));
  const after = batches.slice(opened + 1).filter((tables) => /^(collection|inbox)/.test(tables));
  // A claim is a statement of its own.
  expect(after).toEqual([
    'collection,fact,job,inbox',
    ...['collection,fact,job,job', 'collection,fact,job'],
    ...['inbox', 'collection,fact,job,posting,posting,posting,inbox'],
    'collection,fact,job',
  ]);
});

/** Runs `dialtill ledger balances` for one day, or in total. */
async function balances(till: Till, ...options: string[]): Promise<Balance[]> {
  const { out, err, code } = await runLedger('', ['balances', '--json', ...options], {
    database: () => till.ledger.location,
  });
  if (code !== 0) throw new Error(err);
  return (JSON.parse(out) as { balances: Balance[] }).balances;
}

const merchant = (all: readonly Balance[]) =>
  all.find(({ account }) => account === 'merchant:demo-shop')?.amountMinor ?? 0;

/** Pays once for each time, so that the payment is booked at that time. */
async function payAt(till: Till, times: readonly string[]): Promise<void> {
  const rows = [];
  for (const [n] of times.entries()) rows.push(await till.prompted(`02440000${String(n).padStart(2, '0')}`));
  for (const [n, time] of times.entries()) {
    const row = rows[n];
    if (!row) throw new Error('no collection');
    await till.clock.advance(Date.parse(time) - till.clock.now());
    expect(till.clock.now()).toBe(Date.parse(time));
    await till.deliver(paidEvent(row, `evt_${n}`));
    await till.clock.advance(0);
    expect((await till.record(row.id)).postings.map(({ at }) => at)).toEqual(Array(3).fill(Date.parse(time)));
  }
}

/** Time from the first payment to the last prompt. */
const skipTo = (till: Till, time: string) => till.clock.skip(Date.parse(time) - 120_000 - till.clock.now());

const midnights = [
  { around: 'an ordinary midnight', before: '2026-03-06', after: '2026-03-07' },
  { around: 'the beginning of a 29th of February', before: '2028-02-28', after: '2028-02-29' },
  { around: 'the end of a 29th of February', before: '2028-02-29', after: '2028-03-01' },
  { around: 'the end of a February without one', before: '2027-02-28', after: '2027-03-01' },
  { around: 'the end of a year', before: '2026-12-31', after: '2027-01-01' },
];

test.each(midnights)(
  'S39: each payment around $around belongs to one business day, and the days add up to the total',
  async ({ before, after }) => {
    const till = await createTill({ service: { rail: { promptLifetimeMs: 3_600_000 } } });
    const midnight = `${after}T00:00:00.000Z`;
    await skipTo(till, midnight);
    await payAt(till, [`${before}T23:59:59.999Z`, midnight, `${after}T00:00:01.000Z`]);
    const [first, second, all] = [
      await balances(till, '--day', before),
      await balances(till, '--day', after),
      await balances(till),
    ];
    expect([merchant(first), merchant(second), merchant(all)]).toEqual([2_000, 4_000, 6_000]);
    for (const of of [first, second, all]) {
      expect(of.reduce((sum, { amountMinor }) => sum + amountMinor, 0)).toBe(0);
    }
    for (const { account, amountMinor, postings } of all) {
      const days = [...first, ...second].filter((one) => one.account === account);
      expect(days.reduce((sum, one) => sum + one.amountMinor, 0)).toBe(amountMinor);
      expect(days.reduce((sum, one) => sum + one.postings, 0)).toBe(postings);
    }
    expect((await till.verify()).faults).toEqual([]);
  },
);

test('S39: every instant from 2024 to 2033 belongs to exactly one day', () => {
  let at = Date.parse('2024-01-01T00:00:00.000Z');
  const end = Date.parse('2033-01-01T00:00:00.000Z');
  while (at < end) {
    const day = readDay(new Date(at).toISOString().slice(0, 10));
    expect(day?.from).toBe(at);
    at = day?.to ?? end;
  }
  expect(at).toBe(end);
});

test.each(['2026-02-29', '2026-2-01', '2026-13-01', '2026-04-31', '20260401', 'today', ''])(
  'S39: %j is not a date',
  (day) => {
    expect(readDay(day)).toBeUndefined();
  },
);

test('S39: an invalid date is an error, never the total', async () => {
  const till = await createTill();
  await expect(balances(till, '--day', '2026-02-29')).rejects.toThrow('expected a date such as 2026-03-06');
});
