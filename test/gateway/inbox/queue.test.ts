import { expect, test } from 'vitest';
import { type HandleEventDeps, readEvent } from '../../../src/gateway/inbox/handle-event.ts';
import { type InboxRow, inboxStore, inboxWrites } from '../../../src/gateway/inbox/inbox-store.ts';
import { inboxQueue } from '../../../src/gateway/inbox/queue.ts';
import { systemIds } from '../../../src/shared/ids.ts';
import { createBench } from '../collection/bench.ts';

const leaseMs = 30_000;

function openQueue() {
  const { clock, store } = createBench();
  const inbox = inboxStore(store);
  // An event without a session that reports no money needs nothing else.
  const deps: Partial<HandleEventDeps> = {
    inbox,
    clock,
    ids: systemIds(clock),
    hasOtherChannels: () => false,
  };
  const queue = inboxQueue(deps as HandleEventDeps, { livemode: 0, leaseMs });
  const deliver = async (eventId: string, leaseUntil = 0, merchantId = 'demo-shop') => {
    const now = clock.now();
    const row: InboxRow = {
      ...{ merchantId, eventId, livemode: 0, type: 'other', sessionId: null },
      ...{
        body: '{"id":"e","type":"other","created_at":"2026-03-06T09:00:30.000Z","data":{}}',
        receivedAt: now,
        state: 'waiting',
        nextAt: leaseUntil || now,
      },
      ...{ leaseUntil, attempts: leaseUntil === 0 ? 0 : 1, stale: 0 },
    };
    expect(await inbox.apply(inboxWrites.insert(row))).toBe(true);
    if (leaseUntil > 0) queue.handOver(row);
  };
  const stateOf = async (eventId: string, merchantId = 'demo-shop') =>
    (await inbox.find({ merchantId, eventId }))?.state;
  return { clock, inbox, queue, deliver, stateOf };
}

test('an event that is stored under a lease is handled without a claim, before those that are listed', async () => {
  const { clock, queue, deliver, stateOf } = openQueue();
  await deliver('evt_listed');
  await deliver('evt_own', queue.leaseFor('demo-shop', clock.now()));
  const [first, ...others] = await queue.claim(clock.now(), 1);
  expect(others).toEqual([]);
  await first?.();
  expect([await stateOf('evt_own'), await stateOf('evt_listed')]).toEqual(['handled', 'waiting']);
  for (const job of await queue.claim(clock.now(), 10)) await job();
  expect(await stateOf('evt_listed')).toBe('handled');
});

test('an event whose lease has ended before its turn is claimed like any other, once', async () => {
  const { clock, inbox, queue, deliver, stateOf } = openQueue();
  await deliver('evt_own', queue.leaseFor('demo-shop', clock.now()));
  await clock.advance(leaseMs);
  const jobs = await queue.claim(clock.now(), 10);
  expect(jobs).toHaveLength(1);
  expect(await inbox.find({ merchantId: 'demo-shop', eventId: 'evt_own' })).toMatchObject({ attempts: 2 });
  for (const job of jobs) await job();
  expect(await stateOf('evt_own')).toBe('handled');
});

test('no more than a hundred events of a merchant, and a thousand of all, wait in memory: further ones are stored without a lease', async () => {
  const { clock, queue } = openQueue();
  const leaseFor = (merchantId: string) => queue.leaseFor(merchantId, clock.now());
  const leaseUntil = clock.now() + leaseMs;
  for (let shop = 0; shop < 10; shop++) {
    expect(leaseFor(`shop-${shop}`)).toBe(leaseUntil);
    for (let stored = 0; stored < 100; stored++)
      queue.handOver({ merchantId: `shop-${shop}`, leaseUntil } as InboxRow);
    expect(leaseFor(`shop-${shop}`)).toBeUndefined();
  }
  expect(leaseFor('other-shop')).toBeUndefined();
  await queue.claim(clock.now(), 1);
  expect([leaseFor('shop-0'), leaseFor('shop-1'), leaseFor('other-shop')]).toEqual([
    leaseUntil,
    undefined,
    leaseUntil,
  ]);
});

test('a merchant whose events fill the memory delays no event of another one', async () => {
  const { clock, queue, deliver, stateOf } = openQueue();
  let flooded = 0;
  const flood = async (events: number) => {
    for (; events > 0; events--)
      await deliver(`evt_${flooded++}`, queue.leaseFor('loud-shop', clock.now()), 'loud-shop');
  };
  await flood(120);
  await deliver('evt_new', queue.leaseFor('quiet-shop', clock.now()), 'quiet-shop');
  for (const job of await queue.claim(clock.now(), 2)) await job();
  expect(await stateOf('evt_new', 'quiet-shop')).toBe('handled');
});

