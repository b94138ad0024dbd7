import { describe, expect, test } from 'vitest';
import { payerLimited } from '../../../src/contract/error.ts';
import type { OfflineSession } from '../../../src/contract/service/reading.ts';
import { createServiceClient } from '../../../src/gateway/collection/calls/client.ts';
import { createKeyRates } from '../../../src/gateway/collection/calls/key-rates.ts';
import type { CallOutcome, Provider } from '../../../src/gateway/collection/calls/provider.ts';
import { createKeyHealth } from '../../../src/gateway/collection/calls/service-health.ts';
import { createQuotes, type QuoteOutcome } from '../../../src/gateway/collection/quote/quote.ts';
import {
  type QuoteCall,
  type QuoteRow,
  quotePruneJob,
  quoteStore,
} from '../../../src/gateway/collection/quote/quote-store.ts';
import { quote } from '../../../src/gateway/database/schema.ts';
import { periodic } from '../../../src/gateway/worker/queue.ts';
import { systemIds } from '../../../src/shared/ids.ts';
import type { AmountMinor } from '../../../src/shared/money.ts';
import type { Msisdn } from '../../../src/shared/msisdn.ts';
import { type TestClock, testClock } from '../../kit/clock.ts';
import { createKeptLog, createSilentLog } from '../../kit/log.ts';
import { openOwnStore } from '../../kit/migrated.ts';
import { createTill } from '../../kit/till.ts';
import { number } from './bench.ts';
import { session } from './support.ts';

const budgetMs = 1_000;
const minute = 60_000;

const request: QuoteCall = {
  merchantId: 'demo-shop',
  livemode: 0,
  dialogueId: 'dlg_1',
  dialler: '233244123456' as Msisdn,
  payer: '233244123456' as Msisdn,
  network: 'mtn',
  goodsMinor: 2_000 as AmountMinor,
  reference: 'INV-7',
};

type Create = Provider['create'];
const ok = (changed: Partial<OfflineSession> = {}): CallOutcome<OfflineSession> => ({
  kind: 'ok',
  value: { ...session, ...changed },
  ms: 40,
});
const lost: CallOutcome<OfflineSession> = { kind: 'unknown', detail: 'ECONNRESET', ms: 1 };

/** Creates quotes on their own file, with a service that the test answers for and a rate that rarely limits. */
function open(create: Create, clock: TestClock = testClock(), callsPerSecond = 1_000) {
  const { store } = openOwnStore('gateway', { clock });
  const calls: { key: string; idempotencyKey: string; body: string }[] = [];
  const outcomes: QuoteOutcome[] = [];
  const { log, logged } = createKeptLog();
  const rowStore = quoteStore(store);
  const rates = createKeyRates({ clock, log: createSilentLog() }, callsPerSecond);
  const quotes = createQuotes({
    quotes: rowStore,
    rates,
    keys: createKeyHealth(clock),
    callsInFlight: 128,
    provider: {
      create: (key, call) => {
        calls.push({ key, ...call });
        return create(key, call);
      },
    },
    clock,
    networkClock: clock,
    ids: systemIds(clock),
    keyOf: (merchantId) => (merchantId === 'no-key' ? undefined : `sk_test_${merchantId}`),
    log,
    onDone: (_merchant, outcome) => outcomes.push(outcome),
  });
  const rows = (): Promise<QuoteRow[]> => store.read.select().from(quote);
  return { quotes, rowStore, store, clock, rates, calls, outcomes, rows, logged };
}

/** Returns the request of the n-th dialogue, from the n-th phone. */
const nth = (n: number, merchantId = 'demo-shop'): QuoteCall => ({
  ...request,
  merchantId,
  dialogueId: `dlg_${n}`,
  dialler: number(n),
});

const rateLimited = {
  kind: 'rate_limited',
  httpStatus: 429,
  detail: 'http_429',
  retryAfterMs: 7_000,
  ms: 5,
} as const;

/** Creates a service whose answers the test sends, in order. */
function createHeldService() {
  const waiting: ((outcome: CallOutcome<OfflineSession>) => void)[] = [];
  const create: Create = () => new Promise((resolve) => waiting.push(resolve));
  return { waiting, create };
}

