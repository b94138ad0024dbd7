import { expect, test } from 'vitest';
import { paidInFull } from '../kit/scenes.ts';
import { createTill, paidEvent, type Till } from '../kit/till.ts';

const payer = '0244123456';

/** Keeps the prompt open during these tests, so that only events decide. */
const patient = { service: { rail: { promptLifetimeMs: 3_600_000 } } };

async function reopen(till: Till, environment: 'test' | 'live'): Promise<void> {
  till.config.environment = environment;
  await till.restart();
}

test('S34: a paid event of the other environment books nothing and changes no collection', async () => {
  const till = await createTill(patient);
  till.loseWebhooks();
  const row = await till.prompted();
  await reopen(till, 'live');
  const calls = till.calls.length;
  const before = await till.record(row.id);
  expect((await till.deliver(paidEvent(row, 'evt_live'))).status).toBe(200);
  await till.clock.advance(120_000);

  expect(await till.inbox()).toMatchObject([{ id: 'evt_live', state: 'parked' }]);
  const { events: _events, ...after } = await till.record(row.id);
  expect(before).toMatchObject(after);
  expect(till.calls.length).toBe(calls);

  // Back in its own environment the collection continues, and the event still has no effect.
  await reopen(till, 'test');
  await till.clock.advance(120_000);
  expect(till.callsOf('status')).toBeGreaterThan(0);
  expect(await till.only(payer)).toMatchObject({ status: 'initiated' });
  expect(await till.inbox()).toMatchObject([{ id: 'evt_live', state: 'parked' }]);
  await till.deliver(paidEvent(row, 'evt_test'));
  await till.untilStatus(payer, 'paid', 5_000);
  expect(await till.booked(row.id)).toEqual(paidInFull);
  expect((await till.verify()).faults).toEqual([]);
});

test('S34: an event that waits while the environment changes is not handled in the other one', async () => {
  const till = await createTill(patient);
  till.loseWebhooks();
  const row = await till.prompted();
  till.config.environment = 'live';
  const [, answer] = await Promise.all([till.restart(), till.deliver(paidEvent(row))]);
  expect(answer.status).toBe(200);
  await till.clock.advance(60_000);
  expect(await till.inbox()).toMatchObject([{ state: 'waiting' }]);
  expect(await till.only(payer)).toMatchObject({ status: 'initiated' });
  await reopen(till, 'test');
  await till.untilStatus(payer, 'paid', 5_000);
});

test('S34: every collection, posting and event carries its mode', async () => {
  const till = await createTill();
  till.loseWebhooks();
  const row = await till.prompted();
  await till.deliverHandled(paidEvent(row));
  const { collection, postings, events } = await till.record(row.id);
  expect(new Set([collection, ...postings, ...events].map((one) => one.livemode))).toEqual(new Set([0]));
  await reopen(till, 'live');
  const live = await till.prompted('0244999999');
  expect(live.livemode).toBe(1);
});
