import { expect, onTestFinished, test } from 'vitest';
import type { RequestedBy } from '../../../src/gateway/collection/collection.ts';
import type { Limits } from '../../../src/gateway/collection/opening/limits.ts';
import type { IntentRequest } from '../../../src/gateway/collection/opening/prepare-intent.ts';
import { Database } from '../../../src/sqlite/driver.ts';
import { type Bench, createBench, number } from './bench.ts';
import { day, hour, minute, noLimits, second } from './support.ts';

const limited = (changed: Partial<Limits>): Limits => ({ ...noLimits, ...changed });
const none = { perHour: null, perDay: null };

/** Opens collections and ends each at once, so that no open collection rejects the next. */
async function openAndEnd(
  { open, end }: Bench,
  times: number,
  changed: Partial<IntentRequest>,
): Promise<void> {
  for (let n = 0; n < times; n++) {
    const { row, done } = await open(changed);
    if (!done) throw new Error(`collection ${n + 1} was rejected`);
    await end(row, { status: 'expired' });
  }
}

test.each([
  ['dialler_limit', { dialler: { perHour: 3, perDay: null } }, hour],
  ['dialler_limit', { dialler: { perHour: null, perDay: 3 } }, day],
  ['payer_limit', { payer: { perHour: 3, perDay: null } }, hour],
  ['payer_limit', { payer: { perHour: null, perDay: 3 } }, day],
  ['merchant_limit', { merchant: { perMinute: 3 } }, minute],
] as const)(
  '%s: at %j the next one is rejected until the first leaves the window',
  async (reason, changed, ms) => {
    const bench = createBench();
    const limits = limited(changed);
    await openAndEnd(bench, 1, { limits });
    await bench.clock.advance(second);
    await openAndEnd(bench, 2, { limits });
    expect(await bench.rejectionOf({ limits })).toBe(reason);
    expect((await bench.open({ limits })).done).toBe(false);
    await bench.clock.advance(ms - second - 1);
    expect((await bench.open({ limits })).done).toBe(false);
    await bench.clock.advance(1);
    expect(await bench.rejectionOf({ limits })).toBeUndefined();
    expect((await bench.open({ limits })).done).toBe(true);
    expect(await bench.rejectionOf({ limits, payer: number(2), dialler: number(2) })).toBe(
      reason === 'merchant_limit' ? reason : undefined,
    );
  },
);

test.each([
  ['counts a concurrent collection with a later time', second, false],
  ['ignores the rows of a clock that was days ahead', 2 * day, true],
])('a limit of one %s', async (_, aheadMs, done) => {
  const bench = createBench();
  const limits = limited({ merchant: { perMinute: 1 }, dialler: { perHour: 1, perDay: null } });
  await openAndEnd(bench, 1, { limits, now: bench.clock.now() + aheadMs });
  expect((await bench.open({ limits })).done).toBe(done);
});

test.each([
  ['dialler_limit', { dialler: { perHour: 2, perDay: 2 } }, { payer: number(9) }, {}],
  ['payer_limit', { payer: { perHour: 2, perDay: 2 } }, { dialler: number(9) }, { dialler: number(8) }],
] as const)('%s: counts by one number, for any other number', async (reason, changed, other, second) => {
  const bench = createBench();
  const limits = limited(changed);
  await openAndEnd(bench, 1, { limits, ...other });
  await openAndEnd(bench, 1, { limits, ...second });
  expect(await bench.rejectionOf({ limits, ...other })).toBe(reason);
  expect(await bench.rejectionOf({ limits, dialler: number(5), payer: number(5) })).toBeUndefined();
});

