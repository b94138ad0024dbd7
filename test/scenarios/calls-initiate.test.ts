import { describe, expect, test } from 'vitest';
import { maxRequestDelayMs } from '../../src/gateway/collection/decide/decision.ts';
import { noAnswer, scriptCalls } from '../kit/network-faults.ts';
import { paidInFull } from '../kit/scenes.ts';
import { createTill, payer, type Till } from '../kit/till.ts';

const callsNamed = (till: Till, name: 'create' | 'initiate' | 'status') =>
  till.calls.filter((call) => call.name === name);

/** Loses the answer of every initiate after its prompt was pushed: by reset, or by silence. */
const answerLost: Record<string, NonNullable<Till['faults']['call']>> = {
  reset: scriptCalls({ initiate: Array(50).fill('answer lost') }),
  silence: async (call, pass, signal) => {
    const answer = await pass();
    return call.name === 'initiate' ? noAnswer(signal) : answer;
  },
};

describe.each(Object.entries(answerLost))(
  'S07: an initiate whose prompt is pushed and whose answer is lost by %s',
  (_how, call) => {
    test('S07: is polled and never sent again', async () => {
      const till = await createTill({ faults: { call }, service: { rail: { promptLifetimeMs: 3_600_000 } } });
      await till.prompted();
      await till.clock.advance(900_000);
      expect(callsNamed(till, 'initiate')).toHaveLength(1);
      expect(callsNamed(till, 'status').length).toBeGreaterThan(5);
      await till.approved();
      expect((await till.service.statement()).pushes).toBe(1);
    });

    test('S07: is booked once when the payer approves before the first poll, and confirmed by one poll', async () => {
      const till = await createTill({ faults: { call } });
      await till.pay(payer);
      await till.until(async () => (await till.service.statement()).pushes === 1);
      await till.approve();
      const calls = till.calls.length;
      const { id } = await till.untilStatus(payer, 'paid', 4_000);
      await till.clock.advance(600_000);
      expect(till.calls.slice(calls).map(({ name }) => name)).toEqual(['status']);
      expect((await till.record(id)).postings).toHaveLength(3);
      expect((await till.verify()).faults).toEqual([]);
    });

    test('S07: is not sent again after a restart', async () => {
      const till = await createTill({ faults: { call } });
      await till.pay(payer);
      await till.untilStatus(payer, 'initiating');
      await till.restart();
      await till.untilStatus(payer, 'initiated');
      await till.clock.advance(30_000);
      expect(callsNamed(till, 'initiate')).toHaveLength(1);
      expect((await till.service.statement()).pushes).toBe(1);
    });
  },
);

describe('an initiate that never reached the service', () => {
  test('is sent again under the same key after the grace, while the status is created, and pushes one prompt', async () => {
    const till = await createTill({ faults: { call: scriptCalls({ initiate: ['lost', 'lost'] }) } });
    await till.pay(payer);
    await till.untilStatus(payer, 'initiated', 120_000);
    await till.clock.advance(60_000);
    const sent = callsNamed(till, 'initiate');
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    for (const [index, { startedAt: at }] of sent.slice(1).entries()) {
      const before = sent[index]?.startedAt ?? 0;
      expect(at - before).toBeGreaterThanOrEqual(15_000);
      // The poll right before was sent after the grace and answered `created`.
      const asked = callsNamed(till, 'status').filter(
        (poll) => poll.startedAt >= before + 15_000 && poll.startedAt <= at,
      );
      expect(asked.length).toBeGreaterThan(0);
    }
    expect((await till.service.statement()).pushes).toBe(1);
  });

  test('is not sent again while polls fail', async () => {
    const till = await createTill({
      faults: { call: scriptCalls({ initiate: ['lost'], status: Array(100).fill('lost') }) },
    });
    await till.pay(payer);
    await till.clock.advance(170_000);
    expect(callsNamed(till, 'initiate')).toHaveLength(1);
    expect((await till.only(payer)).status).toBe('initiating');
  });

  test('is not sent again at an unknown status', async () => {
    const till = await createTill();
    till.faults.call = async ({ name }, pass) => {
      if (name === 'initiate') throw new Error('lost');
      if (name !== 'status') return pass();
      const { id } = (await (await pass()).json()) as { id: string };
      return Response.json({ id, status: 'queued', terminal: false, retry_after_seconds: 3 });
    };
    await till.pay(payer);
    await till.clock.advance(600_000);
    expect(callsNamed(till, 'initiate')).toHaveLength(1);
  });

  test('ends as abandoned after its deadline, and no prompt was pushed', async () => {
    const till = await createTill({ faults: { call: scriptCalls({ initiate: Array(100).fill('lost') }) } });
    await till.pay(payer);
    const { promptDeadline } = await till.only(payer);
    const row = await till.untilStatus(payer, 'abandoned', 900_000);
    expect(row).toMatchObject({ reason: 'never_prompted', booked: null });
    for (const { startedAt: at } of callsNamed(till, 'initiate')) expect(at).toBeLessThan(promptDeadline);
    expect(callsNamed(till, 'initiate').length).toBeGreaterThan(1);
    // A delayed request could still arrive, so the collection ends only after the maximum request delay.
    const lastSent = callsNamed(till, 'initiate').at(-1)?.startedAt ?? 0;
    expect(row.closedAt ?? 0).toBeGreaterThanOrEqual(lastSent + 120_000);
    expect((await till.service.statement()).pushes).toBe(0);
  });

  test('but arrives late, pushes one prompt, which a poll finds', async () => {
    const till = await createTill();
    const late: (() => Promise<Response>)[] = [];
    till.faults.call = async ({ name }, pass) => {
      if (name !== 'initiate') return pass();
      late.push(pass);
      throw new Error('delayed on its way');
    };
    await till.pay(payer);
    await till.until(() => late.length === 2, 60_000);
    await Promise.all(late.map((arrive) => arrive()));
    await till.untilStatus(payer, 'initiated', 60_000);
    expect((await till.service.statement()).pushes).toBe(1);
    await till.approved();
    expect((await till.verify()).faults).toEqual([]);
  });
});