describe('a quote', () => {
  test('returns the fee, the total, and its create call', async () => {
    const { quotes, calls, outcomes } = open(async () => ok());
    const answer = await quotes.ask(request, budgetMs);
    expect(answer).toEqual({
      id: expect.stringMatching(/^quo_/),
      feeMinor: 20,
      totalMinor: 2_020,
      create: { key: calls[0]?.idempotencyKey, body: calls[0]?.body },
    });
    expect(JSON.parse(calls[0]?.body ?? '')).toEqual({
      msisdn: '233244123456',
      amount_minor: 2_000,
      network: 'mtn',
      mode: 'offline',
      reference: 'INV-7',
    });
    expect(calls[0]?.key).toBe('sk_test_demo-shop');
    expect(await quotes.find(answer?.id ?? '')).toEqual(answer?.create);
    expect(outcomes).toEqual(['quoted']);
  });

  test('is durable, with the key and bytes of its call, before the call is sent (R1)', async () => {
    let before: QuoteRow[] = [];
    const bench = open(async () => {
      before = await bench.rows();
      return ok();
    });
    await bench.quotes.ask(request, budgetMs);
    const [call] = bench.calls;
    expect(before).toEqual([
      {
        id: expect.stringMatching(/^quo_/),
        merchantId: 'demo-shop',
        livemode: 0,
        dialogueId: 'dlg_1',
        createKey: call?.idempotencyKey,
        createBody: call?.body,
        requestedAt: bench.clock.now(),
        session: null,
        answeredAt: null,
      },
    ]);
  });

  test('that cannot be stored is never requested', async () => {
    const { quotes, store, calls, outcomes } = open(async () => ok());
    await store.close();
    expect(await quotes.ask(request, budgetMs)).toBeUndefined();
    expect(calls).toEqual([]);
    expect(outcomes).toEqual(['busy']);
  });

  test('of a merchant without a key is never requested', async () => {
    const { quotes, calls, outcomes } = open(async () => ok());
    expect(await quotes.ask({ ...request, merchantId: 'no-key' }, budgetMs)).toBeUndefined();
    expect([calls, outcomes]).toEqual([[], ['rejected']]);
  });

  test('that is sent again under its key creates no second session', async () => {
    const till = await createTill();
    const client = createServiceClient({
      url: till.config.service.url,
      fetch: async (url, { signal: _, ...init }) => till.service.app.request(url, init),
      clock: till.clock,
      callTimeoutMs: 12_000,
    });
    const sessionIds: string[] = [];
    const key = till.config.merchants[0]?.key ?? '';
    const { quotes } = open(async (_, call) => {
      const outcome = await client.create(key, call);
      if (outcome.kind === 'ok') sessionIds.push(outcome.value.id);
      return outcome;
    }, till.clock);
    const answer = await quotes.ask(request, budgetMs);
    const { create } = answer ?? {};
    const again = await client.create(key, { idempotencyKey: create?.key ?? '', body: create?.body ?? '' });
    expect(again).toMatchObject({
      kind: 'ok',
      value: { id: sessionIds[0], amount_minor: answer?.totalMinor },
    });
    await till.clock.advance(minute);
    expect(await till.service.phone.pending(request.payer)).toEqual([]);
  });
});

