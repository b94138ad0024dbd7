import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Push, Rail, RailResult, Report } from '../../src/service/rail.ts';
import { buildService } from '../../src/service/service.ts';
import { advanceableClock } from '../../src/shared/clock.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { createLog } from '../../src/shared/log.ts';
import { testClock } from '../support/clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import {
  adminToken,
  type Bench,
  create,
  initiate,
  newMerchant,
  openBench,
  poll,
  pushed,
  refusal,
} from './support.ts';

const minute = 60_000;

/** A rail of somebody else's, as a team would attach it: what it answers and reports is up to the test. */
function fakeRail() {
  const pushes: Push[] = [];
  let report: Report = async () => {};
  const rail = {
    pushes,
    answer: async (_push: Push, _signal: AbortSignal): Promise<Awaited<ReturnType<Rail['push']>>> => ({
      kind: 'accepted',
    }),
    round: async (): Promise<number | undefined> => undefined,
    report: (result: RailResult) => report(result),
    attach(given: Report): Rail {
      report = given;
      return {
        push(push, signal) {
          pushes.push(push);
          return rail.answer(push, signal);
        },
        round: () => rail.round(),
      };
    },
  };
  return rail;
}

/** A live session whose prompt is out, on a bench with a fake live rail. */
async function livePushed() {
  const rail = fakeRail();
  const bench = openBench({ liveRail: rail.attach });
  const { merchantId, liveKey, key } = await newMerchant(bench);
  await bench.service.setWebhook({ merchantId, livemode: true, url: 'https://shop.example/hook' });
  const id = await create(bench, liveKey);
  expect((await initiate(bench, liveKey, id)).status).toBe(200);
  const at = bench.clock.now() + 5_000;
  await bench.clock.advance(5_000);
  return { bench, rail, id, key, liveKey, at, status: async () => (await poll(bench, liveKey, id)).body };
}

const events = (bench: Bench) =>
  bench.received.map(({ body }) => {
    const { type, data } = JSON.parse(body);
    return [type.replace('payment.session.', ''), data.status, data.reason];
  });

test('a live session is pushed to the live rail, with what the rail needs, and a test session is not', async () => {
  const rail = fakeRail();
  const bench = openBench({ liveRail: rail.attach });
  const { key, liveKey } = await newMerchant(bench);
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

test('a push that the live rail refuses fails the session', async () => {
  const rail = fakeRail();
  rail.answer = async () => ({ kind: 'refused', reason: 'barred' });
  const bench = openBench({ liveRail: rail.attach });
  const { liveKey } = await newMerchant(bench);
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
  'when the push %s nobody knows: the session stays initiated, is never pushed again, and a result still counts',
  async (_, fault, afterMs) => {
    const rail = fakeRail();
    const bench = openBench({ liveRail: rail.attach });
    rail.answer = fault;
    const { liveKey } = await newMerchant(bench);
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

type Outcome = RailResult extends infer R
  ? R extends RailResult
    ? Omit<R, 'sessionId' | 'at'>
    : never
  : never;

test.each<[Outcome, string, unknown[]]>([
  [{ outcome: 'approved', chargedMinor: 2_020 }, 'paid', ['paid', 'paid', undefined]],
  [{ outcome: 'declined' }, 'failed', ['failed', 'failed', 'declined']],
  [{ outcome: 'pin_limit' }, 'failed', ['failed', 'failed', 'pin_limit']],
  [{ outcome: 'insufficient_funds' }, 'failed', ['failed', 'failed', 'insufficient_funds']],
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
])('the result %j makes the session %s, and its repeats change nothing', async (outcome, ends, event) => {
  const { bench, rail, id, at, status } = await livePushed();
  const result = { sessionId: id, at, ...outcome } as RailResult;
  await Promise.all([rail.report(result), rail.report(result)]);
  expect(await status()).toMatchObject({ status: ends });
  await bench.clock.advance(minute);
  await rail.report(result);
  await bench.clock.advance(minute);
  expect(await status()).toMatchObject({ status: ends });
  expect(events(bench)).toEqual([event]);
  expect(bench.logged.join('')).not.toContain('charged twice');
});

test('results that contradict each other: the first one stands, and money is never dropped for it', async () => {
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

test('once it is paid, nothing takes it back', async () => {
  const { bench, rail, id, at, status } = await livePushed();
  await rail.report({ sessionId: id, at, outcome: 'approved', chargedMinor: 2_020 });
  for (const outcome of ['declined', 'expired', 'pin_limit'] as const)
    await rail.report({ sessionId: id, at: at + 1, outcome });
  await bench.clock.advance(minute);
  expect(await status()).toMatchObject({ status: 'paid', paid_at: new Date(at).toISOString() });
  expect(events(bench)).toEqual([['paid', 'paid', undefined]]);
});

test.each<[string, number, number]>([
  ['a paid session', 2_020, 2_020],
  ['a held session', 1_000, 2_020],
])('a second charge for %s is booked by nobody and told to the log', async (_, first, second) => {
  const { bench, rail, id, at, status } = await livePushed();
  await rail.report({ sessionId: id, at, outcome: 'approved', chargedMinor: first });
  const before = await status();
  await rail.report({ sessionId: id, at: at + 7, outcome: 'approved', chargedMinor: second });
  expect(await status()).toEqual(before);
  expect(bench.logged.filter((line) => line.includes('charged twice'))).toHaveLength(1);
});

test('an approval after the session was given up opens a review, and the session stays expired', async () => {
  const { bench, rail, id, status } = await livePushed();
  await bench.clock.advance(190_000);
  expect(await status()).toMatchObject({ status: 'expired', terminal: true });
  const at = bench.clock.now() + 3 * 24 * 60 * minute;
  await bench.clock.advance(3 * 24 * 60 * minute);
  await rail.report({ sessionId: id, at, outcome: 'approved', chargedMinor: 2_020 });
  await bench.clock.advance(minute);
  expect(await status()).toEqual({ id, status: 'expired', terminal: true, retry_after_seconds: null });
  expect(events(bench)).toEqual([
    ['failed', 'expired', 'no_result'],
    ['review_amount_mismatch', 'expired', 'late_approval'],
  ]);
});

test('a result for a session that does not exist is told to the log and takes nothing down', async () => {
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
  await bench.clock.advance(3_600_000);
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
  await bench.clock.skip(24 * 60 * minute);
  expect(await status()).toMatchObject({ status: 'paid', paid_at: new Date(at).toISOString() });
});

test('a sandbox takes no live rail', () => {
  const clock = testClock();
  const databaseFile = join(temporaryFolder(), 'service.db');
  const log = createLog({ level: 'silent', pretty: false });
  const build = () =>
    buildService(
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
  expect(build).toThrow(/no live rail/);
});