test('an initiate that was answered is never sent again, even while polls return created', async () => {
  const till = await createTill({ service: { rail: { promptLifetimeMs: 3_600_000 } } });
  till.faults.call = async ({ name }, pass) => {
    const answer = await pass();
    if (name !== 'status') return answer;
    const { id } = (await answer.json()) as { id: string };
    return Response.json({ id, status: 'created', terminal: false, retry_after_seconds: 3 });
  };
  await till.pay(payer);
  await till.clock.advance(600_000);
  expect(callsNamed(till, 'status').length).toBeGreaterThan(5);
  expect(callsNamed(till, 'initiate')).toHaveLength(1);
});

test.each(['7', '60'])(
  'a 429 with Retry-After %s on initiate delays every call by that time, and one prompt is sent',
  async (header) => {
    const busy = () => new Response('', { status: 429, headers: { 'retry-after': header } });
    const till = await createTill({ faults: { call: scriptCalls({ initiate: ['lost'] }, busy) } });
    await till.pay(payer);
    await till.untilStatus(payer, 'initiated', 240_000);
    const refusedAt = callsNamed(till, 'initiate')[0]?.startedAt ?? 0;
    const next = till.calls.find(({ startedAt: at, name }) => at > refusedAt && name !== 'create');
    expect((next?.startedAt ?? 0) - refusedAt).toBeGreaterThanOrEqual(Number(header) * 1_000);
    expect((await till.service.statement()).pushes).toBe(1);
  },
);

test('a 429 about one payer delays that collection alone, which is then prompted once', async () => {
  const till = await createTill();
  const other = '0244765432';
  const error = { code: 'too_many_prompts', message: 'too many prompts for this number' };
  const busy = () => Response.json({ error }, { status: 429, headers: { 'retry-after': '60' } });
  till.faults.call = scriptCalls({ initiate: ['lost'] }, busy);
  await till.pay(payer);
  await till.until(() => callsNamed(till, 'initiate').length === 1);
  const refusedAt = callsNamed(till, 'initiate')[0]?.startedAt ?? 0;

  await till.pay(other);
  await till.untilStatus(other, 'initiated', 20_000);
  expect(till.clock.now() - refusedAt).toBeLessThan(30_000);
  expect(await till.only(payer)).toMatchObject({ status: 'initiating' });

  const { sessionId } = await till.only(payer);
  const others = till.calls.length;
  await till.untilStatus(payer, 'initiated', 240_000);
  const next = till.calls
    .slice(others)
    .find(({ name, startedAt: at }) => name === 'status' && at >= refusedAt + 60_000);
  expect(next).toBeDefined();
  const { sessions } = await till.service.statement();
  expect(sessions.find((session) => session.sessionId === sessionId)).toMatchObject({ pushes: 1 });
});

const rejected = (code: string) =>
  Response.json({ error: { code, message: 'it is under way' } }, { status: 422 });

test('a first initiate that is rejected ends its collection with the code once no copy of it can still arrive', async () => {
  const till = await createTill();
  till.faults.call = async ({ name }, pass) => (name === 'initiate' ? rejected('rail_refused') : pass());
  await till.pay(payer);
  const { initiateSentAt, closedAt, reason } = await till.untilStatus(payer, 'abandoned', 240_000);
  expect(reason).toBe('rail_refused');
  expect((closedAt ?? 0) - (initiateSentAt ?? 0)).toBeGreaterThanOrEqual(maxRequestDelayMs);
  await till.clock.advance(300_000);
  expect([till.callsOf('create'), till.callsOf('initiate')]).toEqual([1, 1]);
  expect((await till.service.statement()).pushes).toBe(0);
  expect((await till.verify()).faults).toEqual([]);
});

test.each([0, 60_000])(
  'a copy of a rejected initiate that is accepted %i ms later finds its collection open, and polls book the payment',
  async (ms) => {
    const till = await createTill();
    till.loseWebhooks();
    let copies = 0;
    till.faults.call = async ({ name }, pass) => {
      if (name !== 'initiate') return pass();
      copies += 1;
      if (ms === 0) await pass();
      else void till.clock.sleep(ms).then(pass);
      return rejected('rail_unavailable');
    };
    await till.pay(payer);
    await till.until(() => copies === 1);
    await till.clock.advance(ms);
    await till.untilStatus(payer, 'initiated', 120_000);
    const { id } = await till.approved(payer, 120_000);
    expect(await till.booked(id)).toEqual(paidInFull);
    expect((await till.service.statement()).pushes).toBe(1);
    expect(callsNamed(till, 'initiate')).toHaveLength(1);
  },
);

test('the rejection of a second initiate proves nothing, because the first may have succeeded', async () => {
  const till = await createTill();
  const delayed: (() => Promise<Response>)[] = [];
  till.faults.call = async ({ name }, pass) => {
    if (name !== 'initiate') return pass();
    delayed.push(pass);
    if (delayed.length === 1) throw new Error('delayed on its way');
    await delayed[0]?.();
    return rejected('session_already_initiated');
  };
  await till.pay(payer);
  await till.until(() => delayed.length === 2, 60_000);
  await till.untilStatus(payer, 'initiated', 60_000);
  await till.approved();
  expect((await till.service.statement()).pushes).toBe(1);
});
