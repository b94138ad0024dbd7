import { describe, expect, test } from 'vitest';
import { noAnswer, scriptCalls } from '../kit/network-faults.ts';
import { createTill, payer, type Till } from '../kit/till.ts';

const creates = (till: Till) => till.calls.filter(({ name }) => name === 'create');
const initiates = (till: Till) => till.calls.filter(({ name }) => name === 'initiate');
const kinds = async (till: Till, id: string) => (await till.record(id)).facts.map(({ kind }) => kind);

describe.each([
  { lost: 'reset', call: scriptCalls({ create: ['answer lost', 'answer lost'] }) },
  {
    lost: 'never sent',
    call: (() => {
      let met = 0;
      return async (call, pass, signal) => {
        if (call.name !== 'create' || met++ > 1) return pass();
        await pass();
        return noAnswer(signal);
      };
    })() satisfies Till['faults']['call'],
  },
])('S05: after a create whose answer is $lost', ({ call }) => {
  test('S05: the same key and bytes are sent again; one session is pinned and one prompt is pushed', async () => {
    const till = await createTill({ faults: { call } });
    const row = await till.prompted();
    expect(creates(till)).toHaveLength(3);
    expect(new Set(creates(till).map(({ idempotencyKey }) => idempotencyKey))).toEqual(
      new Set([row.createKey]),
    );
    expect(new Set(creates(till).map(({ body }) => body))).toEqual(new Set([row.createBody]));
    const { sessions, pushes } = await till.service.statement();
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual([row.sessionId]);
    expect(pushes).toBe(1);
    expect((await kinds(till, row.id)).filter((kind) => kind === 'created')).toHaveLength(1);
  });
});

test('create is retried with backoff, never earlier than half a second', async () => {
  const till = await createTill({ faults: { call: scriptCalls({ create: Array(12).fill('lost') }) } });
  await till.prompted();
  const times = creates(till).map(({ startedAt: at }) => at);
  const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  for (const [index, pause] of pauses.entries()) {
    const least = Math.min(5_000, 500 * 2 ** index);
    expect(pause).toBeGreaterThanOrEqual(least);
    // A quarter of jitter, and the worker's shortest idle time.
    expect(pause).toBeLessThanOrEqual(least * 1.25 + 50);
  }
  expect(pauses).toHaveLength(12);
});

test.each([
  { header: '7', waitMs: 7_000 },
  { header: '60', waitMs: 60_000 },
])('a 429 with Retry-After $header delays the next create by that time', async ({ header, waitMs }) => {
  const busy = () => new Response('', { status: 429, headers: { 'retry-after': header } });
  const till = await createTill({ faults: { call: scriptCalls({ create: ['lost', 'lost'] }, busy) } });
  await till.pay(payer);
  await till.untilStatus(payer, 'initiated', 200_000);
  const [first = 0, second = 0, third = 0] = creates(till).map(({ startedAt: at }) => at);
  expect(second - first).toBeGreaterThanOrEqual(waitMs);
  expect(third - second).toBeGreaterThanOrEqual(waitMs);
  expect(third - first).toBeLessThanOrEqual(2 * waitMs + 2_000);
});

test.each([
  { status: 403, code: 'offline_scope_required' },
  { status: 403, code: 'offline_mode_not_enabled' },
  { status: 400, code: 'invalid_msisdn' },
  { status: 422, code: 'idempotency_key_reused' },
  { status: 409, code: 'idempotency_key_reused' },
])(
  'a create that is rejected with $status $code ends the collection uncharged, after one call',
  async (rejection) => {
    const { status, code } = rejection;
    const till = await createTill({
      faults: { call: async () => Response.json({ error: { code, message: 'no' } }, { status }) },
    });
    await till.pay(payer);
    expect(await till.untilStatus(payer, 'abandoned')).toMatchObject({ reason: code, sessionId: null });
    await till.clock.advance(300_000);
    expect(till.calls.map(({ name }) => name)).toEqual(['create']);
  },
);

