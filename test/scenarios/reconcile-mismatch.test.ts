import { expect, test } from 'vitest';
import { inSuspense, type PostingTuple, paidInFull } from '../kit/scenes.ts';
import { createTill, paidEvent, payer } from '../kit/till.ts';

const mismatches: [what: string, changed: Record<string, unknown>, money: PostingTuple[]][] = [
  ['another amount', { amount_minor: 120, expected_net_minor: 100 }, inSuspense(120)],
  ['more than the quote', { amount_minor: 20_200 }, inSuspense(20_200)],
  ['another price', { goods_minor: 100 }, inSuspense(2_020)],
  ['another fee', { expected_fee_minor: 0 }, inSuspense(2_020)],
  ['another net', { expected_net_minor: 1_980 }, inSuspense(2_020)],
  ['an amount of zero', { amount_minor: 0 }, []],
];

const unreadable: [what: string, changed: Record<string, unknown>][] = [
  ['no amount', { amount_minor: undefined }],
  ['an amount as text', { amount_minor: '2020' }],
  ['a negative amount', { amount_minor: -2_020 }],
  ['an amount that is too large', { amount_minor: 2 ** 60 }],
  ['another status in its data', { status: 'failed' }],
];

test.each(unreadable)(
  'S23: a paid event with %s books nothing, and the poll that follows at once books the quote without a review',
  async (_, changed) => {
    const till = await createTill();
    till.loseWebhooks();
    const row = await till.prompted();
    await till.clock.advance(75_000);
    await till.approve();
    const polls = till.calls.length;
    await till.deliverHandled(paidEvent(row, 'evt_1', changed));
    await till.clock.advance(250);
    expect(till.calls.length).toBe(polls + 1);
    expect(await till.only(payer)).toMatchObject({ status: 'paid', review: null, amountSource: 'quote' });
    expect(await till.booked(row.id)).toEqual(paidInFull);
    expect(till.alarms()).toEqual([]);
    expect((await till.verify()).faults).toEqual([]);
  },
);

test('S23: unreadable paid events cause one poll at once, and a person decides when a poll contradicts them', async () => {
  const till = await createTill();
  till.loseWebhooks();
  const row = await till.prompted();
  await till.deliverHandled(paidEvent(row, 'evt_1', { amount_minor: '2020' }));
  expect(await till.only(payer)).toMatchObject({ status: 'initiated', review: 'unreadable_event' });
  await till.clock.advance(250);
  const polls = till.calls.length;
  await till.deliverHandled(paidEvent(row, 'evt_2', { amount_minor: '2020' }));
  await till.clock.advance(250);
  expect(till.calls).toHaveLength(polls);
  expect(till.alarms()).toEqual([]);
  await till.decline();
  const review = await till.untilStatus(payer, 'review', 120_000);
  expect(review).toMatchObject({ review: 'unreadable_event', booked: null });
  expect(till.alarms()).toEqual(['unreadable_event']);
});

test('a create answer without mode, channel and network, or with codes in capitals, is paid like any other', async () => {
  const till = await createTill();
  const answers = [
    (body: object) => ({ ...body, mode: undefined, channel: undefined, network: undefined }),
    (body: object) => ({ ...body, mode: 'OFFLINE', channel: 'USSD', network: 'MTN' }),
  ];
  till.faults.call = async ({ name }, pass) => {
    const answer = await pass();
    const change = name === 'create' ? answers.shift() : undefined;
    return change ? Response.json(change((await answer.json()) as object), { status: 201 }) : answer;
  };
  for (const number of [payer, '0244123457']) {
    await till.pay(number);
    await till.untilStatus(number, 'initiated', 10_000);
  }
  expect(till.calls.filter(({ name }) => name === 'create')).toHaveLength(2);
});

test('a poll without terminal ends a payment by its status', async () => {
  const till = await createTill();
  till.loseWebhooks();
  till.faults.call = async ({ name }, pass) => {
    const answer = await pass();
    if (name !== 'status') return answer;
    const { terminal: _, ...body } = (await answer.json()) as Record<string, unknown>;
    return Response.json(body);
  };
  await till.prompted();
  await till.clock.advance(10_000);
  expect(await till.only(payer)).toMatchObject({ status: 'initiated' });
  await till.approved(payer, 120_000);
});

test.each(mismatches)(
  'S23: a paid event with %s opens a review instead of paid, and a repeat changes nothing',
  async (_, changed, money) => {
    const till = await createTill();
    till.loseWebhooks();
    const row = await till.prompted();
    await till.deliverHandled(paidEvent(row, 'evt_1', changed));
    const review = await till.only(payer);
    expect(review).toMatchObject({ status: 'review', review: 'amount_mismatch' });
    expect(till.alarms()).toEqual(['amount_mismatch']);
    expect(await till.booked(row.id)).toEqual(money);
    await till.deliverHandled(paidEvent(row, 'evt_1', changed));
    await till.deliverHandled(paidEvent(row, 'evt_2', changed));
    await till.clock.advance(120_000);
    const { version: _version, updatedAt: _updatedAt, ...again } = await till.only(payer);
    expect(review).toMatchObject(again);
    expect(await till.booked(row.id)).toEqual(money);
    expect((await till.verify()).faults).toEqual([]);
  },
);