describe('an answer', () => {
  test.each<[string, Partial<OfflineSession>, string]>([
    ['another price', { goods_minor: 1_999 }, 'quote_goods'],
    ['an inconsistent amount', { amount_minor: 2_021 }, 'quote_amount'],
    ['another net', { expected_net_minor: 1_980 }, 'quote_net'],
    ['another payer', { payer_msisdn: '0244123457' }, 'quote_payer'],
    ['another reference', { reference: 'INV-8' }, 'quote_reference'],
    ['another network', { network: 'telecel' }, 'quote_network'],
    ['a session that is already initiated', { status: 'initiated' }, 'quote_status'],
  ])('with %s is no quote and is not requested again', async (_, changed, fault) => {
    const { quotes, calls, outcomes, logged } = open(async () => ok(changed));
    expect(await quotes.ask(request, budgetMs)).toBeUndefined();
    expect(await quotes.ask(request, budgetMs)).toBeUndefined();
    expect([calls.length, outcomes]).toEqual([1, ['invalid_response']]);
    expect(logged()).toContain(fault);
  });

  test('that is a rejection is not requested again', async () => {
    const rejection = { kind: 'rejected', httpStatus: 403, code: 'offline_scope_required', ms: 5 } as const;
    const { quotes, calls, outcomes } = open(async () => rejection);
    expect(await quotes.ask(request, budgetMs)).toBeUndefined();
    expect(await quotes.ask(request, budgetMs)).toBeUndefined();
    expect([calls.length, outcomes]).toEqual([1, ['rejected']]);
    expect(quotes.isRejected(request)).toBe(true);
    expect(quotes.isRejected({ ...request, reference: 'INV-9' })).toBe(false);
  });

  test('that is unknown is requested again with the same bytes and key', async () => {
    const answers = [lost, { kind: 'unknown', detail: 'http_503', httpStatus: 503, ms: 5 } as const, ok()];
    const { quotes, calls, outcomes, rows } = open(async () => answers.shift() ?? lost);
    expect(await quotes.ask(request, budgetMs)).toBeUndefined();
    expect(await quotes.ask(request, budgetMs)).toBeUndefined();
    expect(await quotes.ask(request, budgetMs)).toMatchObject({ totalMinor: 2_020 });
    expect(calls[1]).toEqual(calls[0]);
    expect(calls[2]).toEqual(calls[0]);
    expect(outcomes).toEqual(['timeout', 'invalid_response', 'quoted']);
    expect(await rows()).toHaveLength(1);
  });

  test('that arrives after the budget is stored and serves the next request', async () => {
    const { waiting, create } = createHeldService();
    const { quotes, clock, calls, outcomes, rows } = open(create);
    let answer: unknown = 'waits';
    const asking = quotes.ask(request, budgetMs).then((one) => {
      answer = one;
    });
    await clock.advance(budgetMs - 1);
    expect(answer).toBe('waits');
    await clock.advance(1);
    expect(answer).toBeUndefined();
    await asking;
    waiting[0]?.(ok());
    await clock.advance(500);
    expect(await quotes.ask(request, budgetMs)).toMatchObject({ feeMinor: 20 });
    expect([calls.length, outcomes]).toEqual([1, ['timeout']]);
    const [row] = await rows();
    expect(JSON.parse(row?.session ?? '')).toEqual(session);
    expect(row?.answeredAt).toBe(clock.now() - 500);
  });
});

describe('the same request of the same dialogue', () => {
  test('makes one call, while it is in flight and after its answer', async () => {
    const { waiting, create } = createHeldService();
    const { quotes, clock, calls } = open(create);
    const both = [quotes.ask(request, budgetMs), quotes.ask({ ...request }, budgetMs)];
    await clock.advance(10);
    waiting[0]?.(ok());
    const [first, second] = await Promise.all(both);
    expect(first).toMatchObject({ totalMinor: 2_020 });
    expect(second).toEqual(first);
    expect(await quotes.ask(request, budgetMs)).toEqual(first);
    expect(await quotes.ask(request, 0)).toEqual(first);
    expect(calls).toHaveLength(1);
  });

  test.each<[string, Partial<QuoteCall>]>([
    ['dialogue', { dialogueId: 'dlg_2' }],
    ['merchant', { merchantId: 'other-shop' }],
    ['mode', { livemode: 1 }],
    ['payer', { payer: '233244123457' as Msisdn }],
    ['network', { network: 'telecel' }],
    ['amount', { goodsMinor: 2_001 as AmountMinor }],
    ['reference', { reference: 'INV-8' }],
  ])('makes another call with another %s', async (_, changed) => {
    const { quotes, calls } = open(async () => ok());
    await quotes.ask(request, budgetMs);
    await quotes.ask({ ...request, ...changed }, budgetMs);
    expect(calls).toHaveLength(2);
    expect(calls[1]?.idempotencyKey).not.toBe(calls[0]?.idempotencyKey);
  });

  test('makes a new call after ten minutes, when the old session may have expired', async () => {
    const { quotes, clock, calls } = open(async () => ok());
    const first = await quotes.ask(request, budgetMs);
    await clock.advance(10 * minute - 1);
    expect(await quotes.find(first?.id ?? '')).toEqual(first?.create);
    await clock.advance(1);
    expect(await quotes.find(first?.id ?? '')).toBeUndefined();
    const second = await quotes.ask(request, budgetMs);
    expect(second?.create.key).not.toBe(first?.create.key);
    expect(calls).toHaveLength(2);
  });

  test('is forgotten after ten thousand other requests', async () => {
    const { quotes, calls } = open(async () => lost);
    await quotes.ask(request, budgetMs);
    // Without a budget a request is cached and not sent.
    for (let n = 0; n < 9_999; n++) await quotes.ask({ ...request, dialogueId: `dlg_x${n}` }, 0);
    await quotes.ask(request, budgetMs);
    expect(calls[1]?.idempotencyKey).toBe(calls[0]?.idempotencyKey);
    await quotes.ask({ ...request, dialogueId: 'dlg_last' }, 0);
    await quotes.ask(request, budgetMs);
    expect(calls).toHaveLength(3);
    expect(calls[2]?.idempotencyKey).not.toBe(calls[0]?.idempotencyKey);
  });
});

