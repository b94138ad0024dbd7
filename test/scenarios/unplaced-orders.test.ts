import { expect, test } from 'vitest';
import { inboxStore, inboxWrites } from '../../src/gateway/inbox/inbox-store.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { backUpTill, restoreTill, untilRecovered } from '../kit/backup-till.ts';
import { needsFile } from '../kit/engine.ts';
import { paidInFull } from '../kit/scenes.ts';
import { callStaff, withStaff } from '../kit/staff.ts';
import { createTill, minute, paidEvent, payer, type Till, webhookSecret } from '../kit/till.ts';
import {
  balancesOf,
  decide,
  deliver,
  expectValid,
  failedOf,
  onlyUnplaced,
  paidOf,
  payUnanswered,
  reviewOf,
  unplacedIn,
} from '../kit/unplaced.ts';

function refundOf(sessionId: string) {
  const event = paidOf(sessionId, 'evt_refund', { status: 'failed', reason: 'paid_over' });
  const refund = { state: 'settled', amount_minor: 2_020, reference: 'MP26030', settled_by: 'Ama' };
  return { ...event, type: 'payment.session.refund_settled', data: { ...event.data, refund } };
}

test('money that people returned cannot be booked as paid by the review of the collection that learns its session', async () => {
  const till = await createTill({ configure: withStaff });
  const { session, answer } = await payUnanswered(till, payer);
  await deliver(till, paidOf(session, 'evt_early'));
  const unplaced = `/unplaced/${(await onlyUnplaced(till)).id}`;
  const returned = await decide(till, unplaced, { outcome: 'return', reference: 'MTN-77', version: 1 });
  expect(returned.status).toBe(200);
  answer();
  await till.until(async () => (await till.only(payer)).status === 'review', 10 * minute);
  const { id, version } = await till.only(payer);
  const review = await callStaff(till, 'ama', `/reviews/${id}`);
  const outcomes = (review.body.decisions as { outcome: string }[]).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(['not_paid']);
  const paid = await decide(till, `/reviews/${id}`, { outcome: 'paid', version });
  expect(paid.body).toMatchObject({ error: { message: expect.stringContaining('another decision') } });
  await expectValid(till);
  expect(await till.only(payer)).toMatchObject({ status: 'review', booked: null });
  expect(await decide(till, `/reviews/${id}`, { outcome: 'not_paid', version })).toMatchObject({
    status: 200,
  });
  expect(await balancesOf(till)).toEqual({ payers: 0, suspense: 0 });
  await expectValid(till);
});

test('no prompt is requested for a session whose payment was reported before the create call was answered', async () => {
  const till = await createTill();
  const { session, answer } = await payUnanswered(till, payer);
  await deliver(till, paidOf(session, 'evt_early'));
  // The prompt delay is over: without the event, the prompt would follow the answer at once.
  await till.clock.advance(10_000);
  answer();
  const row = await till.untilStatus(payer, 'review');
  expect(row).toMatchObject({ reason: 'paid_while_created', amountMinor: 2_020, initiateSends: 0 });
  expect(till.callsOf('initiate')).toBe(0);
  await expectValid(till);
});

test.each([['twenty'], [0]])(
  'one person cannot decide alone about money of the unknown amount %s: it may be of any size',
  async (amount) => {
    const till = await createTill({ configure: withStaff });
    await deliver(till, paidOf('pay_elsewhere_1', 'evt_1', { amount_minor: amount }));
    const path = `/unplaced/${(await onlyUnplaced(till)).id}`;
    const alone = await decide(till, path, { outcome: 'foreign', version: 1 }, 'ama');
    expect(alone.body).toMatchObject({ error: { message: expect.stringContaining('another person') } });
    await deliver(till, paidOf('pay_elsewhere_1', 'evt_2'));
    expect(await balancesOf(till)).toEqual({ payers: -2_020, suspense: 2_020 });
  },
);

test('an event of the other mode is parked, and its money is not booked', async () => {
  const till = await createTill();
  await deliver(till, { ...paidOf('pay_elsewhere_1'), livemode: true });
  expect(await unplacedIn(till)).toEqual([]);
  expect(await balancesOf(till)).toEqual({});
  await deliver(till, { ...paidOf('pay_elsewhere_1', 'evt_2'), livemode: false });
  expect(await balancesOf(till)).toEqual({ payers: -2_020, suspense: 2_020 });
});

