import { expect, test } from 'vitest';
import { registerInsights } from '../../../src/cli/commands/insights.ts';
import { type Insights, insights } from '../../../src/contract/merchant/insights.ts';
import { readInsightDays } from '../../../src/gateway/insights/insight-days.ts';
import { readInsights } from '../../../src/gateway/insights/insights-query.ts';
import { runCommand } from '../../kit/command.ts';
import { needsFile } from '../../kit/engine.ts';
import { callApi, createMerchantKey } from '../../kit/merchant-api.ts';
import { scrapeAll } from '../../kit/scrape.ts';
import { withStaff } from '../../kit/staff.ts';
import { createTill, day, type Till } from '../../kit/till.ts';
import { deliver, paidOf } from '../../kit/unplaced.ts';

async function read(till: Till, merchantId: string | null = null, from?: string, to?: string) {
  const now = till.clock.now();
  const days = readInsightDays({ from, to }, now);
  if ('message' in days) throw new Error(days.message);
  return till.read((store) => readInsights(store, { ...days, now, merchantId, livemode: 0 }));
}

async function payAndDecline(till: Till, numbers: readonly [string, string]): Promise<void> {
  await till.paidPayment(numbers[0]);
  await till.prompted(numbers[1]);
  await till.declined(numbers[1]);
}

test('metrics of today have the figures of the day, with its networks and the ends of its dialogues', async () => {
  const till = await createTill();
  await payAndDecline(till, ['0244123456', '0201234567']);
  const left = till.phone('0271234567');
  await left.dial();
  await left.leave();
  // The job that adds new rows runs meanwhile.
  await till.clock.advance(20 * 60_000);
  const { payments, dialogues, screens } = await read(till);
  const found = await scrapeAll(till);
  const sumOf = (name: string, labels: object) =>
    (found.get(`dialtill_today_${name}`)?.samples ?? [])
      .filter((one) => Object.entries(labels).every(([label, value]) => one.labels[label] === value))
      .reduce((sum, { value }) => sum + value, 0);
  expect(sumOf('payments', {})).toBe(payments.opened);
  expect(sumOf('payments', { network: 'mtn', outcome: 'paid' })).toBe(payments.paid);
  expect(sumOf('payments', { network: 'telecel', outcome: 'declined' })).toBe(1);
  expect(sumOf('charged_pesewas', {})).toBe(payments.charged_minor);
  for (const result of ['begun', 'answered', 'opened'] as const)
    expect(sumOf('dialogues', { result })).toBe(dialogues[result]);
  const gaveUp = screens.reduce((sum, one) => sum + one.gave_up, 0);
  expect(gaveUp).toBe(1);
  expect(sumOf('dialogues', { result: 'hung_up' }) + sumOf('dialogues', { result: 'unanswered' })).toBe(1);
});

test('the figures of today are compared with the same weekday until the same minute', async () => {
  const till = await createTill();
  await payAndDecline(till, ['0244123456', '0201234567']);
  await till.clock.advance(20 * 60_000);
  // Opened after the minute with which today is compared.
  await till.paidPayment('0551234567');
  const minute = till.clock.now() - 10 * 60_000;
  await till.clock.advance(minute + 7 * day - till.clock.now() - 60_000);
  await till.paidPayment('0271234567');
  const found = await read(till);
  expect(found.payments).toMatchObject({ opened: 1, paid: 1, charged_minor: 2_020, success_rate: 1 });
  expect(found.compared_with.payments).toMatchObject({
    ...{ opened: 2, paid: 1, not_paid: 1, charged_minor: 2_020, success_rate: 0.5 },
  });
  expect(found.dialogues.begun).toBe(1);
  expect(found.compared_with.dialogues).toEqual({ begun: 2, answered: 2, opened: 2 });
  expect(found.networks).toEqual([
    { network: 'at', paid: 1, not_paid: 0, success_rate: 1, success_rate_before: null },
  ]);
  const week = await read(till, null, found.compared_with.from.slice(0, 10), found.to);
  expect(week.payments).toMatchObject({ opened: 4, paid: 3, not_paid: 1, charged_minor: 6_060 });
  expect(week.days.reduce((sum, one) => sum + one.charged_minor, 0)).toBe(6_060);
});

