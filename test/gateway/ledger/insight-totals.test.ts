import { expect, test } from 'vitest';
import { addNextRows } from '../../../src/gateway/insights/insight-store.ts';
import { retentionStore } from '../../../src/gateway/upkeep/retention-store.ts';
import type { Store } from '../../../src/sqlite/store.ts';
import { needsFile } from '../../kit/engine.ts';
import { createTill, type Till } from '../../kit/till.ts';

type Counter = { till: Till; store(): Store; count(limit: number): Promise<void> };

/** Creates a till, and the function that counts everything in batches of some rows. */
async function createCounter(): Promise<Counter> {
  const used: Store[] = [];
  const wrapStore = (store: Store) => {
    used.push(store);
    return store;
  };
  const till = await createTill({ wrapStore });
  const store = () => used.at(-1) as Store;
  return {
    ...{ till, store },
    async count(limit) {
      while (await addNextRows(store(), limit));
    },
  };
}

type Sums = Record<string, number>;

/** Returns the counts of all hours, such as `amount shown`. */
async function screens(till: Till): Promise<Sums> {
  const sql = `SELECT screen, measure, sum(count) FROM screen_total WHERE unit = 'hour' GROUP BY screen, measure HAVING sum(count) <> 0`;
  const rows = (await till.read((one) => one.query(sql, [], 'rows'))) as [string, string, number][];
  return Object.fromEntries(rows.map(([screen, measure, sum]) => [`${screen} ${measure}`.trim(), sum]));
}

/** Returns the number and the charged sum of each outcome. */
async function payments(till: Till): Promise<Record<string, number[]>> {
  const sql = `SELECT outcome, sum(payments), sum(charged_minor) FROM payment_total WHERE unit = 'day' GROUP BY outcome HAVING sum(payments) <> 0`;
  const rows = (await till.read((one) => one.query(sql, [], 'rows'))) as [string, number, number][];
  return Object.fromEntries(rows.map(([outcome, ...sums]) => [outcome, sums]));
}

/** Dials that end in every way, and payments with several outcomes. */
async function play(till: Till): Promise<void> {
  await till.paidPayment('0244123456');
  await till.prompted('0201234567');
  await till.decline('0201234567');
  const refused = till.phone('0501234567');
  await refused.dial();
  await refused.press('Pay with this number');
  await refused.type('20,5', 'twenty', '0.50');
  const no = till.phone('0551234567');
  await no.dial();
  await no.press('Pay with this number');
  await no.type('6000', '20');
  await no.press('No');
  const left = till.phone('0271234567');
  await left.dial();
  await left.press('Pay a bill');
  await left.leave();
}

test('dialogues and payments are counted by what became of them', async () => {
  const { till, count } = await createCounter();
  await play(till);
  await till.phone('0261234567').dial();
  await till.clock.advance(60_000);
  await count(1_000);
  const counted = await screens(till);
  expect(counted).toMatchObject({
    begun: 6,
    answered: 5,
    opened: 2,
    'welcome shown': 6,
    'welcome left.unanswered': 1,
    'bill left.hung_up': 1,
    'amount reached': 4,
    'amount shown': 7,
    'amount refused.comma': 1,
    'amount refused.letters': 1,
    'amount refused.below': 1,
    'amount refused.above': 1,
    'amount left.refused_inputs': 1,
    'confirm reached': 3,
    'confirm opened': 2,
    'confirm left.chose_no': 1,
    'welcome time.4': 5,
  });
  const left = Object.entries(counted).filter(([name]) => name.includes(' left.'));
  expect(left.reduce((sum, [, one]) => sum + one, 0) + 2).toBe(6);
  expect(await payments(till)).toEqual({ paid: [1, 2_020], declined: [1, 0] });
});

test('batches of any size add up to the same totals, and to those of the audit', async () => {
  const { till, count } = await createCounter();
  const prompted = await till.prompted('0241111111');
  await count(1);
  expect(await payments(till)).toEqual({ waiting: [1, 0] });
  await till.approve('0241111111');
  await till.until(async () => (await till.only('0241111111')).status === 'paid', 60_000);
  await count(2);
  await count(1_000);
  expect(await payments(till)).toEqual({ paid: [1, 2_020] });
  await play(till);
  await count(3);
  expect((await till.verify()).faults).toEqual([]);
  expect(prompted.status).toBe('initiated');
});

test('a running gateway counts new rows within seconds', async () => {
  const till = await createTill({ overrides: () => ({ maxIdleMs: 1_000 }) });
  await till.paidPayment('0244123456');
  await till.clock.advance(12_000);
  expect((await screens(till)).begun).toBe(1);
  expect(await payments(till)).toEqual({ paid: [1, 2_020] });
});

test('two gateways that count at the same time count each row once', async () => {
  const { till, count } = await createCounter();
  await till.paidPayment('0244123456');
  await Promise.all([count(3), count(3), count(4)]);
  await count(100);
  expect((await screens(till)).begun).toBe(1);
  expect((await till.verify()).faults).toEqual([]);
});

test('the audit compares only dialogues that retention cannot have deleted', async () => {
  const { till, store, count } = await createCounter();
  await till.paidPayment('0244123456');
  await count(1_000);
  await till.clock.advance(3_600_000);
  expect(await retentionStore(store()).deleteDialogues(till.clock.now(), 10)).toBe(1);
  expect((await screens(till)).begun).toBe(1);
  expect((await till.verify()).faults.map((one) => one.fault)).not.toContain('differ from the turns');
});

needsFile('changes totals as a person with write access to the file').each([
  [
    "UPDATE screen_total SET count = count + 1 WHERE unit = 'hour' AND measure = 'begun'",
    'differ from the turns',
  ],
  ["DELETE FROM payment_total WHERE unit = 'hour'", 'differ from the facts'],
  [
    "UPDATE payment_total SET charged_minor = 1 WHERE unit = 'day' AND outcome = 'paid'",
    'differ from those of the hours',
  ],
  ['UPDATE totals_mark SET turn_seq = 0', 'differ from the turns'],
])('the audit finds a wrong total: %s', async (sql, fault) => {
  const { till, count } = await createCounter();
  await till.paidPayment('0244123456');
  await count(1_000);
  expect((await till.verify()).faults).toEqual([]);
  await till.write([{ sql, args: [] }]);
  expect((await till.verify()).faults.map((one) => one.fault)).toContain(fault);
});