test.each([
  { perHour: 2, perDay: null },
  { perHour: null, perDay: 2 },
])(
  'payer_limit of %j: requests of other phones and payments by the own phone count separately',
  async (payerLimit) => {
    const bench = createBench();
    const limits = limited({ payer: payerLimit });
    await openAndEnd(bench, 1, { limits, dialler: number(8) });
    await openAndEnd(bench, 1, { limits, dialler: number(9) });
    expect(await bench.rejectionOf({ limits, dialler: number(7) })).toBe('payer_limit');
    await openAndEnd(bench, 2, { limits });
    expect(await bench.rejectionOf({ limits })).toBe('payer_limit');
    expect((await bench.open({ limits })).done).toBe(false);
    // Otherwise a stranger could find out whether a payer has paid.
    await openAndEnd(bench, 2, { limits, payer: number(2), dialler: number(2) });
    expect(await bench.rejectionOf({ limits, payer: number(2), dialler: number(7) })).toBeUndefined();
  },
);

test('collections of another merchant or mode do not count', async () => {
  const bench = createBench();
  const two = { perHour: 2, perDay: 2 };
  const limits = limited({ dialler: two, payer: two, merchant: { perMinute: 2 } });
  await openAndEnd(bench, 2, { limits });
  expect((await bench.open({ limits })).done).toBe(false);
  expect((await bench.open({ limits, merchantId: 'other-shop' })).done).toBe(true);
  expect((await bench.open({ limits, livemode: 1 })).done).toBe(true);
});

test('a thousand concurrent requests of one dialler never exceed the limit', async () => {
  const { open, store } = createBench();
  const limits = limited({ dialler: { perHour: 20, perDay: 60 } });
  const opened = await Promise.all(
    Array.from({ length: 1_000 }, (_, n) => open({ limits, payer: number(n), dialler: number(0) })),
  );
  expect(opened.filter(({ done }) => done)).toHaveLength(20);
  const [rows, facts] = await store.read.get<[number, number]>(
    'SELECT (SELECT count(*) FROM collection), (SELECT count(*) FROM fact)',
  );
  expect({ rows, facts }).toEqual({ rows: 20, facts: 20 });
});

test('a thousand concurrent requests for one payer open one collection', async () => {
  const { open, rejectionOf } = createBench();
  const opened = await Promise.all(
    Array.from({ length: 1_000 }, (_, n) => open({ payer: number(0), dialler: number(n) })),
  );
  expect(opened.filter(({ done }) => done)).toHaveLength(1);
  expect(await rejectionOf({ payer: number(0) })).toBe('open');
});

const attendant = { dialler: number(1), requestedBy: 'attendant' } as const;
const shops = ['shop-1', 'shop-2', 'shop-3', 'shop-4'];

test.each([
  ['payer_limit', { payer: { perHour: 3, perDay: null }, dialler: none }, { payer: number(2) }, hour],
  ['payer_limit', { payer: { perHour: null, perDay: 3 }, dialler: none }, { payer: number(2) }, day],
  ['dialler_limit', { payer: none, dialler: { perHour: 3, perDay: null } }, { dialler: number(3) }, hour],
  ['dialler_limit', { payer: none, dialler: { perHour: null, perDay: 3 } }, { dialler: number(3) }, day],
] as const)(
  '%s of %j counts the requests at all merchants of the gateway together',
  async (reason, requests, fixed, ms) => {
    const bench = createBench();
    const limits = limited({ requests });
    const request = (n: number) => ({
      ...{ limits, merchantId: shops[n % 4] ?? '', dialler: number(20 + n), payer: number(40 + n) },
      ...fixed,
    });
    for (let n = 0; n < 3; n++) await openAndEnd(bench, 1, request(n));
    expect(await bench.rejectionOf(request(3))).toBe(reason);
    expect((await bench.open(request(3))).done).toBe(false);
    expect((await bench.open({ ...request(3), livemode: 1 })).done).toBe(true);
    // The own phones of both pay at once.
    for (const own of [number(2), number(3)]) {
      expect((await bench.open({ limits, dialler: own, payer: own })).done).toBe(true);
    }
    await bench.clock.advance(ms);
    expect((await bench.open(request(3))).done).toBe(true);
  },
);

