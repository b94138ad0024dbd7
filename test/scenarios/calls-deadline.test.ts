import { describe, expect, test } from 'vitest';
import { inconclusiveAnswers, noAnswer } from '../kit/network-faults.ts';
import { createTill, type Till } from '../kit/till.ts';

const payer = '0244123456';

const outages: Record<string, NonNullable<Till['faults']['call']>> = {
  'calls are reset': async () => inconclusiveAnswers['a reset']?.() ?? Response.error(),
  'calls are never answered': (_call, _pass, signal) => noAnswer(signal),
  'every answer is a 503 page': async () => new Response('<html>', { status: 503 }),
};

describe.each(Object.entries(outages))('S14: in an outage in which %s', (_how, call) => {
  test.each([181, 1_200])('S14: no prompt is pushed after %i s, then or later', async (seconds) => {
    const till = await createTill({
      faults: { call },
      // All payers may pay.
      configure: ({ service }) => {
        service.outage.duringOutage = 'warn';
      },
    });
    const numbers = Array.from({ length: 10 }, (_, index) => `024400000${index}`);
    for (const number of numbers) await till.pay(number);
    await till.clock.advance(seconds * 1_000);
    till.faults.call = (_call, pass) => pass();
    await till.clock.advance(900_000);
    for (const number of numbers) {
      expect(await till.only(number)).toMatchObject({ status: 'abandoned', reason: 'prompt_deadline' });
    }
    const { pushes, sessions } = await till.service.statement();
    expect({ pushes, sessions: sessions.length }).toEqual({ pushes: 0, sessions: 0 });
  });
});

test('S14: a gateway that starts after the prompt deadline makes no call', async () => {
  const till = await createTill({
    // A restart takes thirty seconds in these tests.
    configure: ({ timings }) => {
      timings.promptDeadlineMs = 20_000;
    },
    faults: { call: async () => new Response('', { status: 503 }) },
  });
  await till.pay(payer);
  await till.clock.advance(2_000);
  const before = till.calls.length;
  await till.restart();
  expect(await till.untilStatus(payer, 'abandoned')).toMatchObject({ reason: 'prompt_deadline' });
  expect(till.calls).toHaveLength(before);
});

test('S14: a create that is answered just before the deadline is not prompted after it', async () => {
  const till = await createTill({
    configure: ({ timings }) => {
      timings.promptDeadlineMs = 10_000;
    },
  });
  let held: Promise<Response> | undefined;
  till.faults.call = async (_call, pass) => {
    held ??= pass();
    const answer = await held;
    await till.clock.sleep(11_000);
    return answer;
  };
  await till.pay(payer);
  const row = await till.untilStatus(payer, 'abandoned');
  expect(row).toMatchObject({ reason: 'prompt_deadline' });
  expect(row.sessionId).not.toBeNull();
  expect(till.calls.map(({ name }) => name)).toEqual(['create']);
  expect((await till.service.statement()).pushes).toBe(0);
});

test('S14: an outage that is shorter than the deadline only delays the prompt', async () => {
  const till = await createTill({ faults: { call: async () => new Response('', { status: 503 }) } });
  await till.pay(payer);
  await till.clock.advance(170_000);
  till.faults.call = (_call, pass) => pass();
  await till.untilStatus(payer, 'initiated', 9_000);
  expect((await till.service.statement()).pushes).toBe(1);
});