test('steps, screens, hours and outcomes add up to the dialogues and payments of the day', async () => {
  const till = await createTill();
  await payAndDecline(till, ['0244123456', '0201234567']);
  await till.prompted('0551234567');
  const left = till.phone('0271234567');
  await left.dial();
  await left.press('Pay with this number');
  await left.leave();
  await deliver(till, paidOf('pay_elsewhere_1'));
  const found = await read(till);
  expect(found.steps.map((one) => one.dialogues)).toEqual([4, 4, 3, 3, 3, 1]);
  expect(found.outcomes).toEqual([
    { outcome: 'declined', payments: 1, price_minor: 2_000 },
    { outcome: 'paid', payments: 1, price_minor: 2_000 },
    { outcome: 'waiting', payments: 1, price_minor: 2_000 },
  ]);
  const amount = found.screens.find(({ screen }) => screen === 'amount');
  expect(amount).toMatchObject({ dialogues: 4, gave_up: 1, how: { hung_up: 1 }, median_seconds: 3 });
  expect(found.hours.reduce((sum, one) => sum + one.opened, 0)).toBe(3);
  expect(found.now.waiting).toMatchObject({ payments: 1, price_minor: 2_000 });
  expect(found.now.suspense).toMatchObject([{ age: 'under_4_hours', sums: 1, amount_minor: 2_020 }]);
  expect(insights.parse(found)).toEqual(found);
});

test('a merchant reads its own figures, the same ones through its key as people do', async () => {
  const till = await createTill({
    configure(config) {
      withStaff(config);
      const [shop] = config.merchants;
      if (shop) config.merchants.push({ ...shop, id: 'other-shop' });
    },
  });
  await till.paidPayment('0244123456');
  const own = await createMerchantKey(till);
  const other = await createMerchantKey(till, { merchantId: 'other-shop' });
  expect((await callApi(till, own.secret, '/insights')).body).toEqual(await read(till, 'demo-shop'));
  const { body } = await callApi(till, other.secret, '/insights');
  expect(body).toMatchObject({ payments: { opened: 0 }, dialogues: { begun: 0 }, screens: [], networks: [] });
  const wrong = await callApi(till, own.secret, '/insights?from=2026-02-30');
  expect(wrong.status).toBe(400);
  const long = await callApi(till, own.secret, '/insights?from=2026-01-01&to=2026-12-31');
  expect(JSON.stringify(long.body)).toContain('at most 92 days, found 2026-01-01 to 2026-12-31');
});

needsFile('runs the command on the file')('the command prints the figures of the page', async () => {
  const till = await createTill();
  await payAndDecline(till, ['0244123456', '0201234567']);
  const run = (...args: string[]) =>
    runCommand(['insights', ...args], (program, streams) =>
      registerInsights(program, {
        ...{ ...streams, now: till.clock.now },
        database: () => till.ledger.location,
        menus: async () => Object.fromEntries(till.config.merchants.map((one) => [one.id, one])),
      }),
    );
  const { out } = await run('--json');
  expect(JSON.parse(out) satisfies Insights).toEqual(await read(till));
  const text = (await run()).out;
  expect(out).toContain('"screen": "welcome"');
  expect(text).toMatch(/^Demo Shop +2 +0 /m);
  expect(text).toContain('1 paid, 1 not paid, 0 in review, 0 waiting');
  expect(text).toMatch(/success\s+50\.0 %/);
  expect((await run('--merchant', 'demo')).out).toBe((await run('--merchant', 'demo-shop')).out);
  const unknown = await run('--merchant', 'nope');
  expect(unknown).toMatchObject({ code: 1, out: '' });
  expect(unknown.err).toContain('--merchant: expected one of demo-shop, found “nope”');
  expect((await run('--from', '2026-03-07', '--to', '2026-03-06')).err).toContain(
    '--to: expected 2026-03-07 or a later day',
  );
});
