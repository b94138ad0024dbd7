import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { promptFailures } from '../../src/contract/service/end-reason.ts';
import { createService } from '../../src/service/create.ts';
import type {
  PushRequest,
  Rail,
  RailInquiry,
  RailResult,
  ReportRailResult,
} from '../../src/service/rail/rail.ts';
import { advanceableClock } from '../../src/shared/clock.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { testClock } from '../kit/clock.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { createSilentLog } from '../kit/log.ts';
import { ask } from './admin-client.ts';
import {
  adminToken,
  type Bench,
  create,
  initiate,
  json,
  newLiveMerchant,
  openBench,
  openLiveMerchant,
  poll,
  pushed,
  refusal,
} from './support.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** An attached rail. The test sets its answers and reports. */
function fakeRail() {
  const pushes: PushRequest[] = [];
  let report: ReportRailResult = async () => {};
  const rail = {
    pushes,
    answer: async (_push: PushRequest, _signal: AbortSignal): Promise<Awaited<ReturnType<Rail['push']>>> => ({
      kind: 'accepted',
    }),
    round: async (): Promise<number | undefined> => undefined,
    inquire: async (_sessionId: string, _signal: AbortSignal): Promise<RailInquiry> => ({ kind: 'pending' }),
    report: (result: RailResult) => report(result),
    attach(given: ReportRailResult): Rail {
      report = given;
      return {
        push(push, signal) {
          pushes.push(push);
          return rail.answer(push, signal);
        },
        round: () => rail.round(),
        inquire: (sessionId, signal) => rail.inquire(sessionId, signal),
      };
    },
  };
  return rail;
}

/** A live session whose prompt is out, on a bench with a fake live rail. */
async function livePushed() {
  const rail = fakeRail();
  const { bench, merchantId, liveKey, key } = await openLiveMerchant({ liveRail: rail.attach });
  await bench.service.setWebhook({ merchantId, livemode: true, url: 'https://shop.example/hook' });
  const id = await create(bench, liveKey);
  expect((await initiate(bench, liveKey, id)).status).toBe(200);
  const at = bench.clock.now() + 5_000;
  await bench.clock.advance(5_000);
  return { bench, rail, id, key, liveKey, at, status: async () => (await poll(bench, liveKey, id)).body };
}

type Outcome = RailResult extends infer R
  ? R extends RailResult
    ? Omit<R, 'sessionId' | 'at'>
    : never
  : never;

const openReviews = async (bench: Bench) => json(await ask(bench, 'GET', '/reviews'));

const events = (bench: Bench) =>
  bench.received.map(({ body }) => {
    const { type, data } = JSON.parse(body);
    return [type.replace('payment.session.', ''), data.status, data.reason];
  });

test('a live session is pushed to the live rail, with what the rail needs, and a test session is not', async () => {
  const rail = fakeRail();
  const { bench, key, liveKey } = await openLiveMerchant({ liveRail: rail.attach });
  const id = await create(bench, liveKey);
  expect((await initiate(bench, liveKey, id)).status).toBe(200);
  await pushed(bench, key);
  expect(rail.pushes).toEqual([
    {
      sessionId: id,
      livemode: 1,
      merchantName: 'Abena Stores',
      payer: '233244123456',
      network: 'mtn',
      amountMinor: 2_020,
    },
  ]);
});

test('a push that the live rail rejects fails the session', async () => {
  const rail = fakeRail();
  rail.answer = async () => ({ kind: 'rejected', reason: 'barred' });
  const { bench, liveKey } = await openLiveMerchant({ liveRail: rail.attach });
  const id = await create(bench, liveKey);
  expect(await refusal(await initiate(bench, liveKey, id))).toMatchObject({
    status: 502,
    code: 'rail_refused',
  });
  expect((await poll(bench, liveKey, id)).body).toMatchObject({ status: 'failed', terminal: true });
  expect((await initiate(bench, liveKey, id)).status).toBe(409);
  expect(rail.pushes).toHaveLength(1);
});

