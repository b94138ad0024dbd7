import { expect, test } from 'vitest';
import type { RailInquiry, ReportRailResult } from '../../src/service/rail/rail.ts';
import {
  type Bench,
  create,
  initiate,
  json,
  newLiveMerchant,
  openBench,
  openMerchant,
  poll,
  pushed,
} from './support.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** The time from the initiate call to the first inquiry. */
const firstMs = 195 * second;

const events = (bench: Bench) =>
  bench.received.map(({ body }) => {
    const { type, data } = JSON.parse(body);
    return [type.replace('payment.session.', ''), data.status, data.reason];
  });

/** A live session that is initiated on a rail that reports nothing. `answer` is the rail's answer to an inquiry. */
async function silentPush() {
  const asked: { id: string; at: number }[] = [];
  let report: ReportRailResult = async () => {};
  const rail = {
    asked,
    answer: async (_signal: AbortSignal): Promise<RailInquiry> => ({ kind: 'pending' }),
    report: (result: Parameters<ReportRailResult>[0]) => report(result),
  };
  const bench = openBench({
    liveRail(given) {
      report = given;
      return {
        push: async () => ({ kind: 'accepted' }),
        async inquire(id, signal) {
          asked.push({ id, at: bench.clock.now() });
          return rail.answer(signal);
        },
        round: async () => undefined,
      };
    },
  });
  const { merchantId, liveKey } = await newLiveMerchant(bench);
  await bench.service.setWebhook({ merchantId, livemode: true, url: 'https://shop.example/hook' });
  const id = await create(bench, liveKey);
  const at = bench.clock.now();
  await initiate(bench, liveKey, id);
  return { bench, rail, id, at, liveKey, status: async () => (await poll(bench, liveKey, id)).body };
}

test.each<[string, (signal: AbortSignal) => Promise<RailInquiry>]>([
  ['has no result yet', async () => ({ kind: 'pending' })],
  [
    'throws',
    async () => {
      throw new Error('no answer for 233244123456');
    },
  ],
  ['never answers', () => new Promise(() => {})],
])(
  'a session whose rail %s stays initiated until the long stop, and is asked about again and again',
  async (_, answer) => {
    const { bench, rail, at, status } = await silentPush();
    rail.answer = answer;
    await bench.clock.advance(firstMs - 1);
    expect(rail.asked).toEqual([]);
    await bench.clock.advance(1);
    expect(rail.asked).toHaveLength(1);
    await bench.clock.advance(hour);
    const inTheFirstHour = rail.asked.length;
    expect(inTheFirstHour).toBeGreaterThan(8);
    expect(inTheFirstHour).toBeLessThan(20);
    await bench.clock.advance(at + day - 1 - bench.clock.now());
    expect(await status()).toMatchObject({ status: 'initiated', terminal: false });
    expect(rail.asked.length - inTheFirstHour).toBeLessThan(100);
    expect(events(bench)).toEqual([]);
    await bench.clock.advance(1);
    expect(await status()).toMatchObject({ status: 'expired', terminal: true, reason: 'no_result' });
    await bench.clock.advance(1);
    expect(events(bench)).toEqual([['failed', 'expired', 'no_result']]);
    const asked = rail.asked.length;
    await bench.clock.advance(hour);
    expect(rail.asked).toHaveLength(asked);
    expect(bench.logged.join('')).not.toMatch(/244123456/);
  },
);

test.each<[Parameters<ReportRailResult>[0], string, string | undefined]>([
  [{ sessionId: '', at: 0, outcome: 'approved', chargedMinor: 2_020 }, 'paid', undefined],
  [{ sessionId: '', at: 0, outcome: 'declined' }, 'failed', 'declined'],
  [{ sessionId: '', at: 0, outcome: 'expired' }, 'expired', 'prompt_expired'],
])('an inquiry that answers %j ends the session like a report of the rail', async (result, ends, reason) => {
  const { bench, rail, id, at, status } = await silentPush();
  rail.answer = async () => ({ kind: 'result', result: { ...result, sessionId: id, at: at + minute } });
  await bench.clock.advance(firstMs);
  expect(await status()).toMatchObject({ status: ends, terminal: true, ...(reason && { reason }) });
  await bench.clock.advance(day);
  expect(rail.asked).toHaveLength(1);
  await rail.report({ ...result, sessionId: id, at: at + minute });
  await bench.clock.advance(minute);
  expect(events(bench)).toHaveLength(1);
});

