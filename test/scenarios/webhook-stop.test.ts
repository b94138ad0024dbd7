import { expect, test } from 'vitest';
import type { Store } from '../../src/sqlite/store.ts';
import { createLatch, paidInFull } from '../kit/scenes.ts';
import { createTill, paidEvent, payer, type Till } from '../kit/till.ts';
import { paidOf, unplacedEventsIn } from '../kit/unplaced.ts';

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