test.each<[string, () => Promise<never>, number]>([
  [
    'throws',
    async () => {
      throw new Error('connection reset');
    },
    0,
  ],
  ['never answers', () => new Promise(() => {}), 15_000],
])(
  'when the push %s, its outcome is unknown: the session stays initiated, is never pushed again, and a result still counts',
  async (_, fault, afterMs) => {
    const rail = fakeRail();
    const bench = openBench({ liveRail: rail.attach });
    rail.answer = fault;
    const { liveKey } = await newLiveMerchant(bench);
    const id = await create(bench, liveKey);
    const answer = initiate(bench, liveKey, id);
    await bench.clock.advance(afterMs);
    expect(await refusal(await answer)).toMatchObject({ status: 504, code: 'rail_unknown' });
    expect((await initiate(bench, liveKey, id)).status).toBe(409);
    expect((await poll(bench, liveKey, id)).body).toMatchObject({ status: 'initiated', terminal: false });
    await rail.report({ sessionId: id, at: bench.clock.now(), outcome: 'approved', chargedMinor: 2_020 });
    expect((await poll(bench, liveKey, id)).body).toMatchObject({ status: 'paid' });
    expect(rail.pushes).toHaveLength(1);
  },
);

test.each<[Outcome, string, unknown[]]>([
  [{ outcome: 'approved', chargedMinor: 2_020 }, 'paid', ['paid', 'paid', undefined]],
  ...promptFailures.map((outcome): [Outcome, string, unknown[]] => [
    { outcome },
    'failed',
    ['failed', 'failed', outcome],
  ]),
  [{ outcome: 'expired' }, 'expired', ['failed', 'expired', 'prompt_expired']],
  [
    { outcome: 'approved', chargedMinor: 2_019 },
    'initiated',
    ['review_amount_mismatch', 'initiated', 'paid_short'],
  ],
  [
    { outcome: 'approved', chargedMinor: 2_021 },
    'initiated',
    ['review_amount_mismatch', 'initiated', 'paid_over'],
  ],
])('the result %j makes the session %s, and its repetitions change nothing', async (outcome, ends, event) => {
  const { bench, rail, id, at, status } = await livePushed();
  const result = { sessionId: id, at, ...outcome } as RailResult;
  await Promise.all([rail.report(result), rail.report(result)]);
  expect(await status()).toMatchObject({ status: ends });
  await bench.clock.advance(minute);
  await rail.report(result);
  await bench.clock.advance(minute);
  expect(await status()).toMatchObject({ status: ends });
  expect(events(bench)).toEqual([event]);
  expect(bench.logged.join('')).not.toContain('second_charge');
});

test('of contradictory results the first one stands, and no charge is lost', async () => {
  const { bench, rail, id, at, status } = await livePushed();
  await rail.report({ sessionId: id, at, outcome: 'declined' });
  await rail.report({ sessionId: id, at, outcome: 'expired' });
  expect(await status()).toMatchObject({ status: 'failed' });
  await rail.report({ sessionId: id, at: at + 1, outcome: 'approved', chargedMinor: 2_020 });
  await bench.clock.advance(minute);
  expect(await status()).toMatchObject({ status: 'failed', terminal: true });
  expect(events(bench)).toEqual([
    ['failed', 'failed', 'declined'],
    ['review_amount_mismatch', 'failed', 'late_approval'],
  ]);
});

test('a paid session stays paid', async () => {
  const { bench, rail, id, at, status } = await livePushed();
  await rail.report({ sessionId: id, at, outcome: 'approved', chargedMinor: 2_020 });
  for (const outcome of ['declined', 'expired', 'pin_limit'] as const)
    await rail.report({ sessionId: id, at: at + 1, outcome });
  await bench.clock.advance(minute);
  expect(await status()).toMatchObject({ status: 'paid', paid_at: new Date(at).toISOString() });
  expect(events(bench)).toEqual([['paid', 'paid', undefined]]);
});

