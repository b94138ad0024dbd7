import { describe, expect, test } from 'vitest';
import { inconclusiveAnswers, scriptCalls } from '../kit/network-faults.ts';
import { rowsOf } from '../kit/size.ts';
import { createTill, minute, payer, type Till } from '../kit/till.ts';

const creates = (till: Till) => till.calls.filter(({ name }) => name === 'create');

test('S10: a create that is answered 409 while the first copy is in flight is retried with the same key and bytes, and succeeds', async () => {
  const till = await createTill();
  let answer: Promise<Response> | undefined;
  till.faults.call = async ({ name }, pass) => {
    if (name !== 'create' || answer) return pass();
    // Two copies of one request arrive at the same time, and the answer to the first is lost.
    answer = pass();
    const conflict = await pass();
    await answer;
    return conflict;
  };
  await till.pay(payer);
  await till.until(() => creates(till).length > 0);
  expect(creates(till)[0]?.answer).toBe(409);
  const row = await till.untilStatus(payer, 'initiated');
  expect(creates(till).map(({ idempotencyKey, body }) => ({ idempotencyKey, body }))).toEqual(
    creates(till).map(() => ({ idempotencyKey: row.createKey, body: row.createBody })),
  );
  expect(creates(till).at(-1)?.answer).toBe(201);
  expect((await till.service.statement()).sessions).toMatchObject([{ sessionId: row.sessionId, pushes: 1 }]);
  expect(till.alarms()).toEqual([]);
});

test('S10: a key that was used with another body ends the collection uncharged, with an alarm', async () => {
  const till = await createTill();
  till.faults.call = async ({ name, idempotencyKey, body }, pass) => {
    const changed = { ...(JSON.parse(body) as object), amount_minor: 9_900 };
    if (name === 'create') await till.createSession(idempotencyKey ?? '', JSON.stringify(changed));
    return pass();
  };
  await till.pay(payer);
  const row = await till.untilStatus(payer, 'abandoned');
  expect(row).toMatchObject({ reason: 'idempotency_key_reused', sessionId: null, booked: null });
  expect(till.alarms()).toEqual(['idempotency_key_reused']);
  await till.clock.advance(600_000);
  // No other key is tried, because this one may belong to another session.
  expect(till.calls.map(({ name, idempotencyKey }) => [name, idempotencyKey])).toEqual([
    ['create', row.createKey],
  ]);
  expect(await till.service.statement()).toMatchObject({ pushes: 0, sessions: [{ pushes: 0 }] });
  expect((await till.verify()).faults).toEqual([]);
});

const numbers = Array.from({ length: 20 }, (_, n) => `02440000${String(n).padStart(2, '0')}`);

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

async function expectPaidOnce(till: Till): Promise<void> {
  const row = await till.approved();
  const { pushes, chargedMinor, sessions } = await till.service.statement();
  expect({ pushes, chargedMinor, sessions: sessions.length }).toEqual({
    pushes: 1,
    chargedMinor: row.amountMinor,
    sessions: 1,
  });
  expect((await till.verify()).faults).toEqual([]);
}

describe.each(rowsOf(Object.entries(inconclusiveAnswers), 4))(
  'S09: where the answer is %s',
  (_name, fault) => {
    test('S09: create is retried until it is answered, whether or not the service received it', async () => {
      const till = await createTill({
        faults: { call: scriptCalls({ create: ['lost', 'answer lost', 'lost'] }, fault) },
      });
      await till.prompted();
      expect(till.calls.filter(({ name }) => name === 'create')).toHaveLength(4);
      await expectPaidOnce(till);
    });

    test('S09: polling finds the prompt of a lost initiate, even when polls fail too', async () => {
      const till = await createTill({
        faults: { call: scriptCalls({ initiate: ['answer lost'], status: ['lost', 'answer lost'] }, fault) },
      });
      await till.pay(payer);
      await till.untilStatus(payer, 'initiating');
      await till.untilStatus(payer, 'initiated');
      expect(till.calls.filter(({ name }) => name === 'initiate')).toHaveLength(1);
      await expectPaidOnce(till);
    });

    test('S09: an initiate that never arrived is sent again, and one prompt is pushed', async () => {
      const till = await createTill({
        faults: { call: scriptCalls({ initiate: ['lost', 'lost', 'answer lost'], status: ['lost'] }, fault) },
      });
      await till.pay(payer);
      await till.untilStatus(payer, 'initiated', 180_000);
      expect(till.calls.filter(({ name }) => name === 'initiate')).toHaveLength(3);
      await expectPaidOnce(till);
    });

    test('S09: no collection ends while every call fails, and the payment is booked after the outage', async () => {
      const till = await createTill({ service: { rail: { promptLifetimeMs: 3_600_000 } } });
      till.faults.webhook = async () => new Response('down', { status: 503 });
      await till.prompted();
      till.faults.call = async () => fault();
      await till.approve();
      await till.clock.advance(12 * 60_000);
      expect(await till.only(payer)).toMatchObject({ status: 'initiated', closedAt: null });
      till.faults.call = (_call, pass) => pass();
      const row = await till.untilStatus(payer, 'paid', 10 * 60_000);
      expect(row).toMatchObject({ amountSource: 'quote', late: 1 });
      expect((await till.service.statement()).pushes).toBe(1);
    });
  },
);

test('S09: any mixture of call faults ends in at most one prompt and in the final status of the service', async () => {
  const till = await createTill();
  const kinds = Object.values(inconclusiveAnswers);
  let calls = 0;
  till.faults.call = async (_call, pass) => {
    const turn = calls++;
    const fault = kinds[turn % kinds.length];
    // Three of four calls fail, every second one of them after the service received it.
    if (turn % 4 === 3 || !fault) return pass();
    if (turn % 2 === 0) await pass();
    return fault();
  };
  const numbers = Array.from({ length: 12 }, (_, index) => `02440000${10 + index}`);
  for (const number of numbers) await till.pay(number);
  await till.clock.advance(60_000);
  till.faults.call = (_call, pass) => pass();
  await till.clock.advance(600_000);
  for (const { pushes, chargedMinor } of (await till.service.statement()).sessions) {
    expect(pushes).toBeLessThanOrEqual(1);
    expect(chargedMinor).toBe(0);
  }
  const statuses = await Promise.all(numbers.map(async (number) => (await till.only(number)).status));
  const pushed = new Set(
    (await till.service.statement()).sessions
      .filter(({ pushes }) => pushes === 1)
      .map(({ sessionId }) => sessionId),
  );
  for (const [index, number] of numbers.entries()) {
    const { sessionId } = await till.only(number);
    expect(statuses[index]).toBe(pushed.has(sessionId ?? '') ? 'expired' : 'abandoned');
  }
});
