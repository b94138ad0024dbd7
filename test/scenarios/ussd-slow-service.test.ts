import { expect, test } from 'vitest';
import { channelNames } from '../kit/phone.ts';
import { createTill, type Till } from '../kit/till.ts';

/** Simulates a service that accepts every call and answers none. Counts the calls in flight. */
function leaveUnanswered(till: Till): { now: number; max: number } {
  const count = { now: 0, max: 0 };
  till.faults.call = (_call, _pass, signal) =>
    new Promise((_, reject) => {
      count.now++;
      count.max = Math.max(count.max, count.now);
      signal.addEventListener('abort', () => {
        count.now--;
        reject(signal.reason);
      });
    });
  return count;
}

const numbers = Array.from({ length: 60 }, (_, index) => `02440000${String(index).padStart(2, '0')}`);

test.each(channelNames)(
  'S41: while the service does not answer, every turn through %s is answered without delay',
  async (channel) => {
    const till = await createTill();
    leaveUnanswered(till);
    for (const number of numbers.slice(0, 20)) {
      const phone = till.phone(number, channel);
      for (const input of [undefined, '1', '20', '1']) {
        const before = till.clock.now();
        await (input === undefined ? phone.dial() : phone.send(input));
        expect(till.clock.now()).toBe(before);
        await till.clock.advance(3_000);
      }
      expect(phone.text()).toContain('Approve GHS 20.00');
    }
    expect(till.calls.length).toBeGreaterThan(0);
  },
);

test('S41: calls in flight stay bounded, and each is aborted after its timeout', async () => {
  const till = await createTill({
    configure: ({ service }) => {
      service.callsInFlight = 7;
      service.callsPerSecond = 1_000;
    },
  });
  const count = leaveUnanswered(till);
  const phones = numbers.map((number) => till.phone(number));
  await Promise.all(phones.map((phone) => phone.dial('1', '20')));
  await Promise.all(phones.map((phone) => phone.send('1')));
  await till.clock.advance(59_000);
  expect(count.max).toBe(7);
  // Each call takes twelve seconds, so a minute has five rounds of seven calls.
  expect(till.calls).toHaveLength(35);
  expect(till.calls.every(({ answer }) => answer === undefined)).toBe(true);
});

test('S41: sixty payers during a minute without answers are each prompted once after the service recovers', async () => {
  const till = await createTill({ service: { rail: { promptLifetimeMs: 3_600_000 } } });
  leaveUnanswered(till);
  const phones = numbers.map((number) => till.phone(number));
  await Promise.all(phones.map((phone) => phone.dial('1', '20')));
  await Promise.all(phones.map((phone) => phone.send('1')));
  await till.clock.advance(60_000);
  expect((await till.service.statement()).sessions).toEqual([]);
  till.faults.call = (_call, pass) => pass();
  await till.until(async () => (await till.service.statement()).pushes === numbers.length, 60_000);
  await till.clock.advance(30_000);
  const { sessions } = await till.service.statement();
  expect(sessions.map(({ pushes }) => pushes)).toEqual(numbers.map(() => 1));
  for (const number of numbers) expect((await till.only(number)).status).toBe('initiated');
});