test('events that are listed get turns while those of this process keep coming', async () => {
  const { clock, queue, deliver, stateOf } = openQueue();
  await deliver('evt_retried', 0, 'quiet-shop');
  for (let n = 0; n < 8; n++)
    await deliver(`evt_${n}`, queue.leaseFor('loud-shop', clock.now()), 'loud-shop');
  for (let n = 8; n < 16; n++) {
    await deliver(`evt_${n}`, queue.leaseFor('loud-shop', clock.now()), 'loud-shop');
    for (const job of await queue.claim(clock.now(), 1)) await job();
  }
  expect(await stateOf('evt_retried', 'quiet-shop')).toBe('handled');
});

test('events that wait in memory when the process stops are due at once for another one', async () => {
  const { clock, inbox, queue, deliver } = openQueue();
  for (const id of ['evt_1', 'evt_2']) await deliver(id, queue.leaseFor('demo-shop', clock.now()));
  const due = async () =>
    (await inbox.listDue({ now: clock.now(), livemode: 0, limit: 10 })).map(({ eventId }) => eventId);
  expect(await due()).toEqual([]);
  await queue.release();
  expect((await due()).toSorted()).toEqual(['evt_1', 'evt_2']);
});

test('the next event is due when the first lease ends, or at once when one has none', async () => {
  const { clock, inbox, queue, deliver } = openQueue();
  expect(await inbox.nextDueAt(0)).toBeNull();
  await deliver('evt_1');
  const [row] = await inbox.listDue({ now: clock.now(), livemode: 0, limit: 1 });
  if (!row) throw new Error('the event is not due');
  expect(await inbox.claim(row, clock.now(), clock.now() + leaseMs)).toBe(true);
  expect(await inbox.nextDueAt(0)).toBe(clock.now() + leaseMs);
  await deliver('evt_2', queue.leaseFor('demo-shop', clock.now() + 1));
  expect(await inbox.nextDueAt(0)).toBe(clock.now() + leaseMs);
  await deliver('evt_3');
  expect(await inbox.nextDueAt(0)).toBe(clock.now());
});

test('a process that stops ends no lease that another one holds since', async () => {
  const { clock, inbox, queue, deliver } = openQueue();
  await deliver('evt_1', queue.leaseFor('demo-shop', clock.now()));
  await clock.advance(leaseMs);
  const [row] = await inbox.listDue({ now: clock.now(), livemode: 0, limit: 1 });
  if (!row) throw new Error('the event is not due');
  expect(await inbox.claim(row, clock.now(), clock.now() + leaseMs)).toBe(true);
  await queue.release();
  expect(await inbox.listDue({ now: clock.now(), livemode: 0, limit: 1 })).toEqual([]);
});

test('events that wait in this process are handled although the others cannot be listed', async () => {
  const { clock, inbox, queue, deliver, stateOf } = openQueue();
  await deliver('evt_own', queue.leaseFor('demo-shop', clock.now()));
  inbox.listDue = () => Promise.reject(new Error('the database is away'));
  for (const job of await queue.claim(clock.now(), 10)) await job();
  expect(await stateOf('evt_own')).toBe('handled');
  await expect(queue.claim(clock.now(), 10)).rejects.toThrow('the database is away');
});

const paid = {
  id: 'pay_1',
  status: 'paid',
  goods_minor: 2_000,
  amount_minor: 2_020,
  expected_fee_minor: 20,
  expected_net_minor: 2_000,
  paid_at: '2026-03-06T09:00:10.000Z',
};

function read(type: string, data: object) {
  const created_at = '2026-03-06T09:00:30.000Z';
  const body = JSON.stringify({ id: 'evt_1', type, created_at, data });
  return readEvent({ eventId: 'evt_1', type, livemode: 0, body }).evidence;
}

test('a paid event contains the amounts and the time', () => {
  expect(read('payment.session.paid', { ...paid, more: 'than we know' })).toEqual({
    kind: 'event_paid',
    eventId: 'evt_1',
    type: 'payment.session.paid',
    amounts: { goodsMinor: 2_000, amountMinor: 2_020, feeMinor: 20, netMinor: 2_000 },
    paidAt: '2026-03-06T09:00:10.000Z',
  });
});

test.each([
  ['without goods', { ...paid, goods_minor: undefined }],
  ['without a fee', { ...paid, expected_fee_minor: undefined }],
  ['without a net', { ...paid, expected_net_minor: undefined }],
  ['without amounts', { id: 'pay_1', status: 'paid' }],
  ['with amounts as text', { ...paid, amount_minor: '2020' }],
  ['with half a pesewa', { ...paid, amount_minor: 2_020.5 }],
  ['with a negative fee', { ...paid, expected_fee_minor: -20 }],
  ['of another status', { ...paid, status: 'initiated' }],
])('a paid event %s states no amounts, so that a poll decides', (_, data) => {
  const type = 'payment.session.paid';
  expect(read(type, data)).toEqual({ kind: 'event_unreadable', eventId: 'evt_1', type });
});

test.each([
  ['without a time', { paid_at: undefined }, null],
  ['with a time that is a number', { paid_at: 1_772_787_610 }, null],
  ['without a status', { status: undefined }, paid.paid_at],
  ['with a status in capitals', { status: 'PAID' }, paid.paid_at],
])('a paid event %s still states its amounts', (_, changed, paidAt) => {
  expect(read('payment.session.paid', { ...paid, ...changed })).toMatchObject({
    kind: 'event_paid',
    amounts: { amountMinor: 2_020 },
    paidAt,
  });
});

