import { expect, test } from 'vitest';
import { createTill, hour, minute } from '../kit/till.ts';

test('S14: after an outage of two hours, recent payers are prompted, and none after the prompt deadline', async () => {
  const till = await createTill({
    service: { rail: { promptLifetimeMs: hour } },
    // Otherwise payers are refused, and there is no backlog.
    configure: ({ service }) => {
      service.outage.duringOutage = 'warn';
    },
  });
  till.faults.call = async () => new Response('<html>', { status: 503 });
  let n = 0;
  const comeAlong = async () => {
    const phone = till.phone(`0244${String(++n).padStart(6, '0')}`);
    await phone.dial('1', '20');
    await phone.send('1');
  };
  // Five at the start of every forty minutes, and then one every twenty seconds.
  for (let part = 0; part < 3; part++) {
    await Promise.all(Array.from({ length: 5 }, comeAlong));
    await till.clock.advance(4 * minute);
    await till.clock.skip(36 * minute);
  }
  for (let tick = 0; tick < 12; tick++) {
    await comeAlong();
    await till.clock.advance(20_000);
  }
  const backlog = (await till.storedCollections()).length;
  expect(backlog).toBe(3 * 5 + 12);
  delete till.faults.call;
  const healedAt = till.clock.now();
  await till.clock.advance(4 * minute);

  const initiates = till.calls.filter(({ name }) => name === 'initiate');
  const { sessions, pushes } = await till.service.statement();
  expect(pushes).toBe(initiates.length);
  expect(pushes).toBeGreaterThanOrEqual(8);
  expect(pushes).toBeLessThanOrEqual(9);
  const pushed = new Set(sessions.flatMap((one) => (one.pushes > 0 ? [one.sessionId] : [])));
  for (const { id, sessionId, status } of await till.storedCollections()) {
    const { collection } = await till.record(id);
    const isInTime = collection.promptDeadline > healedAt + 10_000;
    if (isInTime) expect(status).toBe('initiated');
    if (collection.promptDeadline <= healedAt)
      expect(collection).toMatchObject({ status: 'abandoned', reason: 'prompt_deadline' });
    if (pushed.has(sessionId ?? '')) {
      expect(collection.initiateSentAt ?? 0).toBeLessThan(collection.promptDeadline);
    } else expect(status).toBe('abandoned');
  }
  for (const { startedAt: at } of initiates) expect(at).toBeLessThan(healedAt + 3 * minute);
});
