import { expect, test } from 'vitest';
import { inSuspense, paidInFull } from '../kit/scenes.ts';
import { createTill, failedEvent, paidEvent, payer } from '../kit/till.ts';

test('S22: a payment that is approved after the payer may retry is booked as paid and marked late', async () => {
  const till = await createTill({ service: { rail: { promptLifetimeMs: 3_600_000 } } });
  await till.prompted();
  await till.until(async () => (await till.only(payer)).lapsedAt !== null, 600_000);
  expect(await till.only(payer)).toMatchObject({ status: 'initiated', closedAt: null });
  await till.clock.skip(30 * 60_000);
  const row = await till.approved();
  expect(row).toMatchObject({ late: 1, amountSource: 'webhook', review: null });
  expect(await till.booked(row.id)).toEqual(paidInFull);
  expect((await till.verify()).faults).toEqual([]);
});

test('S22: a late payment that a poll reports is marked late as well', async () => {
  const till = await createTill({ service: { rail: { promptLifetimeMs: 3_600_000 } } });
  till.loseWebhooks();
  await till.prompted();
  await till.until(async () => (await till.only(payer)).lapsedAt !== null, 600_000);
  expect(await till.approved(payer, 120_000)).toMatchObject({ late: 1, amountSource: 'quote' });
});

test.each([
  ['failed', 60_000],
  ['failed', 3 * 24 * 3_600_000],
  ['expired', 60_000],
  ['expired', 3 * 24 * 3_600_000],
])(
  'S22: the service reports %s, and %i ms later paid: the money goes into suspense, once',
  async (status, later) => {
    const till = await createTill();
    const row = await till.prompted();
    if (status === 'failed') await till.decline();
    await till.untilStatus(payer, status, 300_000);
    await till.clock.skip(later);
    await till.deliverHandled(paidEvent(row));
    expect(await till.only(payer)).toMatchObject({ status: 'review', review: `paid_while_${status}` });
    await till.deliverHandled(paidEvent(row, 'evt_again'));
    expect(await till.booked(row.id)).toEqual(inSuspense(2_020));
    expect((await till.verify()).faults).toEqual([]);
  },
);

test('S35: an unknown status that is not final changes nothing, and polling continues', async () => {
  const till = await createTill();
  till.loseWebhooks();
  await till.prompted();
  const heal = till.answerPolls(() => ({ status: 'on_hold', terminal: false }));
  await till.until(() => till.callsOf('status') >= 3);
  expect(await till.only(payer)).toMatchObject({ status: 'initiated', review: null });
  heal();
  const row = await till.approved(payer, 120_000);
  const { facts } = await till.record(row.id);
  expect(facts.filter((fact) => fact.data.includes('"on_hold"')).length).toBeGreaterThanOrEqual(3);
});

test('S35: an unknown final status opens a review, and a later payment goes into suspense', async () => {
  const till = await createTill();
  till.loseWebhooks();
  const row = await till.prompted();
  till.answerPolls(() => ({ status: 'on_hold', terminal: true }));
  const review = await till.untilStatus(payer, 'review');
  expect(review).toMatchObject({ review: 'unknown_final_status' });
  expect(till.alarms()).toEqual(['unknown_final_status']);
  expect(await till.booked(row.id)).toEqual([]);
  await till.deliverHandled(paidEvent(row));
  expect(await till.only(payer)).toMatchObject({ status: 'review' });
  expect(await till.booked(row.id)).toEqual(inSuspense(2_020));
  expect((await till.verify()).faults).toEqual([]);
});

test.each(['paid', 'failed', 'expired'])(
  'S35: a status of %s that is not final ends nothing',
  async (status) => {
    const till = await createTill();
    till.loseWebhooks();
    const row = await till.prompted();
    const heal = till.answerPolls(() => ({ status, terminal: false }));
    await till.until(() => till.callsOf('status') >= 2);
    expect(await till.only(payer)).toMatchObject({ status: 'initiated' });
    expect(await till.booked(row.id)).toEqual([]);
    heal();
    await till.approved(payer, 120_000);
  },
);

test.each(['payment.session.disputed', 'payment.session.PAID', '__proto__'])(
  'S35: an event of the unknown type %s is stored verbatim and changes nothing',
  async (type) => {
    const till = await createTill();
    const row = await till.prompted();
    const event = { ...paidEvent(row, 'evt_new'), type };
    await till.deliverHandled(event);
    expect(await till.inbox()).toMatchObject([{ id: 'evt_new', body: JSON.stringify(event) }]);
    expect(await till.only(payer)).toMatchObject({ status: 'initiated', review: null });
    await till.approved();
    expect(await till.booked(row.id)).toEqual(paidInFull);
  },
);

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