describe('a service that rate-limits or hangs', () => {
  test('with a 429 pauses the quotes of that merchant alone, for the requested time', async () => {
    let answer: CallOutcome<OfflineSession> = rateLimited;
    const { quotes, clock, calls, outcomes } = open(async () => answer);
    await quotes.ask(nth(1), budgetMs);
    answer = ok();
    await clock.advance(6_999);
    expect(await quotes.ask(nth(2), budgetMs)).toBeUndefined();
    expect(await quotes.ask(nth(3, 'other-shop'), budgetMs)).toMatchObject({ feeMinor: 20 });
    expect(calls).toHaveLength(2);
    // Payments have priority: calls for quotes are available half a second later.
    await clock.advance(501);
    expect(await quotes.ask(nth(2), budgetMs)).toMatchObject({ feeMinor: 20 });
    expect(outcomes).toEqual(['rate_limited', 'rate_limited', 'quoted', 'quoted']);
  });

  test('with a 429 about one payer delays no other payer', async () => {
    const limited = {
      kind: 'rate_limited',
      httpStatus: 429,
      detail: payerLimited,
      retryAfterMs: 7_000,
      ms: 5,
    } as const;
    const answers: CallOutcome<OfflineSession>[] = [limited];
    const { quotes } = open(async () => answers.shift() ?? ok());
    expect(await quotes.ask(nth(1), budgetMs)).toBeUndefined();
    expect(await quotes.ask(nth(2), budgetMs)).toMatchObject({ feeMinor: 20 });
  });

  test('has at most half of the calls in flight, including calls after their budget', async () => {
    const { waiting, create } = createHeldService();
    const { quotes, clock, calls, outcomes } = open(create);
    const first = Array.from({ length: 64 }, (_, n) => quotes.ask(nth(n, `shop-${n}`), budgetMs));
    expect(await quotes.ask(nth(64, 'shop-0'), budgetMs)).toBeUndefined();
    expect(await quotes.ask(nth(65, 'other-shop'), budgetMs)).toBeUndefined();
    expect(outcomes).toEqual(['busy', 'busy']);
    await clock.advance(budgetMs);
    expect(await Promise.all(first)).toEqual(Array(64).fill(undefined));
    expect(calls).toHaveLength(64);
    expect(await quotes.ask(nth(66), budgetMs)).toBeUndefined();
    expect(outcomes.at(-1)).toBe('busy');
    for (const answer of waiting) answer(ok());
    await clock.advance(10_000);
    const next = quotes.ask(nth(67), budgetMs);
    await clock.advance(1);
    waiting.at(-1)?.(ok());
    expect(await next).toMatchObject({ feeMinor: 20 });
  });

  test('of a merchant whose quotes hang leave room for those of another one', async () => {
    const { quotes, outcomes } = open((key) =>
      key === 'sk_test_demo-shop' ? new Promise(() => {}) : Promise.resolve(ok()),
    );
    for (let n = 0; n < 64; n++) void quotes.ask(nth(n), budgetMs);
    expect(await quotes.ask(nth(65, 'other-shop'), budgetMs)).toMatchObject({ feeMinor: 20 });
    expect(outcomes).toContain('busy');
  });

  test('opens the circuit after five timeouts; then one trial at a time is sent until it answers', async () => {
    let hangs = true;
    const { quotes, clock, calls, outcomes } = open(() =>
      hangs ? new Promise(() => {}) : Promise.resolve(ok()),
    );
    for (let n = 0; n < 5; n++) {
      const asking = quotes.ask(nth(n), budgetMs);
      await clock.advance(budgetMs);
      await asking;
    }
    const trying = quotes.ask(nth(5), budgetMs);
    expect(await quotes.ask(nth(6), budgetMs)).toBeUndefined();
    expect(await quotes.ask(nth(7), budgetMs)).toBeUndefined();
    expect(outcomes.slice(5)).toEqual(['open_circuit', 'open_circuit']);
    await clock.advance(budgetMs);
    await trying;
    expect(calls).toHaveLength(6);
    hangs = false;
    expect(await quotes.ask(nth(8), budgetMs)).toMatchObject({ feeMinor: 20 });
    const all = await Promise.all(Array.from({ length: 20 }, (_, n) => quotes.ask(nth(10 + n), budgetMs)));
    expect(all.filter((one) => one?.feeMinor === 20)).toHaveLength(20);
  });

  test('for one merchant does not delay the quotes of others', async () => {
    const { quotes, clock } = open((key) =>
      key === 'sk_test_demo-shop' ? new Promise(() => {}) : Promise.resolve(ok()),
    );
    for (let n = 0; n < 6; n++) {
      const asking = quotes.ask(nth(n), budgetMs);
      await clock.advance(budgetMs);
      await asking;
    }
    const trying = quotes.ask(nth(6), budgetMs);
    const others = await Promise.all([7, 8, 9].map((n) => quotes.ask(nth(n, 'other-shop'), budgetMs)));
    expect(others.map((one) => one?.feeMinor)).toEqual([20, 20, 20]);
    await clock.advance(budgetMs);
    await trying;
  });

  test.each([
    [199, false],
    [200, true],
  ])(
    'that does not answer within a budget of %i ms counts as failed: %s',
    async (shortMs, countsAsFailed) => {
      const { quotes, clock, outcomes } = open(() => new Promise(() => {}));
      for (let n = 0; n < 5; n++) {
        const asking = quotes.ask(nth(n), shortMs);
        await clock.advance(shortMs);
        await asking;
      }
      const both = [quotes.ask(nth(5), budgetMs), quotes.ask(nth(6), budgetMs)];
      await clock.advance(budgetMs);
      await Promise.all(both);
      expect(outcomes.slice(0, 5)).toEqual(Array(5).fill('timeout'));
      expect(outcomes.slice(5).sort()).toEqual([countsAsFailed ? 'open_circuit' : 'timeout', 'timeout']);
    },
  );
});