test('a session that the rail provably never prompted fails, with a reason of its own', async () => {
  const { bench, rail, status } = await silentPush();
  rail.answer = async () => ({ kind: 'not_prompted' });
  await bench.clock.advance(firstMs + 1);
  expect(await status()).toMatchObject({ status: 'failed', terminal: true, reason: 'not_prompted' });
  expect(events(bench)).toEqual([['failed', 'failed', 'not_prompted']]);
});

test('an answer about another session changes neither session', async () => {
  const { bench, rail, liveKey, at, status } = await silentPush();
  const other = await create(bench, liveKey);
  rail.answer = async () => ({
    kind: 'result',
    result: { sessionId: other, at, outcome: 'approved', chargedMinor: 2_020 },
  });
  await bench.clock.advance(firstMs);
  expect(await status()).toMatchObject({ status: 'initiated' });
  expect((await poll(bench, liveKey, other)).body).toMatchObject({ status: 'created' });
  expect(bench.logged.join('')).toContain('the result of another session');
});

test('a payment after the long stop is reported by its event, and by the poll to a merchant that receives none', async () => {
  const { bench, rail, id, status } = await silentPush();
  await bench.clock.advance(day);
  expect(await status()).toMatchObject({ status: 'expired' });
  const paidAt = bench.clock.now();
  await rail.report({ sessionId: id, at: paidAt, outcome: 'approved', chargedMinor: 2_020 });
  await bench.clock.advance(1);
  expect(events(bench)).toEqual([
    ['failed', 'expired', 'no_result'],
    ['review_amount_mismatch', 'expired', 'late_approval'],
  ]);
  expect(await status()).toMatchObject({
    status: 'expired',
    terminal: true,
    review: {
      state: 'open',
      reason: 'late_approval',
      paid_minor: 2_020,
      paid_at: new Date(paidAt).toISOString(),
    },
  });
});

test('an open session asks to be polled less often the longer its rail is silent', async () => {
  const { bench, status } = await silentPush();
  const waits: unknown[] = [];
  for (const ms of [0, firstMs, hour, 10 * hour]) {
    await bench.clock.advance(ms);
    waits.push((await status()).retry_after_seconds);
  }
  expect(waits).toEqual([3, 3, 63, 300]);
});

test('a rail without answers ends no session over a restart, and its later answer is used', async () => {
  const { bench, key } = await openMerchant();
  bench.service.setRailSilent(true);
  const { id, promptId } = await pushed(bench, key);
  await bench.service.phone.approve(promptId, '1234');
  await bench.clock.advance(2 * hour);
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'initiated' });
  bench.service.setRailSilent(false);
  await bench.clock.advance(0);
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'paid' });
});

test('the long stop is a setting, and one before the first inquiry is rejected', async () => {
  const { bench, key } = await openMerchant({ config: { session: { longStopMs: hour } } });
  const id = await create(bench, key, { msisdn: '233244000904' });
  await initiate(bench, key, id);
  await bench.clock.advance(hour);
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'expired', reason: 'no_result' });
  expect(() => openBench({ config: { session: { longStopMs: firstMs } } })).toThrow(
    /session\.longStopMs must exceed the time until the first inquiry, 195000 ms; found 195000\./,
  );
});

test('more sessions than one round asks about are all asked', async () => {
  const { bench, key } = await openMerchant();
  const ids: string[] = [];
  for (let index = 0; index < 45; index++) {
    const id = await create(bench, key, { msisdn: '233244000920' });
    await initiate(bench, key, id);
    ids.push(id);
  }
  await bench.clock.advance(firstMs);
  await bench.clock.advance(0);
  const { data } = await json(
    await bench.service.app.request('/v1/payments/sessions?status=paid&limit=100', {
      headers: { authorization: `Bearer ${key}` },
    }),
  );
  expect(data).toHaveLength(ids.length);
});
