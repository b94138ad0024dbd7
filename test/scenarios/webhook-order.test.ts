import { expect, test } from 'vitest';
import type { Store } from '../../src/sqlite/store.ts';
import { createLatch, inSuspense, paidInFull } from '../kit/scenes.ts';
import { createTill, failedEvent, paidEvent, payer, type Till } from '../kit/till.ts';
import { paidOf, unplacedEventsIn } from '../kit/unplaced.ts';

test('S16: when no webhook ever arrives, a poll books the payment at the quote', async () => {
  const till = await createTill();
  till.loseWebhooks();
  const row = await till.paidPayment();
  expect(row).toMatchObject({ amountSource: 'quote', amountMinor: 2_020, late: 0, review: null });
  expect(row.paidAt).toMatch(/^2026-03-06T09:00/);
  expect(await till.booked(row.id)).toEqual(paidInFull);
  expect(await till.inbox()).toEqual([]);
  expect((await till.verify()).faults).toEqual([]);
});

test('S16: a webhook after the poll confirms the amounts and books nothing', async () => {
  const till = await createTill();
  till.loseWebhooks();
  await till.paidPayment();
  delete till.faults.webhook;
  await till.until(async () => (await till.only(payer)).amountSource === 'webhook', 600_000);
  const row = await till.only(payer);
  expect(row).toMatchObject({ status: 'paid', review: null });
  expect(await till.booked(row.id)).toEqual(paidInFull);
  expect((await till.verify()).faults).toEqual([]);
});

const errors: Record<string, () => Promise<Response>> = {
  'is reset': () => Promise.reject(new Error('reset')),
  'answers 500': async () => Response.json({}, { status: 500 }),
  'answers HTML with 200': async () => new Response('<html>', { status: 200 }),
  'is refused': async () =>
    Response.json({ error: { code: 'session_not_created', message: 'no' } }, { status: 409 }),
  'is refused for good': async () =>
    Response.json({ error: { code: 'session_closed', message: 'no' } }, { status: 422 }),
  'never answers': () => new Promise<Response>(() => {}),
};

test.each(Object.keys(errors))(
  'S17: paid arrives while initiate is in flight, which then %s: paid once, prompted once',
  async (end) => {
    const till = await createTill();
    const held = createLatch();
    till.faults.call = async (call, pass) => {
      const answer = await pass();
      if (call.name !== 'initiate') return answer;
      await held.wait();
      return errors[end]?.() ?? answer;
    };
    await till.pay(payer);
    await till.until(async () => (await till.service.statement()).pushes === 1);
    expect((await till.only(payer)).status).toBe('initiating');
    const paid = await till.approved(payer, 5_000);
    held.release();
    await till.clock.advance(60_000);

    const row = await till.only(payer);
    expect(row).toMatchObject({
      status: 'paid',
      review: null,
      closedAt: paid.closedAt,
      amountSource: 'webhook',
    });
    expect(await till.booked(row.id)).toEqual(paidInFull);
    expect(till.callsOf('initiate')).toBe(1);
    expect(await till.service.statement()).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
    expect((await till.verify()).faults).toEqual([]);
  },
);

test.each([
  {
    type: 'paid',
    event: paidEvent,
    status: 'review',
    reason: 'paid_while_created',
    money: inSuspense(2_020),
  },
  // A reported failure ends nothing: the payer confirmed the payment, and the session accepts its prompt.
  { type: 'failed', event: failedEvent, status: 'initiated', reason: null, money: [] },
])(
  'S18: an event of an unknown session ($type) is stored, parked, and matched when the session becomes known',
  async ({ event, status, reason, money }) => {
    const till = await createTill();
    const held = createLatch();
    till.faults.call = async (call, pass) => {
      const answer = await pass();
      if (call.name === 'create') await held.wait();
      return answer;
    };
    await till.pay(payer);
    await held.reached;
    const [session] = (await till.service.statement()).sessions;
    const row = await till.only(payer);
    expect(row).toMatchObject({ status: 'accepted', sessionId: null });
    const known = {
      ...row,
      sessionId: session?.sessionId ?? '',
      amountMinor: 2_020,
      feeMinor: 20,
      netMinor: 2_000,
    };
    const answer = await till.deliver(event(known));
    expect([answer.status, await answer.json()]).toEqual([200, { received: true }]);
    await till.until(async () => (await till.inbox())[0]?.state === 'parked', 2_000);
    expect(await till.only(payer)).toMatchObject({ status: 'accepted' });

    held.release();
    const after = await till.untilStatus(payer, status, 10_000);
    expect(after).toMatchObject({ reason, sessionId: session?.sessionId });
    expect(await till.inbox()).toMatchObject([{ state: 'handled', sessionId: session?.sessionId }]);
    expect(await till.booked(row.id)).toEqual(money);
    await till.clock.advance(60_000);
    expect(till.callsOf('initiate')).toBe(status === 'initiated' ? 1 : 0);
    expect(await till.service.statement()).toMatchObject({ pushes: status === 'initiated' ? 1 : 0 });
    expect((await till.verify()).faults).toEqual([]);
  },
);

