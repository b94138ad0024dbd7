import { expect, test } from 'vitest';
import type { FeeSchedule } from '../../src/service/fee/fee-store.ts';
import { createShop } from '../kit/payers.ts';
import { createLatch, inSuspense } from '../kit/scenes.ts';
import { callStaff, withStaff } from '../kit/staff.ts';
import { createTill, minute, paidEvent, payer, type Till } from '../kit/till.ts';
import {
  balancesOf,
  decide,
  deliver,
  expectValid,
  onlyUnplaced,
  paidOf,
  payUnanswered,
  postingsOf,
} from '../kit/unplaced.ts';

const withFee = (ussd: FeeSchedule) => createTill({ service: { fees: { ussd } } });

/** Pays an amount without a shown fee, and returns the collection after a minute. */
async function pay(fee: FeeSchedule, amount: string) {
  const till = await withFee(fee);
  await till.pay(payer, ['1', amount, '1']);
  await till.clock.advance(60_000);
  return { till, row: await till.only(payer) };
}

test('without a shown fee, a total far above the price is never prompted, and the log has both amounts', async () => {
  const { till, row } = await pay({ basisPoints: 5_000 }, '20');
  expect(row).toMatchObject({ status: 'abandoned', reason: 'quote_fee_too_high', goodsMinor: 2_000 });
  expect(till.callsOf('initiate')).toBe(0);
  expect(await till.service.statement()).toMatchObject({ pushes: 0 });
  expect(till.alarms()).toEqual(['quote_fee_too_high']);
  expect(till.logged()).toMatch(/"priceMinor":2000,"totalMinor":3000/);
});

test.each([
  ['50 pesewas on a small price', { basisPoints: 0, fixedMinor: 50 }, '1.00', 150],
  ['2 % of the price', { basisPoints: 200 }, '100', 10_200],
  ['2 % of the price, rounded half up', { basisPoints: 200 }, '25.25', 2_576],
  ['GHS 10 on a large price', { basisPoints: 0, fixedMinor: 1_000 }, '2000', 201_000],
] satisfies [string, FeeSchedule, string, number][])(
  'without a shown fee, a fee of %s is prompted',
  async (_, fee, amount, totalMinor) => {
    const { row } = await pay(fee, amount);
    expect(row).toMatchObject({ status: 'initiated', amountMinor: totalMinor });
  },
);

test.each([
  ['51 pesewas on a small price', { basisPoints: 0, fixedMinor: 51 }, '1.00'],
  ['more than 2 % of the price', { basisPoints: 201 }, '100'],
  ['more than GHS 10 on a large price', { basisPoints: 0, fixedMinor: 1_001 }, '2000'],
] satisfies [string, FeeSchedule, string][])(
  'without a shown fee, a fee of %s is not prompted',
  async (_, fee, amount) => {
    const { row } = await pay(fee, amount);
    expect(row).toMatchObject({ status: 'abandoned', reason: 'quote_fee_too_high', initiateSends: 0 });
  },
);

test('a payment with a fee above the cap is not offered again, because it would end the same way', async () => {
  const { till } = await pay({ basisPoints: 5_000 }, '20');
  const screen = await till.pay(payer, []);
  expect(screen).toContain('New payment');
  expect(screen).not.toContain('Send prompt again');
});

test('a fee that the confirm screen has shown is prompted, whatever it is', async () => {
  const till = await createShop({ service: { fees: { ussd: { basisPoints: 5_000 } } } });
  const phone = till.phone(payer);
  await phone.dial();
  expect(await phone.type('1', '20')).toContain('total GHS 30.00');
  await phone.press('Yes');
  await till.untilNewest('initiated');
  expect(await till.only(payer)).toMatchObject({ shownTotalMinor: 3_000, amountMinor: 3_000 });
});

test('the limits of a fee that is not shown are configurable', async () => {
  const till = await createTill({
    service: { fees: { ussd: { basisPoints: 5_000 } } },
    configure: (config) => {
      config.fees = { maxPercent: 50, maxAmountMinor: 100_00, alwaysAllowedMinor: 0 };
    },
  });
  expect(await till.prompted()).toMatchObject({ amountMinor: 3_000 });
});

/* The service states another currency than that of the interface. No amount of it is in the ledger, and a person decides. */

const dollars = { currency: 'USD' };

async function expectReviewWithoutMoney(till: Till): Promise<void> {
  expect(await till.only(payer)).toMatchObject({
    ...{ status: 'review', reason: 'other_currency', review: 'other_currency', booked: null },
  });
  expect(await balancesOf(till)).toEqual({});
  await expectValid(till);
}

