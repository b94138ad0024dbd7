import { expect, test } from 'vitest';
import { held } from '../kit/payers.ts';
import { createTill, type Till } from '../kit/till.ts';

const numbers = Array.from({ length: 20 }, (_, n) => `02440000${String(n).padStart(2, '0')}`);
const minute = 60_000;

const throttle = (retryAfter: string | null) => async () =>
  Response.json({}, { status: 429, headers: retryAfter === null ? {} : { 'retry-after': retryAfter } });

/** Twenty payers who have their prompts and answer none of them. */
async function openWaiting(): Promise<Till> {
  const till = await createTill({ service: { rail: { promptLifetimeMs: 60 * minute } } });
  const phones = numbers.map((number) => till.phone(number));
  await Promise.all(phones.map((phone) => phone.dial('*713*5*1*20#')));
  await Promise.all(phones.map((phone) => phone.send('1')));
  await till.until(() => held(till).every(({ status }) => status === 'initiated'));
  return till;
}

test.each([
  { minutes: 3, header: null, pauseDurationMs: 1_000 },
  { minutes: 10, header: '30', pauseDurationMs: 30_000 },
])(
  'S44: $minutes minutes of 429 with Retry-After $header: one call for each hold, money steps first, and all is well after it',
  async ({ minutes, header, pauseDurationMs }) => {
    const till = await openWaiting();
    till.faults.call = throttle(header);
    const from = till.calls.length;
    await till.clock.advance((minutes - 2) * minute);
    const payer = '0201234567';
    await till.pay(payer);
    await till.clock.advance(2 * minute);
    const times = till.calls.slice(from).map(({ at }) => at);
    const gaps = times.slice(1).map((at, n) => at - (times[n] ?? 0));
    // Calls that were under way when the first was answered belong to no hold.
    const underWay = till.config.service.callsInFlight;
    expect(gaps.slice(underWay).filter((gap) => gap < pauseDurationMs)).toEqual([]);
    expect(times.length).toBeLessThanOrEqual((minutes * minute) / pauseDurationMs + underWay);
    expect(times.length).toBeGreaterThan(10);

    // The key is free: the payer who waits for a prompt is served before twenty polls that are due.
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
    await till.until(() => held(till).every(({ status }) => status === 'paid'), 5 * minute);
    expect((await till.service.statement()).pushes).toBe(numbers.length + 1);
    expect((await till.verify()).faults).toEqual([]);
  },
);

test('S44: where one call is free in each second, a create and its initiate go out before the polls that are due', async () => {
  const till = await openWaiting();
  // Everybody's poll falls due while nothing may be called.
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
  // Every fourth look takes whoever is due the longest, so that nobody starves.
  expect(polledBefore).toBeLessThanOrEqual(5);
  await till.clock.advance(2 * minute);
  expect(held(till).every(({ status }) => status === 'initiated')).toBe(true);
});