describe('a second session of one collection', () => {
  test('S12: a create that is retried after its key was forgotten creates a second session, and only that one is prompted', async () => {
    const till = await createTill({ service: { idempotencyKeyLifetimeMs: 60_000 } });
    const begun = till.clock.now();
    till.faults.call = async ({ name }, pass) => {
      const answer = await pass();
      // After seventy seconds of lost answers the service has forgotten the key.
      if (name !== 'create' || till.clock.now() > begun + 80_000) return answer;
      throw new Error('the answer was lost');
    };
    await till.pay(payer);
    const row = await till.untilStatus(payer, 'initiated', 120_000);
    expect(new Set(creates(till).map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    await till.approved();
    await till.clock.advance(60_000);
    const { sessions, pushes } = await till.service.statement();
    expect(sessions.length).toBeGreaterThan(1);
    expect(pushes).toBe(1);
    for (const one of sessions) {
      expect(one).toMatchObject({ pushes: one.sessionId === row.sessionId ? 1 : 0 });
      expect(one.status).toBe(one.sessionId === row.sessionId ? 'paid' : 'created');
    }
    expect((await till.verify()).faults).toEqual([]);
  });

  test('a session id in a late answer is recorded as an orphan and never prompted', async () => {
    const till = await createTill({
      // The lease expires during the call, as in a paused process.
      timings: { leaseMs: 5_000, callTimeoutMs: 30_000 },
    });
    let answerLate = () => {};
    till.faults.call = async (call, pass) => {
      const answer = await pass();
      if (call.name !== 'create' || creates(till).length > 1) return answer;
      await new Promise<void>((resolve) => {
        answerLate = resolve;
      });
      return Response.json({ ...((await answer.json()) as object), id: 'pay_late' }, { status: 201 });
    };
    const { id, sessionId } = await till.prompted();
    answerLate();
    await till.until(async () => (await kinds(till, id)).includes('orphaned'));
    const { collection, facts } = await till.record(id);
    expect(collection).toMatchObject({ status: 'initiated', sessionId });
    expect(facts.filter(({ kind }) => kind === 'orphaned').map(({ data }) => JSON.parse(data))).toEqual([
      { sessionId: 'pay_late' },
    ]);
    await till.clock.advance(60_000);
    expect(initiates(till)).toHaveLength(1);
    expect((await till.service.statement()).pushes).toBe(1);
    expect((await till.verify()).faults).toEqual([]);
  });

  test('of the session ids that several workers receive at once, one is pinned and one prompt is sent', async () => {
    const till = await createTill({
      timings: { leaseMs: 5_000, callTimeoutMs: 30_000 },
      // Each call creates a session of its own, so that any of the answers may be the first one that is written.
      service: { idempotencyKeyLifetimeMs: 1_000 },
    });
    const answers: (() => void)[] = [];
    till.faults.call = async (call, pass) => {
      const answer = await pass();
      if (call.name === 'create') await new Promise<void>((resolve) => answers.push(resolve));
      return answer;
    };
    await till.pay(payer);
    await till.until(() => answers.length === 3);
    for (const answer of answers) answer();
    const { id, sessionId } = await till.untilStatus(payer, 'initiated');
    expect((await kinds(till, id)).filter((kind) => kind === 'created')).toHaveLength(1);
    expect((await kinds(till, id)).filter((kind) => kind === 'orphaned')).toHaveLength(2);
    const { sessions } = await till.service.statement();
    expect(sessions).toHaveLength(3);
    for (const one of sessions) expect(one.pushes).toBe(one.sessionId === sessionId ? 1 : 0);
    expect(initiates(till)).toHaveLength(1);
  });
});

test.each([
  { wrong: 'another price', changed: { goods_minor: 2_001, amount_minor: 2_021 }, reason: 'quote_goods' },
  { wrong: 'an inconsistent amount', changed: { amount_minor: 2_500 }, reason: 'quote_amount' },
  { wrong: 'another net', changed: { expected_net_minor: 1_000 }, reason: 'quote_net' },
  { wrong: 'another payer', changed: { payer_msisdn: '0201234567' }, reason: 'quote_payer' },
  { wrong: 'another reference', changed: { reference: 'INV-OTHER' }, reason: 'quote_reference' },
])('a session with $wrong is never prompted', async ({ changed, reason }) => {
  const till = await createTill();
  till.faults.call = async (_call, pass) =>
    Response.json({ ...((await (await pass()).json()) as object), ...changed }, { status: 201 });
  await till.pay(payer);
  expect(await till.untilStatus(payer, 'abandoned')).toMatchObject({ reason });
  await till.clock.advance(300_000);
  expect(till.calls.map(({ name }) => name)).toEqual(['create']);
  expect((await till.service.statement()).pushes).toBe(0);
});

test.each(['one after the other', 'at the same time'])(
  'a session that is answered to two payers %s charges one, and ends the payment of the other with one alarm',
  async (order) => {
    const till = await createTill();
    till.loseWebhooks();
    const other = '0244123457';
    const numbers: Record<string, string> = { '233244123456': payer, '233244123457': other };
    let waiting = order === 'at the same time' ? 2 : 0;
    let first: { id: string } | undefined;
    till.faults.call = async (call, pass) => {
      if (call.name !== 'create') return pass();
      const answer = (await (await pass()).json()) as { id: string };
      first ??= answer;
      waiting -= 1;
      while (waiting > 0) await till.clock.sleep(100);
      const { msisdn } = JSON.parse(call.body) as { msisdn: string };
      return Response.json({ ...answer, id: first.id, payer_msisdn: numbers[msisdn] }, { status: 201 });
    };
    const texts = await Promise.all([till.pay(payer), till.pay(other)]);
    expect(texts).toHaveLength(2);
    await till.clock.advance(170_000);
    const rows = [await till.only(payer), await till.only(other)];
    const [loser, ...more] = rows.filter(({ reason }) => reason === 'session_taken');
    expect([loser, more.length]).toMatchObject([
      { status: 'abandoned', sessionId: null, initiateSends: 0 },
      0,
    ]);
    expect(till.alarms()).toEqual(['session_taken']);
    expect(till.logged().match(/a job failed/g) ?? []).toEqual([]);
    expect((await till.service.statement()).pushes).toBe(1);
    expect((await till.verify()).faults).toEqual([]);
  },
);