test('declined requests count at all merchants together: for the payer, and for the phone that asked', async () => {
  const bench = createBench();
  const limits = limited({ declines: { maxDeclines: 2, coolDownMs: hour } });
  for (const merchantId of ['shop-1', 'shop-2']) {
    const { row } = await bench.open({ limits, merchantId, dialler: number(3), payer: number(2) });
    await bench.end(row, { status: 'failed', reason: 'declined' });
  }
  const request = { limits, merchantId: 'shop-3' };
  expect(await bench.rejectionOf({ ...request, dialler: number(4), payer: number(2) })).toBe(
    'payer_cool_down',
  );
  expect(await bench.rejectionOf({ ...request, dialler: number(3), payer: number(5) })).toBe(
    'dialler_cool_down',
  );
  expect((await bench.open({ ...request, dialler: number(2), payer: number(2) })).done).toBe(true);
});

test('requests of other phones never use up the limit of a merchant for payers and attendants', async () => {
  const bench = createBench();
  const limits = limited({ merchant: { perMinute: 2 } });
  for (let n = 0; n < 2; n++) await bench.open({ limits, dialler: number(20 + n), payer: number(30 + n) });
  expect(await bench.rejectionOf({ limits, dialler: number(22), payer: number(32) })).toBe('merchant_limit');
  expect((await bench.open({ limits, ...attendant, payer: number(33) })).done).toBe(true);
  expect((await bench.open({ limits, ...attendant, payer: number(34) })).done).toBe(true);
  expect(await bench.rejectionOf({ limits, ...attendant, payer: number(35) })).toBe('merchant_limit');
  await openAndEnd(bench, 2, { limits });
  expect(await bench.rejectionOf({ limits })).toBe('merchant_limit');
});

test('an attendant has limits of its own, and customers who decline do not use up those of the phone', async () => {
  const bench = createBench();
  const one = { perHour: 1, perDay: 1 };
  const limits = limited({
    ...{ dialler: one, payer: one, requests: { payer: one, dialler: one } },
    declines: { maxDeclines: 2, coolDownMs: hour },
    attendants: { ...none, maxDeclines: 5 },
  });
  for (let n = 0; n < 5; n++) {
    const { row, done } = await bench.open({ ...attendant, limits, payer: number(20 + n) });
    expect(done).toBe(true);
    await bench.end(row, { status: 'failed', reason: 'declined' });
  }
  // A stolen phone of an attendant is limited too.
  expect(await bench.rejectionOf({ ...attendant, limits, payer: number(30) })).toBe('dialler_cool_down');
  const elsewhere = { limits, merchantId: 'other-shop', payer: number(30) };
  expect(await bench.rejectionOf({ ...elsewhere, ...attendant })).toBeUndefined();
  expect(await bench.rejectionOf({ ...elsewhere, dialler: attendant.dialler })).toBeUndefined();
  expect((await bench.open({ limits })).done).toBe(true);
});

test.each([
  { perHour: 3, perDay: null },
  { perHour: null, perDay: 3 },
])('an attendant may make no more requests than %j', async (max) => {
  const bench = createBench();
  const limits = limited({ attendants: { ...max, maxDeclines: null } });
  for (let n = 0; n < 3; n++) await bench.open({ ...attendant, limits, payer: number(20 + n) });
  expect(await bench.rejectionOf({ ...attendant, limits, payer: number(30) })).toBe('dialler_limit');
  expect((await bench.open({ limits })).done).toBe(true);
});