test('S18: an event of another channel is acknowledged, stored completely and parked, and changes nothing', async () => {
  const till = await createTill();
  const row = await till.prompted();
  const event = paidEvent({ ...row, sessionId: 'pay_of_the_web_shop' }, 'evt_web');
  expect((await till.deliver(event)).status).toBe(200);
  await till.clock.advance(60_000);
  expect(await till.inbox()).toEqual([
    { id: 'evt_web', state: 'parked', sessionId: 'pay_of_the_web_shop', body: JSON.stringify(event) },
  ]);
  expect((await till.only(payer)).status).toBe('initiated');
  expect(await till.booked(row.id)).toEqual([]);
  await till.restart();
  await till.clock.advance(5_000);
  expect(await till.inbox()).toMatchObject([{ state: 'parked' }]);
  expect(await till.deliver(event).then((answer) => answer.status)).toBe(200);
  expect(await till.inbox()).toHaveLength(1);
});

test('S18: an event without a session is acknowledged, stored and marked as handled', async () => {
  const till = await createTill();
  const event = { id: 'evt_account', type: 'account.updated', created_at: '2026-03-06T09:00:00Z', data: {} };
  expect((await till.deliver(event)).status).toBe(200);
  await till.until(async () => (await till.inbox())[0]?.state === 'handled', 2_000);
});

test('a gateway that stops leaves no lease on the events that it has not begun', async () => {
  const first = createLatch();
  let handled = 0;
  const wrapStore = (store: Store): Store => ({
    ...store,
    async apply(batch, signal) {
      const isHandling = batch.some(({ args }) => args.includes('parked'));
      if (isHandling && handled++ === 0) await first.wait();
      return store.apply(batch, signal);
    },
  });
  const till = await createTill({
    configure: ({ service }) => Object.assign(service, { callsInFlight: 1 }),
    wrapStore,
  });
  const deliver = (n: number) => till.deliver(paidOf(`pay_elsewhere_${n}`, `evt_${n}`));
  expect((await deliver(1)).status).toBe(200);
  await till.until(async () => handled > 0);
  for (const n of [2, 3]) expect((await deliver(n)).status).toBe(200);
  const leased = () =>
    till.ledger.rows('SELECT event_id FROM inbox WHERE lease_until > ?', [till.clock.now()]);
  expect(await leased()).toHaveLength(3);
  const stopped = till.gateway().stop();
  first.release();
  await Promise.all([stopped, till.clock.advance(1_000)]);
  expect(await leased()).toEqual([]);
  const waiting = await till.ledger.rows(
    `SELECT event_id FROM inbox WHERE state = 'waiting' ORDER BY event_id`,
  );
  expect(waiting).toEqual([{ event_id: 'evt_2' }, { event_id: 'evt_3' }]);
});

const other = '0201234567';

const poison = 'evt_poison';

/** Creates a gateway in which every write that marks this event as handled fails. It counts the attempts. */
async function openPoisoned(): Promise<{ till: Till; tries: { count: number } }> {
  const tries = { count: 0 };
  const wrapStore = (store: Store): Store => ({
    ...store,
    async apply(batch, signal) {
      if (batch.some(({ args }) => args.includes(poison) && args.includes('handled'))) {
        tries.count++;
        throw new Error('this event cannot be handled');
      }
      return store.apply(batch, signal);
    },
  });
  return { till: await createTill({ wrapStore }), tries };
}

const stateOf = async (till: Till, id: string) => (await till.inbox()).find((one) => one.id === id)?.state;

test('S47: an event whose handling throws is tried 25 times and dead-lettered with an alarm, without delay of others', async () => {
  const { till, tries } = await openPoisoned();
  const poisoned = await till.prompted();
  expect((await till.deliver(paidEvent(poisoned, poison))).status).toBe(200);
  await till.clock.advance(5_000);
  expect(tries.count).toBeGreaterThan(1);
  expect(await stateOf(till, poison)).toBe('waiting');

  // Beside it, events are handled as ever.
  expect(await till.paidPayment(other, 2_000)).toMatchObject({ amountSource: 'webhook' });

  // The event's own collection is not lost: the polls know what became of it.
  await till.approved(payer, 120_000);
  expect(await till.booked(poisoned.id)).toEqual(paidInFull);

  let waits = 0;
  while ((await stateOf(till, poison)) === 'waiting' && waits++ < 40) await till.clock.skip(600_000);
  expect(await stateOf(till, poison)).toBe('dead');
  expect(tries.count).toBe(25);
  expect(till.alarms().filter((alarm) => alarm === 'event_dead_lettered')).toHaveLength(1);
  await till.clock.advance(60_000);
  expect(tries.count).toBe(25);

  const unplaced = await till.read(unplacedEventsIn);
  expect(unplaced.map(({ eventId, state }) => [eventId, state])).toEqual([[poison, 'dead']]);
  expect((await till.verify()).faults).toEqual([]);
});

test('S47: an event whose handling fails for a while is handled when the cause is gone', async () => {
  let broken = true;
  const wrapStore = (store: Store): Store => ({
    ...store,
    async apply(batch, signal) {
      if (broken && batch.some(({ args }) => args.includes('handled'))) throw new Error('not now');
      return store.apply(batch, signal);
    },
  });
  const till = await createTill({ wrapStore });
  const row = await till.prompted();
  await till.deliver(paidEvent(row));
  await till.clock.advance(3_000);
  expect((await till.only(payer)).status).toBe('initiated');
  broken = false;
  expect(await till.untilStatus(payer, 'paid', 5_000)).toMatchObject({ amountSource: 'webhook' });
  expect(await till.booked(row.id)).toEqual(paidInFull);
  expect(till.alarms()).toEqual([]);
});