test('a refund that arrives before its payment is noted, so that the money is not returned again', async () => {
  const till = await createTill();
  await deliver(till, refundOf('pay_elsewhere_1'));
  expect(await balancesOf(till)).toEqual({});
  await deliver(till, paidOf('pay_elsewhere_1', 'evt_2'));
  expect(await onlyUnplaced(till)).toMatchObject({ note: 'refund_reported', suspended_minor: 2_020 });
  expect(await balancesOf(till)).toEqual({ payers: -2_020, suspense: 2_020 });
  await expectValid(till);
});

test.each([
  ['the failure', ['failed', 'paid']],
  ['the payment', ['paid', 'failed']],
] as const)(
  'a failure and a payment that are handled at once leave a note: %s is first',
  async (_, order) => {
    const till = await createTill();
    const events = { failed: failedOf('pay_elsewhere_1', 'evt_1'), paid: paidOf('pay_elsewhere_1', 'evt_2') };
    await Promise.all(order.map((name) => till.deliver(events[name])));
    await till.clock.advance(60_000);
    expect(await onlyUnplaced(till)).toMatchObject({ note: 'failure_reported', suspended_minor: 2_020 });
    await expectValid(till);
  },
);

test('an event without a session books the amounts that it states', async () => {
  const till = await createTill();
  const event = paidOf('pay_elsewhere_1');
  await deliver(till, { ...event, data: { ...event.data, id: undefined } });
  expect(await onlyUnplaced(till)).toMatchObject({ reason: 'no_session', amount_minor: 2_020, note: null });
  expect(await balancesOf(till)).toEqual({ payers: -2_020, suspense: 2_020 });
  await expectValid(till);
});

test('a refund without a session books nothing, raises an alarm, and stays listed', async () => {
  const till = await createTill();
  const event = refundOf('pay_elsewhere_1');
  await deliver(till, { ...event, data: { ...event.data, id: undefined } });
  expect(await unplacedIn(till)).toEqual([]);
  expect(await balancesOf(till)).toEqual({});
  expect(till.logged()).toContain('"event":"evt_refund","alarm":"event_without_session"');
  const row = await till.read((store) =>
    inboxStore(store).find({ merchantId: 'demo-shop', eventId: event.id }),
  );
  expect(row?.state).toBe('dead');
});

test('a hint that is promoted while it is parked stays due, so that its money is booked', async () => {
  let opened: Store | undefined;
  const wrapStore = (store: Store) => {
    opened = store;
    return store;
  };
  const till = await createTill({ wrapStore });
  const event = paidOf('pay_elsewhere_1');
  await till.deliver(event, { signedAt: till.clock.now() - 60 * minute });
  const row = await till.read((store) =>
    inboxStore(store).find({ merchantId: 'demo-shop', eventId: event.id }),
  );
  if (row?.stale !== 1) throw new Error('expected a hint');
  expect((await till.deliver(event)).status).toBe(200);
  const park = inboxWrites.park(row, 'pay_elsewhere_1');
  expect(await opened?.apply([{ ...park, rows: 1 }])).toBe(false);
  await till.clock.advance(60_000);
  expect(await balancesOf(till)).toEqual({ payers: -2_020, suspense: 2_020 });
});

test('an event that contradicts a decision raises an alarm, because the payment is on no list of open work', async () => {
  const till = await createTill({ configure: withStaff });
  await deliver(till, paidOf('pay_elsewhere_1'));
  const path = `/unplaced/${(await onlyUnplaced(till)).id}`;
  const returned = await decide(till, path, { outcome: 'return', reference: 'MTN-77', version: 1 });
  expect(returned.status).toBe(200);
  await deliver(till, paidOf('pay_elsewhere_1', 'evt_2'));
  expect(till.logged()).not.toContain('unplaced_contradicted');
  await deliver(till, reviewOf('pay_elsewhere_1', 'evt_3', 2_100));
  expect(till.logged()).toContain('"note":"amount_mismatch","alarm":"unplaced_contradicted"');
});

/* Two merchants use one account of the service, each with a webhook address and a secret of its own. */

const secrets = { 'demo-shop': webhookSecret, 'second-shop': 'whsec_second_0123456789abcdef' } as const;

type Merchant = keyof typeof secrets;

const paid = { payers: -2_020, 'merchant:demo-shop': 2_000, service_fees: 20 };

