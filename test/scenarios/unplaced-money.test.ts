import { expect, test } from 'vitest';
import { inSuspense, paidInFull } from '../kit/scenes.ts';
import { callStaff, withStaff } from '../kit/staff.ts';
import { createTill, minute, payer, type Till, type TillOptions } from '../kit/till.ts';
import {
  balancesOf,
  decide,
  deliver,
  evidence,
  expectValid,
  failedOf,
  onlyUnplaced,
  paidOf,
  payUnanswered,
  postingsOf,
  reviewOf,
  unplacedIn,
} from '../kit/unplaced.ts';

async function unplacedTill(options: TillOptions = {}): Promise<Till> {
  const till = await createTill({ configure: withStaff, ...options });
  await deliver(till, paidOf('pay_elsewhere_1'));
  return till;
}

/** Opens a collection that ends unpaid, with the quote of GHS 20.20. */
async function failed(till: Till): Promise<string> {
  till.loseWebhooks();
  const row = await till.prompted(payer);
  await till.declined(payer, 10 * minute);
  return row.id;
}

/** Two people decide about the only unplaced payment as it is now. */
async function decideNow(till: Till, id: string, terms: object) {
  return decide(till, `/unplaced/${id}`, { version: (await onlyUnplaced(till)).version, ...terms });
}

test('S18: money of an unknown session is in suspense as soon as its event is handled', async () => {
  const till = await unplacedTill();
  const payment = await onlyUnplaced(till);
  expect(payment).toMatchObject({
    ...{ merchant_id: 'demo-shop', session_id: 'pay_elsewhere_1', state: 'open', reason: 'unknown_session' },
    ...{ amount_minor: 2_020, suspended_minor: 2_020, reference: 'INV-7', version: 1 },
  });
  expect(await postingsOf(till, payment.id)).toEqual(inSuspense(2_020));
  expect(await balancesOf(till)).toEqual({ payers: -2_020, suspense: 2_020 });
  await expectValid(till);
});

test('further events of the session book nothing more: the same again, and a paid event after its review', async () => {
  const till = await createTill();
  await deliver(till, reviewOf('pay_elsewhere_1', 'evt_1', 2_100));
  await deliver(till, paidOf('pay_elsewhere_1', 'evt_2', { paid_minor: 2_100 }));
  await deliver(till, paidOf('pay_elsewhere_1', 'evt_2', { paid_minor: 2_100 }));
  await deliver(till, paidOf('pay_elsewhere_1', 'evt_3', { paid_minor: 2_100 }));
  expect(await onlyUnplaced(till)).toMatchObject({
    version: 3,
    amount_minor: 2_100,
    note: null,
    state: 'open',
  });
  expect(await balancesOf(till)).toEqual({ payers: -2_100, suspense: 2_100 });
  await expectValid(till);
});

test('an event with a failure after the first one is noted, and books nothing', async () => {
  const till = await unplacedTill();
  await deliver(till, failedOf('pay_elsewhere_1'));
  expect(await onlyUnplaced(till)).toMatchObject({
    version: 2,
    note: 'failure_reported',
    amount_minor: 2_020,
  });
  expect(await balancesOf(till)).toEqual({ payers: -2_020, suspense: 2_020 });
  await expectValid(till);
});

test('an event with a failure before the first one is noted, and books nothing', async () => {
  const till = await createTill();
  await deliver(till, failedOf('pay_elsewhere_1'));
  await deliver(till, paidOf('pay_elsewhere_1', 'evt_2'));
  expect(await onlyUnplaced(till)).toMatchObject({
    version: 1,
    note: 'failure_reported',
    amount_minor: 2_020,
  });
  expect(await balancesOf(till)).toEqual({ payers: -2_020, suspense: 2_020 });
  await deliver(till, failedOf('pay_elsewhere_2', 'evt_3'));
  await deliver(till, paidOf('pay_elsewhere_3', 'evt_4'));
  expect((await unplacedIn(till)).map(({ note }) => note)).toEqual(['failure_reported', null]);
  await expectValid(till);
});

test('a later event with another amount corrects what is in suspense, and is noted', async () => {
  const till = await unplacedTill();
  await deliver(till, paidOf('pay_elsewhere_1', 'evt_2', { paid_minor: 2_100 }));
  expect(await onlyUnplaced(till)).toMatchObject({
    version: 2,
    note: 'amount_mismatch',
    amount_minor: 2_100,
  });
  expect(await balancesOf(till)).toEqual({ payers: -2_100, suspense: 2_100 });
  await expectValid(till);
});

test('an event without an amount books nothing until a later event of the session states one', async () => {
  const till = await createTill();
  await deliver(till, paidOf('pay_elsewhere_1', 'evt_1', { amount_minor: 'twenty' }));
  expect(await onlyUnplaced(till)).toMatchObject({ state: 'open', amount_minor: null, suspended_minor: 0 });
  expect(await balancesOf(till)).toEqual({});
  await deliver(till, paidOf('pay_elsewhere_1', 'evt_2'));
  expect(await balancesOf(till)).toEqual({ payers: -2_020, suspense: 2_020 });
  await expectValid(till);
});