test('requests of strangers and their declines keep no attendant from asking a payer', async () => {
  const bench = createBench();
  const two = { perHour: 2, perDay: 2 };
  const limits = limited({
    ...{ payer: two, requests: { payer: two, dialler: none } },
    declines: { maxDeclines: 2, coolDownMs: hour },
  });
  for (let n = 0; n < 2; n++) {
    const { row } = await bench.open({ limits, dialler: number(20 + n), payer: number(2) });
    await bench.end(row, { status: 'failed', reason: 'declined' });
  }
  const request = { ...attendant, limits, payer: number(2) };
  for (let n = 0; n < 2; n++) {
    const { row, done } = await bench.open(request);
    expect(done).toBe(true);
    await bench.end(row, { status: 'failed', reason: 'declined' });
  }
  expect(await bench.rejectionOf(request)).toBe('payer_cool_down');
});

const plans: Record<RequestedBy, [index: string, lastColumn: string][]> = {
  payer: [
    ['staff_action_subject', 'subject_id'],
    ['staff_action_subject', 'seq'],
    ['collection_open_payer', 'requested_by'],
    ['sqlite_autoindex_collection_1', 'id'],
    ['collection_retry_of', 'retry_of'],
    ['collection_dialler', 'opened_at'],
    ['collection_payer', 'opened_at'],
    ['collection_merchant_opened', 'opened_at'],
    ['collection_short_reference', 'livemode'],
  ],
  attendant: [
    ['staff_action_subject', 'subject_id'],
    ['staff_action_subject', 'seq'],
    ['collection_open_payer', 'requested_by'],
    ['collection_open_payer', 'requested_by'],
    ['sqlite_autoindex_collection_1', 'id'],
    ['collection_retry_of', 'retry_of'],
    ['sqlite_autoindex_dialler_setting_1', 'msisdn'],
    ['staff_action_subject', 'subject_id'],
    ['staff_action_subject', 'seq'],
    ['collection_declined_payer', 'closed_at'],
    ['collection_declined_dialler', 'closed_at'],
    ['collection_dialler', 'opened_at'],
    ['collection_payer', 'opened_at'],
    ['collection_requested_payer', 'opened_at'],
    ['collection_merchant_opened', 'opened_at'],
    ['collection_short_reference', 'livemode'],
  ],
  other: [
    ['staff_action_subject', 'subject_id'],
    ['staff_action_subject', 'seq'],
    ['collection_open_payer', 'requested_by'],
    ['collection_open_payer', 'requested_by'],
    ['collection_open_payer', 'requested_by'],
    ['sqlite_autoindex_collection_1', 'id'],
    ['collection_retry_of', 'retry_of'],
    ['sqlite_autoindex_dialler_setting_1', 'msisdn'],
    ['staff_action_subject', 'subject_id'],
    ['staff_action_subject', 'seq'],
    ['collection_declined_payer', 'closed_at'],
    ['collection_declined_dialler', 'closed_at'],
    ['collection_dialler', 'opened_at'],
    ['collection_requested_dialler', 'opened_at'],
    ['collection_payer', 'opened_at'],
    ['collection_requested_payer', 'opened_at'],
    ['collection_merchant_opened', 'opened_at'],
    ['collection_short_reference', 'livemode'],
  ],
};

test.each(Object.entries(plans))(
  'every guard of a request by the kind %s uses an index and never reads all collections of a merchant',
  (requestedBy, expected) => {
    const { file, writesOf } = createBench();
    const [insert] = writesOf({ requestedBy: requestedBy as RequestedBy });
    const database = new Database(file, { readonly: true });
    onTestFinished(() => void database.close());
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${insert?.sql}`).all(...(insert?.args ?? []));
    const looks = plan
      .map((row) => String((row as { detail: string }).detail))
      .filter((detail) => !/^((?:CORRELATED )?SCALAR SUBQUERY \d+|SCAN CONSTANT ROW)$/.test(detail))
      .map((detail) =>
        /^SEARCH \w+ USING (?:COVERING )?INDEX (\w+) \(.*?(\w+|<expr>)[=<>]+\?\)$/.exec(detail)?.slice(1, 3),
      );
    expect(looks).toEqual(expected);
  },
);
