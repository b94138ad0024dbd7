import { expect, test } from 'vitest';
import { createTill, type Till } from '../kit/till.ts';

const numbers = Array.from({ length: 20 }, (_, n) => `02440000${String(n).padStart(2, '0')}`);
const minute = 60_000;

const throttle = (retryAfter: string | null) => async () =>
  Response.json({}, { status: 429, headers: retryAfter === null ? {} : { 'retry-after': retryAfter } });

/** Prompts twenty payers, none of whom answers. */
async function openWaiting(): Promise<Till> {
  const till = await createTill({ service: { rail: { promptLifetimeMs: 60 * minute } } });
  const phones = numbers.map((number) => till.phone(number));
  await Promise.all(phones.map((phone) => phone.dial('1', '20')));
  await Promise.all(phones.map((phone) => phone.send('1')));
  await till.until(async () =>
    (await till.storedCollections()).every(({ status }) => status === 'initiated'),
  );
  return till;
}

test.each([
  { minutes: 3, header: null, pauseDurationMs: 1_000 },
  { minutes: 10, header: '30', pauseDurationMs: 30_000 },
])(
  'S44: $minutes minutes of 429 with Retry-After $header: one call for each pause, prompts before polls, and recovery',
  async ({ minutes, header, pauseDurationMs }) => {
    const till = await openWaiting();
    till.faults.call = throttle(header);
    const from = till.calls.length;
    await till.clock.advance((minutes - 2) * minute);
    const payer = '0201234567';
    await till.pay(payer);
    await till.clock.advance(2 * minute);
    const times = till.calls.slice(from).map(({ startedAt: at }) => at);
    const gaps = times.slice(1).map((at, n) => at - (times[n] ?? 0));
    // Calls that were in flight when the first 429 arrived belong to no pause.
    const inFlight = till.config.service.callsInFlight;
    expect(gaps.slice(inFlight).filter((gap) => gap < pauseDurationMs)).toEqual([]);
    expect(times.length).toBeLessThanOrEqual((minutes * minute) / pauseDurationMs + inFlight);
    expect(times.length).toBeGreaterThan(10);

    // The pause is over: the payer who waits for a prompt is served before the twenty due polls.
    delete till.faults.call;
    const healed = till.calls.length;
    await till.untilStatus(payer, 'initiated', pauseDurationMs + 30_000);
    const after = till.calls.slice(healed);
    const steps = after.findIndex(({ name }) => name === 'initiate');
    expect(after.slice(0, steps).filter(({ name }) => name === 'create')).toHaveLength(1);

    await Promise.all(
      [...numbers, payer].map(async (number) =>
        till.service.phone.approve((await till.prompt(number)).id, '1234'),
      ),
    );
    await till.until(
      async () => (await till.storedCollections()).every(({ status }) => status === 'paid'),
      5 * minute,
    );
    expect((await till.service.statement()).pushes).toBe(numbers.length + 1);
    expect((await till.verify()).faults).toEqual([]);
  },
);

test('S44: at a rate of one call a second, create and initiate go out before the due polls', async () => {
  const till = await openWaiting();
  // Every poll falls due during the pause.
  till.faults.call = throttle('10');
  await till.clock.advance(2 * minute);
  const payer = '0201234567';
  await till.pay(payer);
  till.config.service.callsPerSecond = 1;
  await till.restart();
  delete till.faults.call;
  const from = till.calls.length;
  await till.untilStatus(payer, 'initiated', 30_000);
  const polledBefore = till.calls.slice(from).filter(({ name }) => name === 'status').length;
  // Every fourth claim takes the longest due, so that no collection starves.
  expect(polledBefore).toBeLessThanOrEqual(5);
  await till.clock.advance(2 * minute);
  expect((await till.storedCollections()).every(({ status }) => status === 'initiated')).toBe(true);
});