test.each(['accepted', 'rejected', undefined] as const)(
  'S23: money of another amount is suspended although every event is lost, also when the service has decided it (%s)',
  async (resolution) => {
    const till = await createTill();
    till.loseWebhooks();
    await till.pay('0244000906');
    await till.until(async () => (await till.service.statement()).chargedMinor > 0, 20_000);
    if (resolution) {
      const { sessionId } = await till.only('0244000906');
      const headers = { authorization: 'Bearer admin-token-0123456789', 'content-type': 'application/json' };
      const decision = { method: 'POST', headers, body: JSON.stringify({ resolution }) };
      const path = `/backoffice/sessions/${sessionId}/review`;
      expect((await till.service.app.request(path, decision)).status).toBe(200);
    }
    await till.clock.advance(10 * 60_000);
    const review = await till.only('0244000906');
    expect(review).toMatchObject({ status: 'review', review: 'amount_mismatch', amountSource: 'poll' });
    expect(await till.booked(review.id)).toEqual(inSuspense(1_010));
    expect((await till.verify()).faults).toEqual([]);
  },
);

test('S23: a review event opens a review and suspends the stated amount', async () => {
  const till = await createTill();
  const row = await till.prompted();
  const event = {
    ...paidEvent(row, 'evt_review', { amount_minor: 1_500, status: 'initiated' }),
    type: 'payment.session.review_amount_mismatch',
  };
  await till.deliverHandled(event);
  await till.deliverHandled({ ...event, id: 'evt_review_2' });
  expect(await till.only(payer)).toMatchObject({ status: 'review', review: 'amount_mismatch' });
  expect(await till.booked(row.id)).toEqual(inSuspense(1_500));
  expect((await till.verify()).faults).toEqual([]);
});

test.each([
  ['a paid event with another amount', 'payment.session.paid'],
  ['a review event', 'payment.session.review_amount_mismatch'],
])(
  'S23: %s after a poll booked the quote moves the collection from paid to review, and its money to suspense with that amount',
  async (_, type) => {
    const till = await createTill();
    till.loseWebhooks();
    const row = await till.paidPayment();
    const event = { ...paidEvent(row, 'evt_1', { amount_minor: 1_500 }), type };
    await till.deliverHandled(event);
    await till.deliverHandled({ ...event, id: 'evt_2' });
    expect(await till.only(payer)).toMatchObject({ status: 'review', review: 'amount_mismatch' });
    expect(await till.booked(row.id)).toEqual([
      ...paidInFull,
      ['reclassification', 'merchant:demo-shop', -2_000],
      ['reclassification', 'service_fees', -20],
      ['reclassification', 'suspense', 2_020],
      ['correction', 'payers', 520],
      ['correction', 'suspense', -520],
    ]);
    expect((await till.verify()).faults).toEqual([]);
  },
);

test('S23: another amount after the payment was booked from an event only flags the collection', async () => {
  const till = await createTill();
  const row = await till.paidPayment();
  await till.deliverHandled(paidEvent(row, 'evt_other', { amount_minor: 1_500 }));
  expect(await till.only(payer)).toMatchObject({ status: 'paid', review: 'amount_mismatch' });
  expect(await till.booked(row.id)).toEqual(paidInFull);
});

test('S23: a second charge after the payment was booked at its quote leaves it paid and flags it', async () => {
  const till = await createTill();
  till.loseWebhooks();
  const row = await till.paidPayment();
  const event = {
    ...paidEvent(row, 'evt_again', { paid_minor: 2_020, reason: 'second_charge' }),
    type: 'payment.session.review_amount_mismatch',
  };
  await till.deliverHandled(event);
  await till.deliverHandled({ ...event, id: 'evt_again_2' });
  expect(await till.only(payer)).toMatchObject({
    status: 'paid',
    review: 'second_charge',
    amountSource: 'quote',
  });
  expect(await till.booked(row.id)).toEqual(paidInFull);
  expect((await till.verify()).faults).toEqual([]);
});

const correctedTo2020: PostingTuple[] = [
  ['correction', 'payers', -1_900],
  ['correction', 'suspense', 1_900],
];

test('a true event corrects the amount that a forged event has put into suspense', async () => {
  const till = await createTill();
  till.loseWebhooks();
  const row = await till.prompted();
  await till.deliverHandled(paidEvent(row, 'evt_forged', { paid_minor: 120 }));
  await till.deliverHandled(paidEvent(row, 'evt_true'));
  await till.deliverHandled(paidEvent(row, 'evt_true_again'));
  expect(await till.only(payer)).toMatchObject({ status: 'review', booked: 'suspense', amountMinor: 2_020 });
  expect(await till.booked(row.id)).toEqual([...inSuspense(120), ...correctedTo2020]);
  expect(till.alarms()).toContain('amount_mismatch');
  expect((await till.verify()).faults).toEqual([]);
});

test('a poll corrects the amount that a forged review has put into suspense, and no later event replaces it', async () => {
  const till = await createTill();
  till.loseWebhooks();
  const row = await till.prompted();
  const review = { type: 'payment.session.review_amount_mismatch' };
  const forged = { ...paidEvent(row, 'evt_forged', { paid_minor: 120, status: 'initiated' }), ...review };
  await till.deliverHandled(forged);
  await till.approve();
  await till.clock.advance(120_000);
  expect(await till.only(payer)).toMatchObject({
    booked: 'suspense',
    amountMinor: 2_020,
    amountSource: 'poll',
  });
  await till.deliverHandled({ ...forged, id: 'evt_forged_again' });
  expect(await till.booked(row.id)).toEqual([...inSuspense(120), ...correctedTo2020]);
  expect((await till.verify()).faults).toEqual([]);
});