test.each([
  [
    { status: 'failed', reason: 'declined' },
    { status: 'failed', reason: 'declined' },
  ],
  [{ status: 'expired' }, { status: 'expired' }],
  [{ status: 'cancelled' }, { status: 'failed' }],
  [{}, { status: 'failed' }],
  [{ status: 'failed', reason: 'Wrong PIN of 0244123456' }, { status: 'failed' }],
  [{ status: 'failed', reason: 'x'.repeat(65) }, { status: 'failed' }],
  [{ status: 'failed', reason: 7 }, { status: 'failed' }],
])('a failed event with %j becomes %j, and free text is dropped', (data, reason) => {
  const type = 'payment.session.failed';
  expect(read(type, data)).toEqual({ kind: 'event_failed', eventId: 'evt_1', type, ...reason });
});

test.each([
  [{ amount_minor: 1_020 }, 1_020],
  [{ amount_minor: 0 }, 0],
  [{}, null],
  [{ amount_minor: '1020' }, null],
  [{ amount_minor: -1 }, null],
  [{ amount_minor: 0.5 }, null],
  [{ amount_minor: 2 ** 53 }, null],
  [{ amount_minor: 2_020, paid_minor: 1_010 }, 1_010],
  [{ amount_minor: 2_020, paid_minor: '1010' }, null],
])('a review event with %j has the amount %j', (data, amountMinor) => {
  const type = 'payment.session.review_amount_mismatch';
  expect(read(type, data)).toEqual({ kind: 'event_review', eventId: 'evt_1', type, amountMinor });
});

test('a review event of a second charge is marked as one', () => {
  const type = 'payment.session.review_amount_mismatch';
  expect(read(type, { ...paid, paid_minor: 5, reason: 'second_charge' })).toEqual({
    kind: 'event_review',
    eventId: 'evt_1',
    type,
    amountMinor: 5,
    secondCharge: true,
    paidAt: paid.paid_at,
  });
});

test.each(['payment.session.refunded', 'toString'])('an event of the type "%s" is only recorded', (type) => {
  expect(read(type, paid)).toEqual({ kind: 'event_other', eventId: 'evt_1', type });
});

const settled = { state: 'settled', amount_minor: 1_010, reference: 'MP26030', settled_by: 'Ama' };

test('a refund event states the amount, the reference and the person', () => {
  const type = 'payment.session.refund_settled';
  expect(read(type, { ...paid, refund: settled })).toEqual({
    kind: 'event_refund',
    eventId: 'evt_1',
    type,
    amountMinor: 1_010,
    reference: 'MP26030',
    by: 'Ama',
  });
});

test.each([
  [undefined],
  [{ ...settled, amount_minor: -1 }],
  [{ ...settled, reference: '' }],
  [{ ...settled, reference: 'two\nlines' }],
  [{ ...settled, settled_by: 'x'.repeat(65) }],
])('a refund event with the refund %j is only recorded', (refund) => {
  const type = 'payment.session.refund_settled';
  expect(read(type, { ...paid, refund })).toEqual({ kind: 'event_other', eventId: 'evt_1', type });
});

const inDollars = { kind: 'event_other_currency', eventId: 'evt_1', currency: 'USD' };

test.each([
  ['payment.session.paid', { currency: 'USD' }, { ...inDollars, amountMinor: 2_020 }],
  ['payment.session.paid', { currency: ' usd ' }, { ...inDollars, amountMinor: 2_020 }],
  ['payment.session.paid', { currency: 'USD', paid_minor: 1 }, { ...inDollars, amountMinor: 1 }],
  ['payment.session.paid', { currency: 'USD', amount_minor: '20' }, { ...inDollars, amountMinor: null }],
  ['payment.session.paid', { currency: 840 }, { ...inDollars, currency: 'XXX', amountMinor: 2_020 }],
  ['payment.session.paid', { currency: 'US$' }, { ...inDollars, currency: 'XXX', amountMinor: 2_020 }],
  ['payment.session.paid', { currency: 'GHS' }, { kind: 'event_paid' }],
  ['payment.session.paid', { currency: 'ghs' }, { kind: 'event_paid' }],
  ['payment.session.paid', { currency: null }, { kind: 'event_paid' }],
  ['payment.session.paid', { currency: '' }, { kind: 'event_paid' }],
  ['payment.session.review_amount_mismatch', { currency: 'USD' }, { ...inDollars, amountMinor: 2_020 }],
  ['payment.session.refund_settled', { currency: 'USD', refund: settled }, { kind: 'event_other' }],
  ['payment.session.failed', { currency: 'USD' }, { kind: 'event_failed' }],
])('a %s event with %j is %j', (type, changed, evidence) => {
  expect(read(type, { ...paid, ...changed })).toMatchObject({ ...evidence, type });
});