test.each<[string, { at: number; minor: number }, { at: number; minor: number }]>([
  ['a paid session', { at: 0, minor: 2_020 }, { at: 7, minor: 2_020 }],
  ['a paid session, of another amount', { at: 0, minor: 2_020 }, { at: 0, minor: 5 }],
  ['a held session', { at: 0, minor: 1_000 }, { at: 7, minor: 1_020 }],
  ['a held session, of what was asked', { at: 0, minor: 1_000 }, { at: 0, minor: 2_020 }],
])('a second charge for %s opens a review and sends its event once', async (_, first, second) => {
  const { bench, rail, id, at, status } = await livePushed();
  const charge = (one: { at: number; minor: number }) =>
    rail.report({ sessionId: id, at: at + one.at, outcome: 'approved', chargedMinor: one.minor });
  await charge(first);
  const before = await status();
  await bench.clock.advance(minute);
  bench.received.length = 0;
  await Promise.all([charge(second), charge(second), charge(first)]);
  await bench.clock.advance(minute);
  await charge(first);
  await charge(second);
  await bench.clock.advance(minute);
  const { review, ...after } = await status();
  const { review: _earlier, ...unchanged } = before;
  expect(after).toEqual(unchanged);
  expect(review).toMatchObject({ state: 'open' });
  expect(events(bench)).toEqual([['review_amount_mismatch', before.status, 'second_charge']]);
  const { data: reviews } = z.object({ data: z.array(z.unknown()) }).parse(await openReviews(bench));
  expect(reviews.at(-1)).toMatchObject({
    session_id: id,
    reason: 'second_charge',
    paid_minor: second.minor,
    paid_at: new Date(at + second.at).toISOString(),
  });
  expect(reviews).toHaveLength(before.status === 'paid' ? 1 : 2);
});

test('a charge after a review, open or resolved, opens another one; its repetitions open none', async () => {
  const { bench, rail, id, at, status } = await livePushed();
  const charge = (after: number) =>
    rail.report({ sessionId: id, at: at + after, outcome: 'approved', chargedMinor: 2_020 });
  await rail.report({ sessionId: id, at, outcome: 'declined' });
  await charge(1);
  await charge(2);
  for (const resolution of ['accepted', 'rejected']) {
    expect((await ask(bench, 'POST', `/sessions/${id}/review`, { resolution })).status).toBe(200);
  }
  expect((await ask(bench, 'POST', `/sessions/${id}/review`, { resolution: 'accepted' })).status).toBe(409);
  for (const after of [1, 2, 3, 3]) await charge(after);
  await bench.clock.advance(minute);
  expect(await openReviews(bench)).toMatchObject({
    data: [{ reason: 'second_charge', paid_minor: 2_020 }],
  });
  expect(await status()).toMatchObject({ status: 'failed', terminal: true });
  expect(events(bench)).toEqual([
    ['failed', 'failed', 'declined'],
    ['review_amount_mismatch', 'failed', 'late_approval'],
    ['review_amount_mismatch', 'failed', 'second_charge'],
    ['review_amount_mismatch', 'failed', 'second_charge'],
  ]);
});

test('a repeated charge that paid a session through a review is recognised, and another amount at the same time is not', async () => {
  const { bench, rail, id, at, status } = await livePushed();
  const charge = (chargedMinor: number) =>
    rail.report({ sessionId: id, at, outcome: 'approved', chargedMinor });
  await charge(1_010);
  await ask(bench, 'POST', `/sessions/${id}/review`, { resolution: 'accepted' });
  await charge(1_010);
  expect(await openReviews(bench)).toMatchObject({ data: [] });
  await charge(2_020);
  expect(await openReviews(bench)).toMatchObject({ data: [{ reason: 'second_charge' }] });
  expect(await status()).toMatchObject({ status: 'paid' });
});

test.each([
  [2_020, 'late_approval'],
  [2_019, 'paid_short'],
  [2_021, 'paid_over'],
])(
  'a session that is charged %i before its initiate is held, and is never pushed',
  async (charged, reason) => {
    const rail = fakeRail();
    const { bench, merchantId, liveKey } = await openLiveMerchant({ liveRail: rail.attach });
    await bench.service.setWebhook({ merchantId, livemode: true, url: 'https://shop.example/hook' });
    const id = await create(bench, liveKey);
    const at = bench.clock.now();
    const result = { sessionId: id, at, outcome: 'approved', chargedMinor: charged } as const;
    await Promise.all([rail.report(result), rail.report(result)]);
    expect(await refusal(await initiate(bench, liveKey, id))).toMatchObject({
      status: 409,
      code: 'session_already_initiated',
    });
    expect(rail.pushes).toEqual([]);
    await bench.clock.advance(60 * minute);
    expect((await poll(bench, liveKey, id)).body).toMatchObject({
      status: 'initiated',
      retry_after_seconds: 300,
    });
    expect(events(bench)).toEqual([['review_amount_mismatch', 'initiated', reason]]);
    expect((await ask(bench, 'POST', `/sessions/${id}/review`, { resolution: 'accepted' })).status).toBe(200);
    await rail.report(result);
    expect((await poll(bench, liveKey, id)).body).toMatchObject({ status: 'paid' });
    expect(await openReviews(bench)).toMatchObject({ data: [] });
  },
);

