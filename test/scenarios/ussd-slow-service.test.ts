import { expect, test } from 'vitest';
import { channelNames } from '../kit/callback.ts';
import { createTill, type Till } from '../kit/till.ts';

/** A service that takes every call and answers none. Counts the calls under way at once. */
function hang(till: Till): { most: number } {
  const count = { now: 0, most: 0 };
  till.faults.call = (_call, _pass, signal) =>
    new Promise((_, reject) => {
      count.now++;
      count.most = Math.max(count.most, count.now);
      signal.addEventListener('abort', () => {
        count.now--;
        reject(signal.reason);
      });
    });
  return count;
}

const numbers = Array.from({ length: 60 }, (_, index) => `02440000${String(index).padStart(2, '0')}`);

test.each(channelNames)(
  'S41: while the service hangs, every turn through %s is answered without any time passing',
  async (channel) => {
    const till = await createTill();
    hang(till);
    for (const number of numbers.slice(0, 20)) {
      const phone = till.phone(number, channel);
      for (const input of [undefined, '1', '20', '1']) {
        const before = till.clock.now();
        const hop = await (input === undefined
          ? phone.dial(channel === 'nalo' ? '*920*5#' : '*713*5#')
          : phone.send(input));
        expect(till.clock.now()).toBe(before);
        expect(hop.ok).toBe(true);
        await till.clock.advance(3_000);
      }
      expect(phone.screen()?.text).toContain('Approve GHS 20.00');
    }
    expect(till.calls.length).toBeGreaterThan(0);
  },
);

test('S41: calls under way stay bounded, and each is given up after its time-out', async () => {
  const till = await createTill({
    configure: ({ service }) => {
      service.callsInFlight = 7;
      service.callsPerSecond = 1_000;
    },
  });
  const count = hang(till);
  const phones = numbers.map((number) => till.phone(number));
  await Promise.all(phones.map((phone) => phone.dial('*713*5*1*20#')));
  await Promise.all(phones.map((phone) => phone.send('1')));
  await till.clock.advance(59_000);
  expect(count.most).toBe(7);
  // Twelve seconds each: five rounds of seven in a minute.
  expect(till.calls).toHaveLength(35);
  expect(till.calls.every(({ answer }) => answer === undefined)).toBe(true);
});

test('S41: sixty payers of a minute in which the service hung are all prompted once it answers, each once', async () => {
  const till = await createTill({ service: { rail: { promptLifetimeMs: 3_600_000 } } });
  hang(till);
  const phones = numbers.map((number) => till.phone(number));
  await Promise.all(phones.map((phone) => phone.dial('*713*5*1*20#')));
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