describe('priority of payments', () => {
  test('quotes use only the upper half of the burst, and never exceed the rate', async () => {
    const { quotes, clock, calls, outcomes } = open(async () => ok(), testClock(), 20);
    const askMany = (from: number) =>
      Promise.all(Array.from({ length: 30 }, (_, n) => quotes.ask(nth(from + n), budgetMs)));
    await askMany(0);
    expect(calls).toHaveLength(10);
    expect(outcomes.filter((one) => one === 'rate_limited')).toHaveLength(20);
    expect(await quotes.ask(nth(100, 'other-shop'), budgetMs)).toMatchObject({ feeMinor: 20 });
    for (let n = 0; n < 10; n++) {
      await clock.advance(100);
      await askMany(200 + n * 30);
    }
    expect(calls.filter(({ key }) => key === 'sk_test_demo-shop')).toHaveLength(30);
  });

  test('no quote is requested while payments use the rate', async () => {
    const { quotes, clock, rates, calls, outcomes } = open(async () => ok(), testClock(), 20);
    const bucket = rates.bucketOf('demo-shop');
    for (let n = 0; n < 10; n++) bucket.take();
    expect(await quotes.ask(nth(1), budgetMs)).toBeUndefined();
    expect([calls, outcomes]).toEqual([[], ['rate_limited']]);
    expect(bucket.available(clock.now())).toBe(10);
    await clock.advance(50);
    expect(await quotes.ask(nth(1), budgetMs)).toMatchObject({ feeMinor: 20 });
    expect(bucket.available(clock.now())).toBe(10);
  });

  test('a rate of one call a second leaves none for quotes', async () => {
    const { quotes, clock, calls } = open(async () => ok(), testClock(), 1);
    await clock.advance(minute);
    expect(await quotes.ask(nth(1), budgetMs)).toBeUndefined();
    expect(calls).toEqual([]);
  });

  test('a 429 on a payment pauses quotes, and a 429 on a quote pauses payments', async () => {
    const { quotes, clock, rates, calls } = open(async () => rateLimited, testClock(), 20);
    rates.pause('other-shop', 7_000);
    expect(await quotes.ask(nth(1, 'other-shop'), budgetMs)).toBeUndefined();
    expect(calls).toEqual([]);
    await quotes.ask(nth(2), budgetMs);
    expect(calls).toHaveLength(1);
    await clock.advance(6_900);
    expect(rates.exhaustedAt(clock.now()).sort()).toEqual(['demo-shop', 'other-shop']);
    await clock.advance(150);
    expect(rates.exhaustedAt(clock.now())).toEqual([]);
  });
});

