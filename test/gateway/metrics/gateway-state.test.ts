import { expect, test } from 'vitest';
import { backUpTill, restoreTill } from '../../kit/backup-till.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import { scrape } from '../../kit/scrape.ts';
import { createTill, type Till } from '../../kit/till.ts';

/*
 * The gauges of the state of a gateway. The one of a full disk is in scenarios/disk-full.
 */

const minute = 60_000;
const shop = { merchant: 'demo-shop' };
const unplaced = (till: Till) => scrape(till, 'unplaced_payments', shop);
const suspended = (till: Till) => scrape(till, 'unplaced_pesewas', shop);

/** An event of a session that no collection has. */
const event = (n: number, type: string) => ({
  ...{ id: `evt_${n}`, type, created_at: '2026-03-06T09:00:00.000Z' },
  data: {
    ...{ id: `pay_other_${n}`, status: 'paid', goods_minor: 2_000, amount_minor: 2_020 },
    ...{ expected_fee_minor: 20, expected_net_minor: 2_000, paid_minor: 2_020 },
  },
});

test('unplaced payments are counted after a quarter of an hour, with their amount; other events are not counted', async () => {
  const till = await createTill();
  expect(await unplaced(till)).toBe(0);
  const types = ['paid', 'review_amount_mismatch', 'failed', 'paid'].map((name) => `payment.session.${name}`);
  for (const [n, type] of types.entries()) expect((await till.deliver(event(n, type))).status).toBe(200);
  await till.clock.advance(14 * minute);
  expect(await unplaced(till)).toBe(0);
  await till.clock.advance(minute);
  expect(await unplaced(till)).toBe(3);
  expect(await suspended(till)).toBe(3 * 2_020);
});

test('a payment whose session becomes known is no longer counted', async () => {
  const till = await createTill();
  let created: string | undefined;
  till.faults.call = async ({ name }, pass) => {
    if (name !== 'create') return pass();
    created ??= ((await (await pass()).json()) as { id: string }).id;
    throw new Error('the answer was lost');
  };
  await till.pay('0244123456');
  await till.until(() => created !== undefined);
  const early = { ...event(1, 'payment.session.paid'), data: { id: created, status: 'paid' } };
  await till.deliver(early);
  await till.clock.advance(2_000);
  delete till.faults.call;
  await till.until(async () => (await till.only('0244123456')).review !== null);
  await till.clock.advance(20 * minute);
  expect(await unplaced(till)).toBe(0);
});

test('the count reads only open unplaced payments, however many were decided', async () => {
  const till = await createTill();
  const plans = await queryPlansOf(till.config.database.file, () => unplaced(till));
  const counting = plans.find(({ sql }) => sql.includes('"unplaced_payment"'));
  expect(counting?.steps).toContain(
    'SEARCH unplaced_payment USING COVERING INDEX unplaced_payment_open (received_at<?)',
  );
});

test('the recovery gauge is 1 during a recovery, and the gateway is ready', async () => {
  const till = await createTill();
  const { file } = await backUpTill(till);
  const stands = async () => [await scrape(till, 'recovering'), await scrape(till, 'ready')];
  expect(await stands()).toEqual([0, 1]);
  await restoreTill(till, file);
  await till.clock.advance(1_000);
  expect(await stands()).toEqual([1, 1]);
  await till.clock.skip(7 * minute);
  await till.clock.advance(5_000);
  expect(await stands()).toEqual([0, 1]);
  till.gateway().drain();
  expect(await stands()).toEqual([0, 0]);
});
