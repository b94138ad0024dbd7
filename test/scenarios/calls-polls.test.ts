import { describe, expect, test } from 'vitest';
import { inconclusiveAnswers, noAnswer, scriptCalls } from '../kit/network-faults.ts';
import { createTill, payer, type Till } from '../kit/till.ts';

const pollTimes = (till: Till) =>
  till.calls.filter(({ name }) => name === 'status').map(({ startedAt: at }) => at);

/** Replaces `retry_after_seconds` in the answers to polls. */
function askToWait(till: Till, seconds: number | null): void {
  till.faults.call = async ({ name }, pass) => {
    const answer = await pass();
    if (name !== 'status') return answer;
    return Response.json({ ...((await answer.json()) as object), retry_after_seconds: seconds });
  };
}

async function gapsOfHalfAnHour(till: Till): Promise<number[]> {
  await till.prompted();
  await till.clock.advance(1_800_000);
  const times = pollTimes(till);
  return times.slice(1).map((at, index) => at - (times[index] ?? 0));
}

test.each([45, 400, 90.5])('polls keep the interval of %d s that the service requests', async (seconds) => {
  const till = await createTill({ service: { rail: { promptLifetimeMs: 3_600_000 } } });
  askToWait(till, seconds);
  const gaps = await gapsOfHalfAnHour(till);
  expect(gaps.length).toBeGreaterThan(2);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(seconds * 1_000);
});

test.each([0, 3, null])('polls follow the plan when the service requests %s s', async (seconds) => {
  const till = await createTill({ service: { rail: { promptLifetimeMs: 3_600_000 } } });
  askToWait(till, seconds);
  const gaps = await gapsOfHalfAnHour(till);
  // The plan has seventeen polls in half an hour; a tenth of jitter changes that number by at most one.
  expect(gaps.length).toBeGreaterThanOrEqual(14);
  expect(gaps.length).toBeLessThanOrEqual(18);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(4_000);
});

test.each([
  { status: 429, header: '90' },
  { status: 503, header: '90' },
])(
  'a poll that is answered $status with Retry-After $header is not repeated earlier',
  async ({ status, header }) => {
    const busy = () => new Response('', { status, headers: { 'retry-after': header } });
    const till = await createTill({
      faults: { call: scriptCalls({ status: Array(100).fill('lost') }, busy) },
      service: { rail: { promptLifetimeMs: 3_600_000 } },
    });
    const gaps = await gapsOfHalfAnHour(till);
    expect(gaps.length).toBeGreaterThan(2);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(90_000);
  },
);

test('a restart brings no poll forward', async () => {
  const till = await createTill({ service: { rail: { promptLifetimeMs: 3_600_000 } } });
  askToWait(till, 300);
  await till.pay(payer);
  await till.until(() => pollTimes(till).length === 1);
  await till.restart();
  await till.until(() => pollTimes(till).length === 2, 600_000);
  const [first = 0, second = 0] = pollTimes(till);
  expect(second - first).toBeGreaterThanOrEqual(300_000);
});

test('the calls of all collections together stay within the rate limit', async () => {
  const till = await createTill({
    configure: ({ service }) => Object.assign(service, { callsPerSecond: 5 }),
    service: { rail: { promptLifetimeMs: 3_600_000 } },
  });
  const phones = Array.from({ length: 40 }, (_, index) => till.phone(`02440000${10 + index}`));
  await Promise.all(phones.map((phone) => phone.dial('1', '20')));
  await Promise.all(phones.map((phone) => phone.send('1')));
  await till.until(async () => (await till.service.statement()).pushes === 40, 60_000);
  await till.clock.advance(120_000);
  const times = till.calls.map(({ startedAt: at }) => at);
  for (const start of times) {
    const within = times.filter((at) => at >= start && at < start + 10_000).length;
    // The burst is one second's worth, and an initiate may follow its poll at once.
    expect(within).toBeLessThanOrEqual(5 * 10 + 5);
  }
});

test('the wait that a poll requests holds even when that poll allows another initiate', async () => {
  const till = await createTill();
  till.faults.call = async ({ name }, pass) => {
    // Every initiate is lost before it arrives, so the status stays `created`.
    if (name === 'initiate') throw new Error('ECONNRESET');
    const answer = await pass();
    if (name !== 'status') return answer;
    return Response.json({ ...((await answer.json()) as object), retry_after_seconds: 60 });
  };
  await till.pay(payer);
  await till.clock.advance(175_000);
  const initiates = till.calls.filter(({ name }) => name === 'initiate');
  const times = pollTimes(till);
  expect(initiates.length).toBeGreaterThan(1);
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(60_000);
});

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
    timings: { promptDeadlineMs: 20_000 },
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
    timings: { promptDeadlineMs: 10_000 },
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