describe('the quota of quotes', () => {
  const amount = (n: number) => ({ goodsMinor: (1_000 + n) as AmountMinor });
  /** Requests the quotes in sequence. Returns the number of calls. */
  async function callsOf({ quotes, calls }: ReturnType<typeof open>, requests: readonly QuoteCall[]) {
    const before = calls.length;
    for (const one of requests) await quotes.ask(one, budgetMs);
    return calls.length - before;
  }
  /** Returns requests of one phone, each in another dialogue. */
  const fromOnePhone = (count: number, changed: Partial<QuoteCall> = {}) =>
    Array.from({ length: count }, (_, n) => ({ ...nth(n), dialler: number(7), ...changed }));
  const wrong = () => open(async () => ok({ goods_minor: 1 }));

  test('is five a dialogue', async () => {
    const bench = wrong();
    const many = Array.from({ length: 50 }, (_, n) => ({ ...nth(1), ...amount(n) }));
    expect(await callsOf(bench, many)).toBe(5);
    expect(bench.outcomes.slice(5)).toEqual(Array(45).fill('quota_exceeded'));
    expect(await callsOf(bench, [nth(2)])).toBe(1);
    expect(await bench.rows()).toHaveLength(6);
  });

  test('is twenty an hour for a phone, at each merchant and in each mode', async () => {
    const bench = wrong();
    expect(await callsOf(bench, fromOnePhone(10))).toBe(10);
    await bench.clock.advance(30 * minute);
    expect(await callsOf(bench, fromOnePhone(50))).toBe(10);
    expect(await callsOf(bench, [nth(60)])).toBe(1);
    expect(await callsOf(bench, [{ ...nth(61), dialler: number(7), merchantId: 'other-shop' }])).toBe(1);
    expect(await callsOf(bench, [{ ...nth(62), dialler: number(7), livemode: 1 }])).toBe(1);
    await bench.clock.advance(30 * minute - 1);
    expect(await callsOf(bench, [{ ...nth(63), dialler: number(7) }])).toBe(0);
    await bench.clock.advance(1);
    expect(await callsOf(bench, fromOnePhone(50, amount(1)))).toBe(10);
  });

  test('does not apply to an attendant', async () => {
    const bench = wrong();
    expect(await callsOf(bench, fromOnePhone(50, { dialler: null }))).toBe(50);
  });

  test('is not logged as a warning when exceeded', async () => {
    const bench = wrong();
    await callsOf(bench, fromOnePhone(20));
    const before = bench.logged().split('"level":"warn"').length;
    await callsOf(bench, fromOnePhone(50, amount(1)));
    expect(bench.outcomes.at(-1)).toBe('quota_exceeded');
    expect(bench.logged().split('"level":"warn"')).toHaveLength(before);
  });

  test('counts sent requests only', async () => {
    const bench = open(async () => ok(), testClock(), 20);
    bench.rates.pause('demo-shop', 7_000);
    for (let n = 0; n < 30; n++) await bench.quotes.ask({ ...nth(1), ...amount(n) }, budgetMs);
    await bench.clock.advance(8_000);
    expect(await bench.quotes.ask(request, budgetMs)).toMatchObject({ feeMinor: 20 });
  });
});

