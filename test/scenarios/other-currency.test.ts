import { expect, test } from 'vitest';
import { createLatch, inSuspense } from '../kit/scenes.ts';
import { callStaff, withStaff } from '../kit/staff.ts';
import { createTill, paidEvent, type Till } from '../kit/till.ts';
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

/* The service states another currency than that of the interface. No amount of it is in the ledger, and a person decides. */

const payer = '0244123456';
const minute = 60_000;
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
  let isPolling = false;
  void held.reached.then(() => {
    isPolling = true;
  });
  await till.until(() => isPolling);
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
