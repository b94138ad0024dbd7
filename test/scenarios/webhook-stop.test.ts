import { expect, test } from 'vitest';
import type { Store } from '../../src/sqlite/store.ts';
import { createLatch } from '../kit/scenes.ts';
import { createTill } from '../kit/till.ts';
import { paidOf } from '../kit/unplaced.ts';

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
    configure: ({ service }) => {
      service.callsInFlight = 1;
    },
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