test('a charge and an initiate that meet: the session is paid or held, and asked at most once', async () => {
  const rail = fakeRail();
  const { bench, liveKey } = await openLiveMerchant({ liveRail: rail.attach });
  const seen = new Set<string>();
  for (let turn = 0; turn < 12; turn++) {
    const id = await create(bench, liveKey);
    const at = bench.clock.now();
    const charge = async () => {
      for (let wait = 0; wait < turn; wait++) await new Promise((resolve) => setImmediate(resolve));
      await rail.report({ sessionId: id, at, outcome: 'approved', chargedMinor: 2_020 });
    };
    const [answer] = await Promise.all([initiate(bench, liveKey, id), charge()]);
    const pushes = rail.pushes.filter((push) => push.sessionId === id);
    const { body } = await poll(bench, liveKey, id);
    seen.add(`${answer.status} ${pushes.length} ${body.status}`);
  }
  expect([...seen].sort()).toEqual(['200 1 paid', '409 0 initiated']);
});

test.each<[string, unknown]>([
  ['no amount at all', { outcome: 'approved', chargedMinor: 0 }],
  ['less than nothing', { outcome: 'approved', chargedMinor: -5 }],
  ['half a pesewa', { outcome: 'approved', chargedMinor: 20.5 }],
  ['an amount that is no number', { outcome: 'approved', chargedMinor: Number.NaN }],
  ['half a millisecond', { outcome: 'approved', chargedMinor: 2_020, at: 1.5 }],
  ['a time that is none', { outcome: 'approved', chargedMinor: 2_020, at: 9e15 }],
  ['an unknown outcome', { outcome: 'reversed' }],
])('a result with %s is logged with its session, and stops nothing', async (_, bad) => {
  const { bench, rail, id, at, liveKey, status } = await livePushed();
  const other = await create(bench, liveKey);
  await initiate(bench, liveKey, other);
  rail.round = async () => {
    await rail.report({ sessionId: id, at, ...(bad as object) } as RailResult);
    return undefined;
  };
  await bench.clock.advance(day);
  expect((await poll(bench, liveKey, other)).body).toMatchObject({ status: 'expired' });
  expect(await status()).toMatchObject({ status: 'expired' });
  const errors = bench.logged.filter((line) => line.includes('"level":"error"'));
  expect(errors.length).toBeGreaterThan(0);
  for (const line of errors) expect(line).toContain(`"session":"${id}"`);
});

test('no number of a payer enters the log by what a rail says', async () => {
  const rail = fakeRail();
  const { bench, liveKey } = await openLiveMerchant({ liveRail: rail.attach });
  const words = 'twice for 233244123456 and 0244123456';
  rail.answer = async () => ({ kind: 'rejected', reason: words });
  await initiate(bench, liveKey, await create(bench, liveKey));
  rail.answer = async () => {
    throw new Error(words);
  };
  await initiate(bench, liveKey, await create(bench, liveKey));
  await rail.report({ sessionId: '233244123456', at: 1, outcome: 'approved', chargedMinor: 5 });
  rail.round = async () => {
    throw new Error(words);
  };
  await bench.clock.advance(30 * minute);
  const log = bench.logged.join('');
  for (const said of ['rejected a push', 'did not answer a push', 'a round failed', 'an invalid result']) {
    expect(log).toContain(said);
  }
  expect(log).not.toMatch(/244123456/);
});