/** Creates a till with a second merchant: with the key of the first one, unless another key is named. */
function createSharedTill(key?: string): Promise<Till> {
  return createTill({
    configure(config) {
      const [first] = config.merchants;
      if (!first) throw new Error('the test configuration has no merchant');
      const webhookSecrets = [secrets['second-shop']];
      config.merchants.push({ ...first, id: 'second-shop', key: key ?? first.key, webhookSecrets });
    },
  });
}

async function deliverTo(till: Till, merchant: Merchant, event: object): Promise<void> {
  expect((await till.deliver(event, { merchant, secret: secrets[merchant] })).status).toBe(200);
  await till.clock.advance(1_000);
}

test.each<Merchant[]>([
  ['demo-shop', 'second-shop'],
  ['second-shop', 'demo-shop'],
])(
  'S18: an event that reaches %s and then %s is booked once, on the collection of the session',
  async (...both) => {
    const till = await createSharedTill();
    till.loseWebhooks();
    const row = await till.prompted(payer);
    await till.approve();
    for (const merchant of both) await deliverTo(till, merchant, paidEvent(row));
    expect(await till.booked(row.id)).toEqual(paidInFull);
    expect(await unplacedIn(till)).toEqual([]);
    expect((await till.inbox()).map(({ state }) => state)).toEqual(['handled', 'handled']);
    expect(await balancesOf(till)).toEqual(paid);
    await expectValid(till);
  },
);

test.each<Merchant[]>([
  ['demo-shop', 'second-shop'],
  ['second-shop', 'demo-shop'],
])(
  'S18: an event that reaches %s and then %s before the collection is in suspense once, and joins it',
  async (...both) => {
    const till = await createSharedTill();
    till.loseWebhooks();
    const { session, answer } = await payUnanswered(till, payer);
    for (const merchant of both) await deliverTo(till, merchant, paidOf(session));
    expect(await onlyUnplaced(till)).toMatchObject({ merchant_id: both[0], suspended_minor: 2_020 });
    expect(await balancesOf(till)).toEqual({ payers: -2_020, suspense: 2_020 });
    await expectValid(till);
    answer();
    await till.until(async () => (await till.only(payer)).booked !== null, 10 * minute);
    const { id } = await till.only(payer);
    expect(await onlyUnplaced(till)).toMatchObject({
      state: 'placed',
      collection_id: id,
      suspended_minor: 0,
    });
    expect((await balancesOf(till)).payers).toBe(-2_020);
    expect((await till.inbox()).map(({ state }) => state)).toEqual(['handled', 'handled']);
    await expectValid(till);
  },
);

test('S18: events that reach both merchants at the same time are in suspense once', async () => {
  const till = await createSharedTill();
  const deliver = (merchant: Merchant) =>
    till.deliver(paidOf('pay_elsewhere_1'), { merchant, secret: secrets[merchant] });
  await Promise.all([deliver('demo-shop'), deliver('second-shop')]);
  await till.clock.advance(2 * minute);
  expect(await onlyUnplaced(till)).toMatchObject({ suspended_minor: 2_020 });
  expect((await till.inbox()).map(({ state }) => state)).toEqual(['parked', 'parked']);
  await expectValid(till);
});

needsFile('restores a backup of the file')(
  'S32: after the restore of an older copy, the events at both addresses are booked once',
  async () => {
    const till = await createSharedTill();
    till.loseWebhooks();
    const empty = await backUpTill(till);
    const { answer } = await payUnanswered(till, payer);
    const accepted = await backUpTill(till);
    answer();
    const row = await till.untilStatus(payer, 'initiated', 2 * minute);
    await till.approved(payer, 5 * minute);
    for (const { file } of [empty, accepted]) {
      await restoreTill(till, file);
      for (const merchant of ['second-shop', 'demo-shop'] as const)
        await deliverTo(till, merchant, paidEvent(row));
      await untilRecovered(till);
      const known = (await till.find(payer)).length > 0;
      expect((await balancesOf(till)).payers).toBe(-2_020);
      expect((await unplacedIn(till)).map(({ state }) => state)).toEqual(known ? [] : ['open']);
      await expectValid(till);
    }
  },
);

test('a merchant with another key has sessions of its own: the event does not reach the collection', async () => {
  const till = await createSharedTill('sk_test_0123456789abcdef');
  till.loseWebhooks();
  const row = await till.prompted(payer);
  await deliverTo(till, 'second-shop', paidEvent(row));
  expect(await till.only(payer)).toMatchObject({ status: 'initiated', booked: null });
  expect(await onlyUnplaced(till)).toMatchObject({ merchant_id: 'second-shop', suspended_minor: 2_020 });
});
