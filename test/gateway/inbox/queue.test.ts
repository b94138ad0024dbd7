import { expect, test } from 'vitest';
import type { HandleEventDeps } from '../../../src/gateway/inbox/handle-event.ts';
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
  const deliver = async (eventId: string, leaseUntil = 0) => {
    const now = clock.now();
    const row: InboxRow = {
      ...{ merchantId: 'demo-shop', eventId, livemode: 0, type: 'other', sessionId: null },
      ...{
        body: '{"id":"e","type":"other","created_at":"2026-03-06T09:00:30.000Z","data":{}}',
        receivedAt: now,
        state: 'waiting',
        nextAt: now,
      },
      ...{ leaseUntil, attempts: leaseUntil === 0 ? 0 : 1, stale: 0 },
    };
    expect(await inbox.apply(inboxWrites.insert(row))).toBe(true);
    if (leaseUntil > 0) queue.handOver(row);
  };
  const stateOf = async (eventId: string) => (await inbox.find({ merchantId: 'demo-shop', eventId }))?.state;
  return { clock, inbox, queue, deliver, stateOf };
}

test('an event that is stored under a lease is handled without a claim, before those that are listed', async () => {
  const { clock, queue, deliver, stateOf } = openQueue();
  await deliver('evt_listed');
  await deliver('evt_own', queue.leaseFor(clock.now()));
  const [first, ...others] = await queue.claim(clock.now(), 1);
  expect(others).toEqual([]);
  await first?.();
  expect([await stateOf('evt_own'), await stateOf('evt_listed')]).toEqual(['handled', 'waiting']);
  for (const job of await queue.claim(clock.now(), 10)) await job();
  expect(await stateOf('evt_listed')).toBe('handled');
});

test('an event whose lease has ended before its turn is claimed like any other, once', async () => {
  const { clock, inbox, queue, deliver, stateOf } = openQueue();
  await deliver('evt_own', queue.leaseFor(clock.now()));
  await clock.advance(leaseMs);
  const jobs = await queue.claim(clock.now(), 10);
  expect(jobs).toHaveLength(1);
  expect(await inbox.find({ merchantId: 'demo-shop', eventId: 'evt_own' })).toMatchObject({ attempts: 2 });
  for (const job of jobs) await job();
  expect(await stateOf('evt_own')).toBe('handled');
});

test('no more than a thousand events wait in memory: further ones are stored without a lease', async () => {
  const { clock, queue } = openQueue();
  const row = { leaseUntil: clock.now() + leaseMs } as InboxRow;
  for (let stored = 0; stored < 1_000; stored++) queue.handOver(row);
  expect(queue.leaseFor(clock.now())).toBeUndefined();
  await queue.claim(clock.now(), 1);
  expect(queue.leaseFor(clock.now())).toBe(clock.now() + leaseMs);
});

test('events that wait in memory when the process stops are due at once for another one', async () => {
  const { clock, inbox, queue, deliver } = openQueue();
  for (const id of ['evt_1', 'evt_2']) await deliver(id, queue.leaseFor(clock.now()));
  const due = async () =>
    (await inbox.listDue({ now: clock.now(), livemode: 0, limit: 10 })).map(({ eventId }) => eventId);
  expect(await due()).toEqual([]);
  await queue.release();
  expect((await due()).toSorted()).toEqual(['evt_1', 'evt_2']);
});

test('a process that stops ends no lease that another one holds since', async () => {
  const { clock, inbox, queue, deliver } = openQueue();
  await deliver('evt_1', queue.leaseFor(clock.now()));
  await clock.advance(leaseMs);
  const [row] = await inbox.listDue({ now: clock.now(), livemode: 0, limit: 1 });
  if (!row) throw new Error('the event is not due');
  expect(await inbox.claim(row, clock.now(), clock.now() + leaseMs)).toBe(true);
  await queue.release();
  expect(await inbox.listDue({ now: clock.now(), livemode: 0, limit: 1 })).toEqual([]);
});

test('events that wait in this process are handled although the others cannot be listed', async () => {
  const { clock, inbox, queue, deliver, stateOf } = openQueue();
  await deliver('evt_own', queue.leaseFor(clock.now()));
  inbox.listDue = () => Promise.reject(new Error('the database is away'));
  for (const job of await queue.claim(clock.now(), 10)) await job();
  expect(await stateOf('evt_own')).toBe('handled');
  await expect(queue.claim(clock.now(), 10)).rejects.toThrow('the database is away');
});
