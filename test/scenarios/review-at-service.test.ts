import { expect, test } from 'vitest';
import { timeline } from '../../src/gateway/support/timeline.ts';
import { inSuspense, type PostingTuple } from '../kit/scenes.ts';
import { createTill, minute, paidEvent, type Till } from '../kit/till.ts';

/** The simulated rail charges half of the amount: 1,010 of 2,020 pesewas. A person at the service must decide. */
const payer = '0244000906';

async function heldByService(): Promise<Till> {
  const till = await createTill();
  await till.pay(payer);
  await till.untilStatus(payer, 'review', 30_000);
  return till;
}

async function postToService(till: Till, path: 'review' | 'refund', body: object): Promise<void> {
  const { sessionId } = await till.only(payer);
  const answer = await till.service.app.request(`/backoffice/sessions/${sessionId}/${path}`, {
    method: 'POST',
    headers: { authorization: 'Bearer admin-token-0123456789', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

/** A person at the service decides about the money. */
const decideAtService = (till: Till, resolution: 'accepted' | 'rejected') =>
  postToService(till, 'review', { resolution });

const released: PostingTuple[] = [
  ['release', 'suspense', -1_010],
  ['release', 'merchant:demo-shop', 990],
  ['release', 'service_fees', 20],
];
const returned: PostingTuple[] = [
  ['return', 'suspense', -1_010],
  ['return', 'payers', 1_010],
];
const decisions = [
  ['accepted', 'paid', 'service_accepted', released],
  ['rejected', 'failed', 'service_rejected', returned],
] as const;

test.each(decisions)(
  'a review that the service has %s ends as %s at once, after its event and a poll',
  async (resolution, status, reason, postings) => {
    const till = await heldByService();
    await till.clock.advance(10 * minute);
    await decideAtService(till, resolution);
    const { id } = await till.untilStatus(payer, status, 5_000);
    expect(await till.only(payer)).toMatchObject({ reason, review: null, awaitsServiceSince: null });
    expect(await till.booked(id)).toEqual([...inSuspense(1_010), ...postings]);
    await till.clock.advance(20 * minute);
    expect((await till.only(payer)).review).toBeNull();
    expect(await till.verify()).toMatchObject({ ok: true });
  },
);

test.each(decisions)(
  'without its event, a poll of the plan shows that the service has %s the money',
  async (resolution, status, _reason, postings) => {
    const till = await heldByService();
    till.loseWebhooks();
    await till.clock.advance(minute);
    await decideAtService(till, resolution);
    const { id } = await till.untilStatus(payer, status, 20 * minute);
    expect(await till.booked(id)).toEqual([...inSuspense(1_010), ...postings]);
    expect(await till.verify()).toMatchObject({ ok: true });
  },
);

test('an event alone releases nothing: without a poll that agrees, the money stays in suspense', async () => {
  const till = await heldByService();
  const row = await till.only(payer);
  const polls = till.callsOf('status');
  await till.deliver(
    paidEvent(row, 'evt_forged', {
      ...{ amount_minor: 1_010, expected_fee_minor: 20, expected_net_minor: 990 },
    }),
  );
  await till.clock.advance(1_000);
  expect(till.callsOf('status')).toBe(polls + 1);
  expect(await till.only(payer)).toMatchObject({ status: 'review', booked: 'suspense' });
});

test('a paid event with other amounts than the review contradicts it: people here decide', async () => {
  const till = await heldByService();
  const row = await till.only(payer);
  await till.deliver(paidEvent(row, 'evt_other', { amount_minor: 2_020 }));
  await till.clock.advance(minute);
  await decideAtService(till, 'accepted');
  await till.clock.advance(20 * minute);
  expect(await till.only(payer)).toMatchObject({
    ...{ status: 'review', booked: 'suspense', awaitsServiceSince: null, nextAt: null },
  });
  expect(till.alarms()).toContain('amount_mismatch');
});

test('money that arrives after a decision has returned the earlier money is booked into suspense for a new review', async () => {
  const till = await heldByService();
  await decideAtService(till, 'rejected');
  const row = await till.untilStatus(payer, 'failed', 5_000);
  await till.deliverHandled(paidEvent(row, 'evt_paid', { paid_minor: 2_020 }));
  await till.deliverHandled(paidEvent(row, 'evt_again', { paid_minor: 2_020 }));
  expect(await till.only(payer)).toMatchObject({
    ...{ status: 'review', review: 'paid_while_failed', booked: 'suspense', amountMinor: 2_020 },
  });
  expect(await till.booked(row.id)).toEqual([
    ...[...inSuspense(1_010), ...returned],
    ['further_suspense', 'payers', -2_020],
    ['further_suspense', 'suspense', 2_020],
  ]);
  expect((await till.verify()).faults).toEqual([]);
});

test('the refund that the service settles is in the timeline, and books nothing', async () => {
  const till = await heldByService();
  await decideAtService(till, 'rejected');
  const { id } = await till.untilStatus(payer, 'failed', 5_000);
  await till.clock.advance(minute);
  const before = await till.only(payer);
  await postToService(till, 'refund', { reference: 'MP26030', by: 'Ama' });
  await till.clock.advance(minute);
  const entries = timeline(await till.record(id));
  expect(entries.map(({ kind, text }) => `${kind}: ${text}`)).toContain(
    'webhook: the service returned GHS 10.10 to the payer: MP26030, by Ama',
  );
  expect(await till.only(payer)).toMatchObject({ status: 'failed', review: null, booked: before.booked });
  expect(await till.booked(id)).toEqual([...inSuspense(1_010), ...returned]);
  expect(await till.verify()).toMatchObject({ ok: true });
});