test('S23: money that an event reports in another currency is not booked, and a poll in flight books no quote', async () => {
  const till = await createTill({ configure: withStaff });
  till.loseWebhooks();
  const row = await till.prompted(payer);
  await till.approve();
  const held = createLatch();
  till.faults.call = async (call, pass) => {
    const answer = await pass();
    if (call.name === 'status') await held.wait();
    return answer;
  };
  await till.until(held.isReached);
  await till.deliverHandled(paidEvent(row, 'evt_1', { currency: 'usd' }));
  await expectReviewWithoutMoney(till);
  held.release();
  await till.clock.advance(10 * minute);
  await expectReviewWithoutMoney(till);
  expect(till.alarms()).toContain('other_currency');
  const { facts } = await till.record(row.id);
  expect(facts.find(({ kind }) => kind === 'other_currency_reported')?.data).toBe(
    '{"currency":"USD","amountMinor":2020}',
  );

  const { version } = await till.only(payer);
  const path = `/reviews/${row.id}`;
  const { body } = await callStaff(till, 'ama', path);
  const outcomes = (body.decisions as { outcome: string }[]).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(['paid', 'not_paid']);
  expect(await decide(till, path, { outcome: 'not_paid', version })).toMatchObject({ status: 200 });
  expect(await balancesOf(till)).toEqual({});
  await expectValid(till);
});

test('S23: a payment that a poll has booked at the quote leaves the merchant when its event states another currency', async () => {
  const till = await createTill();
  till.loseWebhooks();
  const row = await till.prompted(payer);
  await till.approved(payer, 10 * minute);
  await till.deliverHandled(paidEvent(row, 'evt_1', dollars));
  expect(await till.only(payer)).toMatchObject({ status: 'review', review: 'other_currency' });
  expect(await balancesOf(till)).toEqual({
    ...{ payers: -2_020, suspense: 2_020, 'merchant:demo-shop': 0, service_fees: 0 },
  });
  await expectValid(till);
});

test('S23: a poll that states another currency books nothing, and an event in cedis that follows is suspended', async () => {
  const till = await createTill();
  till.loseWebhooks();
  const row = await till.prompted(payer);
  const end = till.answerPolls(() => ({ status: 'paid', terminal: true, ...dollars }));
  await till.untilStatus(payer, 'review', 10 * minute);
  await expectReviewWithoutMoney(till);
  end();
  await till.deliverHandled(paidEvent(row, 'evt_1', { currency: 'GHS' }));
  expect(await till.booked(row.id)).toEqual(inSuspense(2_020));
  await expectValid(till);
});

test('one person cannot decide alone about money in another currency: it may be of any size', async () => {
  const till = await createTill({
    configure(config) {
      withStaff(config);
      config.decisions = { secondPersonAboveMinor: 100_000 };
    },
  });
  till.loseWebhooks();
  const row = await till.prompted(payer);
  await till.approve();
  await till.deliverHandled(paidEvent(row, 'evt_1', { currency: 'usd' }));
  await till.clock.advance(10 * minute);
  const { id, version } = await till.only(payer);
  const alone = await decide(till, `/reviews/${id}`, { outcome: 'not_paid', version }, 'ama');
  expect(alone.body).toMatchObject({ error: { message: expect.stringContaining('another person') } });
});

test('S23: an unplaced payment in another currency has no amount: it is listed, returned, and never matched', async () => {
  const till = await createTill({ configure: withStaff });
  await till.pay(payer);
  const { id: collectionId } = await till.only(payer);
  await deliver(till, paidOf('pay_elsewhere_1', 'evt_1', dollars));
  const { id, ...payment } = await onlyUnplaced(till);
  expect(payment).toMatchObject({
    ...{ reason: 'other_currency', state: 'open', amount_minor: null, suspended_minor: 0, note: null },
    ...{ goods_minor: null, fee_minor: null, net_minor: null, reference: 'INV-7' },
  });
  expect(await postingsOf(till, id)).toEqual([]);
  const path = `/unplaced/${id}`;
  const matched = await decide(till, path, { outcome: 'match', collectionId, version: 1 });
  expect(matched.status).toBe(409);
  const terms = { outcome: 'return', reference: 'MTN-77', version: 1 };
  expect(await decide(till, path, terms)).toMatchObject({ status: 200 });
  expect(await onlyUnplaced(till)).toMatchObject({ state: 'returned' });
  expect(await balancesOf(till)).toEqual({});
  await expectValid(till);
});

test('S23: an event in another currency changes no amount in suspense, and is noted', async () => {
  const till = await createTill();
  await deliver(till, paidOf('pay_elsewhere_1'));
  await deliver(till, paidOf('pay_elsewhere_1', 'evt_2', { ...dollars, paid_minor: 9_999 }));
  expect(await onlyUnplaced(till)).toMatchObject({ note: 'other_currency', suspended_minor: 2_020 });
  expect(await balancesOf(till)).toEqual({ payers: -2_020, suspense: 2_020 });
  await expectValid(till);
});

test('S23: a collection that learns its session after an event in another currency is in review', async () => {
  const till = await createTill();
  const { session, answer } = await payUnanswered(till, payer);
  await deliver(till, paidOf(session, 'evt_early', dollars));
  answer();
  await till.untilStatus(payer, 'review', 10 * minute);
  await expectReviewWithoutMoney(till);
  const { id } = await till.only(payer);
  expect(await onlyUnplaced(till)).toMatchObject({ state: 'placed', collection_id: id, suspended_minor: 0 });
});