test.each<[string, Outcome, number, string]>([
  ['paid', { outcome: 'approved', chargedMinor: 2_020 }, 200, 'paid'],
  ['held', { outcome: 'approved', chargedMinor: 1_010 }, 200, 'initiated'],
  ['failed', { outcome: 'declined' }, 409, 'failed'],
])(
  'a push that is refused although its session is %s by then is answered by what is true, on replay too',
  async (_, outcome, httpStatus, ends) => {
    const rail = fakeRail();
    const { bench, liveKey } = await openLiveMerchant({ liveRail: rail.attach });
    const id = await create(bench, liveKey);
    rail.answer = async () => {
      await rail.report({ sessionId: id, at: bench.clock.now(), ...outcome } as RailResult);
      return { kind: 'rejected', reason: 'duplicate' };
    };
    const first = await initiate(bench, liveKey, id, 'i');
    const said = await first.text();
    expect([first.status, said]).toEqual([
      httpStatus,
      expect.stringContaining(ends === 'failed' ? 'Its status is failed' : 'initiated'),
    ]);
    const replay = await initiate(bench, liveKey, id, 'i');
    expect([replay.status, await replay.text()]).toEqual([httpStatus, said]);
    expect((await poll(bench, liveKey, id)).body).toMatchObject({ status: ends });
  },
);

test('an approval after the session was given up opens a review, and the session stays expired', async () => {
  const { bench, rail, id, status } = await livePushed();
  await bench.clock.advance(day);
  expect(await status()).toMatchObject({ status: 'expired', terminal: true });
  const at = bench.clock.now() + 3 * 24 * 60 * minute;
  await bench.clock.advance(3 * 24 * 60 * minute);
  await rail.report({ sessionId: id, at, outcome: 'approved', chargedMinor: 2_020 });
  await bench.clock.advance(minute);
  expect(await status()).toEqual({
    ...{ id, status: 'expired', terminal: true, retry_after_seconds: null, reason: 'no_result' },
    review: {
      state: 'open',
      reason: 'late_approval',
      paid_minor: 2_020,
      paid_at: new Date(at).toISOString(),
    },
  });
  expect(events(bench)).toEqual([
    ['failed', 'expired', 'no_result'],
    ['review_amount_mismatch', 'expired', 'late_approval'],
  ]);
});

test('a result for a session that does not exist is logged and stops nothing', async () => {
  const { bench, rail, at } = await livePushed();
  await rail.report({ sessionId: 'pay_none', at, outcome: 'approved', chargedMinor: 5 });
  await rail.report({ sessionId: 'pay_none', at, outcome: 'declined' });
  expect(bench.logged.join('')).toContain('charged for a session that does not exist');
});

test('a live rail whose rounds fail stops neither the test sessions nor itself, and no live session is given up', async () => {
  const { bench, rail, key, status } = await livePushed();
  let failing = true;
  let rounds = 0;
  rail.round = async () => {
    rounds++;
    if (failing) throw new Error('the rail cannot be reached');
    return undefined;
  };
  const other = await pushed(bench, key);
  const forgotten = await create(bench, key);
  await bench.clock.advance(120_000);
  expect((await poll(bench, key, other.id)).body).toMatchObject({ status: 'expired' });
  await bench.clock.advance(2 * day);
  expect((await poll(bench, key, forgotten)).body).toMatchObject({ status: 'expired' });
  expect(rounds).toBeGreaterThan(10);
  expect(await status()).toMatchObject({ status: 'initiated', terminal: false });
  expect(bench.logged.join('')).toContain('the rail cannot be reached');
  failing = false;
  await bench.clock.advance(60_000);
  expect(await status()).toMatchObject({ status: 'expired', terminal: true });
});

test('a live rail that finds a payment in its round pays the session, although its time is over', async () => {
  const { bench, rail, id, at, status } = await livePushed();
  let result: RailResult | undefined = { sessionId: id, at, outcome: 'approved', chargedMinor: 2_020 };
  rail.round = async () => {
    if (result) await rail.report(result);
    result = undefined;
    return undefined;
  };
  await bench.clock.skip(day);
  expect(await status()).toMatchObject({ status: 'paid', paid_at: new Date(at).toISOString() });
});

test('a sandbox cannot have a live rail', () => {
  const clock = testClock();
  const databaseFile = join(temporaryFolder(), 'service.db');
  const log = createSilentLog();
  const build = () =>
    createService(
      { databaseFile, adminToken },
      {
        clock,
        ids: systemIds(clock),
        fetch,
        log,
        testClock: advanceableClock(clock),
        liveRail: fakeRail().attach,
      },
    );
  expect(build).toThrow(/cannot have a live rail/);
});
