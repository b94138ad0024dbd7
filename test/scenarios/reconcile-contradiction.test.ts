import { expect, test } from 'vitest';
import { inSuspense, paidInFull } from '../kit/scenes.ts';
import { createTill, failedEvent, paidEvent } from '../kit/till.ts';

const payer = '0244123456';

test.each([
  ['older', '2026-03-06T08:59:00.000Z'],
  ['newer', '2026-03-06T09:05:00.000Z'],
])(
  'S20: a failed event that is %s than the payment leaves it paid and flags it for review',
  async (_, at) => {
    const till = await createTill();
    const paid = await till.paidPayment();
    await till.deliverHandled({ ...failedEvent(paid), created_at: at });
    expect(await till.only(payer)).toMatchObject({
      status: 'paid',
      review: 'failed_after_paid',
      closedAt: paid.closedAt,
    });
    expect(till.alarms()).toEqual(['failed_after_paid']);
    await till.deliverHandled({ ...failedEvent(paid, 'evt_again'), created_at: at });
    expect(await till.booked(paid.id)).toEqual(paidInFull);
    expect(till.alarms()).toEqual(['failed_after_paid']);
    expect((await till.verify()).faults).toEqual([]);
  },
);

test('S21: a poll with paid and then a webhook with failed: paid, booked once, and flagged for review', async () => {
  const till = await createTill();
  till.loseWebhooks();
  const row = await till.paidPayment();
  await till.deliverHandled(failedEvent(row));
  expect(await till.only(payer)).toMatchObject({ status: 'paid', review: 'failed_after_paid' });
  expect(await till.booked(row.id)).toEqual(paidInFull);
  expect((await till.verify()).faults).toEqual([]);
});

test('S21: a webhook with failed and then a poll with paid: paid, booked once, and the payer was never asked again', async () => {
  const till = await createTill();
  till.loseWebhooks();
  const row = await till.prompted();
  const held = await till.holdPoll(() => till.approve());
  await till.deliverHandled(failedEvent(row));
  expect(await till.only(payer)).toMatchObject({ status: 'initiated', review: null });
  held.release();
  await till.untilStatus(payer, 'paid', 5_000);
  expect(await till.only(payer)).toMatchObject({ review: null, amountSource: 'quote' });
  expect(await till.booked(row.id)).toEqual(paidInFull);
  // The service's own event then reports paid as well. Nothing is booked twice.
  await till.deliverHandled(paidEvent(row));
  expect(await till.only(payer)).toMatchObject({ status: 'paid', amountSource: 'webhook', review: null });
  expect(await till.booked(row.id)).toEqual(paidInFull);
  expect((await till.verify()).faults).toEqual([]);
});

test('S21: a poll with failed and then a webhook with paid: the money goes into suspense, for review', async () => {
  const till = await createTill();
  till.loseWebhooks();
  await till.prompted();
  till.answerPolls(() => ({ status: 'failed', terminal: true }));
  const row = await till.untilStatus(payer, 'failed');
  expect(row).toMatchObject({ reason: 'service_failed', review: null });
  await till.deliverHandled(paidEvent(row));
  expect(await till.only(payer)).toMatchObject({ status: 'review', review: 'paid_while_failed' });
  expect(await till.booked(row.id)).toEqual(inSuspense(2_020));
  await till.deliverHandled(paidEvent(row, 'evt_again'));
  expect(await till.booked(row.id)).toEqual(inSuspense(2_020));
  expect((await till.verify()).faults).toEqual([]);
});

test('S21: a poll and a webhook that report the same payment concurrently book it once', async () => {
  const till = await createTill();
  till.loseWebhooks();
  const row = await till.prompted();
  await till.approve();
  const held = await till.holdPoll();
  const delivered = till.deliver(paidEvent(row));
  held.release();
  expect((await delivered).status).toBe(200);
  await till.until(async () => (await till.inbox()).every((one) => one.state === 'handled'), 5_000);
  expect(await till.only(payer)).toMatchObject({ status: 'paid', amountSource: 'webhook', review: null });
  expect(await till.booked(row.id)).toEqual(paidInFull);
  expect((await till.verify()).faults).toEqual([]);
});