test('events that report no money, or that are stale, book nothing', async () => {
  const till = await createTill();
  await deliver(till, failedOf('pay_elsewhere_1'));
  const hourAgo = till.clock.now() - 60 * minute;
  await till.deliver(paidOf('pay_elsewhere_2', 'evt_old'), { signedAt: hourAgo });
  await till.clock.advance(1_000);
  expect(await unplacedIn(till)).toEqual([]);
});

test('the money is placed when a collection learns the session: it leaves suspense in the batch that books it', async () => {
  const till = await createTill();
  // The create answer is lost, so that the event comes before the session is known.
  const { session, answer } = await payUnanswered(till, payer);
  const { id } = await till.only(payer);
  await deliver(till, paidOf(session, 'evt_early'));
  expect(await balancesOf(till)).toEqual({ payers: -2_020, suspense: 2_020 });
  answer();
  await till.until(async () => (await till.only(payer)).booked !== null, 10 * minute);
  const payment = await onlyUnplaced(till);
  expect(payment).toMatchObject({ state: 'placed', collection_id: id, suspended_minor: 0 });
  expect((await postingsOf(till, payment.id)).slice(2)).toEqual([
    ['placement', 'suspense', -2_020],
    ['placement', 'payers', 2_020],
  ]);
  const times = await till.ledger.rows('SELECT DISTINCT at FROM posting WHERE seq > 2');
  expect(times).toHaveLength(1);
  await expectValid(till);
});

test('a merchant with other channels: the money of unknown sessions is listed as foreign and not booked', async () => {
  const till = await unplacedTill({
    configure(config) {
      withStaff(config);
      for (const merchant of config.merchants) merchant.otherChannels = true;
    },
  });
  expect(await onlyUnplaced(till)).toMatchObject({
    state: 'foreign',
    reason: 'other_channels',
    suspended_minor: 0,
  });
  expect(await balancesOf(till)).toEqual({});
  await expectValid(till);
});

test.each([
  ['web', false, 'foreign', 'stated_channel'],
  ['ussd', true, 'open', 'unknown_session'],
])(
  'an event that states the channel %s is believed: other channels %s',
  async (channel, otherChannels, state, reason) => {
    const till = await createTill({
      configure(config) {
        for (const merchant of config.merchants) merchant.otherChannels = otherChannels;
      },
    });
    await deliver(till, paidOf('pay_elsewhere_1', 'evt_1', { channel }));
    expect(await onlyUnplaced(till)).toMatchObject({ state, reason });
  },
);

test.each([
  ['a merchant with other channels', true, {}],
  ['an event that stated another channel', false, { channel: 'web' }],
])(
  'money that is foreign by %s is booked when a later event states USSD',
  async (_, otherChannels, stated) => {
    const till = await createTill({
      configure(config) {
        withStaff(config);
        for (const merchant of config.merchants) merchant.otherChannels = otherChannels;
      },
    });
    await deliver(till, paidOf('pay_elsewhere_1', 'evt_1', stated));
    expect(await onlyUnplaced(till)).toMatchObject({ state: 'foreign', suspended_minor: 0 });
    await deliver(till, paidOf('pay_elsewhere_1', 'evt_2', { channel: 'ussd' }));
    expect(await onlyUnplaced(till)).toMatchObject({
      ...{ state: 'open', reason: 'unknown_session', channel: 'ussd', suspended_minor: 2_020 },
    });
    expect(await balancesOf(till)).toEqual({ payers: -2_020, suspense: 2_020 });
    await expectValid(till);
  },
);

test('money that people have declared foreign stays foreign when a later event states USSD', async () => {
  const till = await createTill({ configure: withStaff });
  await deliver(till, paidOf('pay_elsewhere_1'));
  await decideNow(till, (await onlyUnplaced(till)).id, { outcome: 'foreign' });
  await deliver(till, paidOf('pay_elsewhere_1', 'evt_2', { channel: 'ussd' }));
  expect(await onlyUnplaced(till)).toMatchObject({
    state: 'foreign',
    reason: 'declared_foreign',
    suspended_minor: 0,
  });
  await expectValid(till);
});

test('a suggestion shows no whole number, also in its reference', async () => {
  const till = await createTill({ configure: withStaff });
  const collectionId = await failed(till);
  await till.write([
    { sql: 'UPDATE collection SET reference = ? WHERE id = ?', args: ['0209876543', collectionId] },
  ]);
  await deliver(till, paidOf('pay_elsewhere_1'));
  const { id } = await onlyUnplaced(till);
  for (const path of ['/unplaced', `/unplaced/${id}`]) {
    const shown = JSON.stringify((await callStaff(till, 'efua', path)).body);
    expect(shown).toContain('"reference":"23320****543"');
    expect(shown).not.toContain('209876543');
  }
});