describe('close', () => {
  test('waits for calls in flight, stores their answers, and sends no further call', async () => {
    const { waiting, create } = createHeldService();
    const { quotes, clock, calls, rows } = open(create);
    const asking = quotes.ask(request, budgetMs);
    await clock.advance(budgetMs);
    await asking;
    let isClosed = false;
    const closing = quotes.close().then(() => {
      isClosed = true;
    });
    await clock.advance(100);
    expect(isClosed).toBe(false);
    expect(await quotes.ask({ ...request, dialogueId: 'dlg_2' }, budgetMs)).toBeUndefined();
    waiting[0]?.(ok());
    await closing;
    expect((await rows())[0]?.session).toContain('pay_1');
    expect(calls).toHaveLength(1);
  });

  test('waits at most five seconds for a service that hangs', async () => {
    const { create } = createHeldService();
    const { quotes, clock } = open(create);
    const asking = quotes.ask(request, budgetMs);
    let isClosed = false;
    const closing = quotes.close().then(() => {
      isClosed = true;
    });
    await clock.advance(4_999);
    expect(isClosed).toBe(false);
    await clock.advance(1);
    expect(isClosed).toBe(true);
    await Promise.all([asking, closing]);
  });
});

test('the log contains outcomes and durations, and no phone number, key, reference or body', async () => {
  const answers = [ok(), lost, ok({ payer_msisdn: '0244123457' })];
  const { quotes, logged } = open(async () => answers.shift() ?? lost);
  for (const n of [1, 2, 3]) await quotes.ask({ ...request, dialogueId: `dlg_${n}` }, budgetMs);
  expect(logged().trim().split('\n')).toHaveLength(4);
  for (const word of ['244123456', '244123457', 'INV-7', 'sk_test', 'quote.', 'amount']) {
    expect(logged()).not.toContain(word);
  }
});

test('quotes older than a day are deleted, a thousand at a time', async () => {
  const { rowStore, clock } = open(async () => ok());
  const dayMs = 24 * 60 * minute;
  const row = (n: number, requestedAt: number): QuoteRow => ({
    ...{ id: `quo_${n}`, merchantId: 'demo-shop', livemode: 0, dialogueId: `dlg_${n}`, requestedAt },
    ...{ createKey: `k${n}`, createBody: '{}', session: null, answeredAt: null },
  });
  const now = clock.now();
  await Promise.all([
    ...Array.from({ length: 1_500 }, (_, n) => rowStore.insert(row(n, now - dayMs - 2_000 + n))),
    rowStore.insert(row(2_000, now - dayMs)),
    rowStore.insert(row(2_001, now)),
  ]);
  const queue = periodic(quotePruneJob(rowStore, 60_000), clock);
  const round = async () => {
    for (const job of await queue.claim(clock.now(), 4)) await job();
  };
  await round();
  expect(await rowStore.oldest()).toBe(now - dayMs - 1_000);
  expect(await queue.nextDueAt()).toBe(now + 1_000);
  await round();
  expect(await rowStore.oldest()).toBe(now - dayMs - 1_000);
  await clock.advance(1_000);
  await round();
  expect(await rowStore.find('quo_2000')).toBeUndefined();
  expect(await rowStore.oldest()).toBe(now);
  expect(await queue.nextDueAt()).toBe(now + 61_000);
});