test('two people match the money with an unpaid collection: it leaves suspense and is booked once', async () => {
  const till = await createTill({ configure: withStaff });
  const collectionId = await failed(till);
  await deliver(till, paidOf('pay_elsewhere_1'));
  const { id } = await onlyUnplaced(till);
  const shown = await callStaff(till, 'ama', `/unplaced/${id}`);
  expect(shown.body).toMatchObject({
    suggestions: [{ collectionId, agrees: ['amount'], totalMinor: 2_020 }],
  });
  expect(await decideNow(till, id, { outcome: 'match', collectionId })).toMatchObject({ status: 200 });
  expect(await till.only(payer)).toMatchObject({ status: 'paid', reason: 'matched', unplacedId: id });
  expect(await till.booked(collectionId)).toEqual(paidInFull);
  expect(await onlyUnplaced(till)).toMatchObject({ state: 'placed', collection_id: collectionId });
  expect(await balancesOf(till)).toEqual({
    payers: -2_020,
    'merchant:demo-shop': 2_000,
    service_fees: 20,
    suspense: 0,
  });
  await expectValid(till);
});

test('a collection that has its money, asked for another amount, or is still open cannot take the money', async () => {
  const till = await createTill({ configure: withStaff });
  await deliver(till, paidOf('pay_elsewhere_1', 'evt_1', { paid_minor: 2_019 }));
  const { id } = await onlyUnplaced(till);
  till.loseWebhooks();
  const { id: collectionId } = await till.prompted(payer);
  const match = () => decideNow(till, id, { outcome: 'match', collectionId });
  expect((await match()).body).toMatchObject({ error: { message: expect.stringContaining('still polls') } });
  await till.declined(payer, 10 * minute);
  expect((await match()).body).toMatchObject({
    error: { message: expect.stringContaining('another amount') },
  });
  expect(await till.booked(collectionId)).toEqual([]);
  expect(await onlyUnplaced(till)).toMatchObject({ state: 'open', suspended_minor: 2_019 });
});

test('returned money leaves suspense with the reference of the transfer, and foreign money as such', async () => {
  for (const [terms, state, kind] of [
    [{ outcome: 'return', reference: 'MTN-77' }, 'returned', 'return'],
    [{ outcome: 'foreign' }, 'foreign', 'foreign'],
  ] as const) {
    const till = await unplacedTill();
    const { id } = await onlyUnplaced(till);
    expect(await decideNow(till, id, terms)).toMatchObject({ status: 200 });
    expect(await onlyUnplaced(till)).toMatchObject({ state, suspended_minor: 0 });
    expect((await postingsOf(till, id)).slice(2).map(([one]) => one)).toEqual([kind, kind]);
    expect(await balancesOf(till)).toEqual({ payers: 0, suspense: 0 });
    const again = await callStaff(till, 'ama', `/unplaced/${id}/proposals`, {
      evidence,
      version: 2,
      ...terms,
    });
    expect(again.status).toBe(409);
    await expectValid(till);
  }
});

test('a decision needs a second person, the version that its author saw, and applies once', async () => {
  const till = await unplacedTill();
  const { id } = await onlyUnplaced(till);
  const terms = { outcome: 'foreign', evidence, version: 1 };
  const made = await callStaff(till, 'ama', `/unplaced/${id}/proposals`, terms);
  const path = `/proposals/${made.body.id}/approve`;
  expect((await callStaff(till, 'ama', path, {})).body).toMatchObject({
    error: { message: expect.stringContaining('another person') },
  });
  await deliver(till, failedOf('pay_elsewhere_1'));
  expect((await callStaff(till, 'kofi', path, {})).body).toMatchObject({
    error: { message: expect.stringContaining('version 2') },
  });
  const newer = await callStaff(till, 'ama', `/unplaced/${id}/proposals`, { ...terms, version: 2 });
  const twice = await Promise.all(
    [1, 2].map(() => callStaff(till, 'kofi', `/proposals/${newer.body.id}/approve`, {})),
  );
  expect(twice.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(await balancesOf(till)).toEqual({ payers: 0, suspense: 0 });
  await expectValid(till);
});

test('a collection that learns the session after its money was returned goes to review, and books nothing', async () => {
  const till = await createTill({ configure: withStaff });
  const { session, answer } = await payUnanswered(till, payer);
  await deliver(till, paidOf(session, 'evt_early'));
  const { id } = await onlyUnplaced(till);
  expect(await decideNow(till, id, { outcome: 'return', reference: 'MTN-77' })).toMatchObject({
    status: 200,
  });
  answer();
  await till.until(async () => (await till.only(payer)).status === 'review', 10 * minute);
  expect(await till.only(payer)).toMatchObject({ review: 'unplaced_decided', booked: null });
  expect(await balancesOf(till)).toEqual({ payers: 0, suspense: 0 });
  await expectValid(till);
});
