import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { type Limits, limitsOfAttendant } from '../../../src/gateway/collection/opening/limits.ts';
import type { IntentRequest } from '../../../src/gateway/collection/opening/prepare-intent.ts';
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
  ['dialler_limit', { dialler: { perHour: 2, perDay: 2 } }, { payer: number(9) }],
  ['payer_limit', { payer: { perHour: 2, perDay: 2 } }, { dialler: number(9) }],
] as const)('%s: counts by one number, for any other number', async (reason, changed, other) => {
  const bench = createBench();
  const limits = limited(changed);
  await openAndEnd(bench, 1, { limits, ...other });
  await openAndEnd(bench, 1, { limits });
  expect(await bench.rejectionOf({ limits, ...other })).toBe(reason);
  expect(await bench.rejectionOf({ limits, dialler: number(5), payer: number(5) })).toBeUndefined();
});

test.each([
  { perHour: 2, perDay: null },
  { perHour: null, perDay: 2 },
])(
  'payer_limit of %j: requests of other phones do not count for the payer; requests of the payer count for them',
  async (payerLimit) => {
    const bench = createBench();
    const limits = limited({ payer: payerLimit });
    await openAndEnd(bench, 1, { limits, dialler: number(8) });
    await openAndEnd(bench, 1, { limits, dialler: number(9) });
    expect(await bench.rejectionOf({ limits, dialler: number(7) })).toBe('payer_limit');
    await openAndEnd(bench, 2, { limits });
    expect(await bench.rejectionOf({ limits })).toBe('payer_limit');
    expect((await bench.open({ limits })).done).toBe(false);
    await openAndEnd(bench, 2, { limits, payer: number(2), dialler: number(2) });
    expect(await bench.rejectionOf({ limits, payer: number(2), dialler: number(7) })).toBe('payer_limit');
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

test('an attendant has no dialler limits, and payer limits still hold', async () => {
  const bench = createBench();
  const strict = limited({
    dialler: { perHour: 1, perDay: 1 },
    payer: { perHour: 1, perDay: 1 },
    declines: { maxDeclines: 1, coolDownMs: hour },
  });
  const limits = limitsOfAttendant(strict);
  expect(limits).toMatchObject({ dialler: none, payer: strict.payer });
  const attendant = { limits, dialler: number(1) };
  const { row } = await bench.open({ ...attendant, payer: number(2) });
  await bench.end(row, { status: 'failed', reason: 'declined' });
  expect(await bench.rejectionOf({ ...attendant, limits: strict, payer: number(3) })).toBe('cool_down');
  expect((await bench.open({ ...attendant, payer: number(3) })).done).toBe(true);
  expect(await bench.rejectionOf({ ...attendant, payer: number(2) })).toBe('cool_down');
});

test('every guard uses an index and never reads all collections of a merchant', () => {
  const { file, writesOf } = createBench();
  const [insert] = writesOf({});
  const database = new Database(file, { readonly: true });
  onTestFinished(() => void database.close());
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${insert?.sql}`).all(...(insert?.args ?? []));
  const looks = plan
    .map((row) => String((row as { detail: string }).detail))
    .filter((detail) => !/^(SCALAR SUBQUERY \d+|SCAN CONSTANT ROW)$/.test(detail))
    .map((detail) =>
      /^SEARCH \w+ USING (?:COVERING )?INDEX (\w+) \(.*?(\w+)[=<>]+\?\)$/.exec(detail)?.slice(1, 3),
    );
  expect(looks).toEqual([
    ['collection_open_payer', 'livemode'],
    ['sqlite_autoindex_collection_1', 'id'],
    ['collection_retry_of', 'retry_of'],
    ['sqlite_autoindex_dialler_setting_1', 'msisdn'],
    ['collection_declined_payer', 'closed_at'],
    ['collection_declined_dialler', 'closed_at'],
    ['collection_dialler', 'opened_at'],
    ['collection_dialler', 'opened_at'],
    ['collection_payer', 'opened_at'],
    ['collection_payer', 'opened_at'],
    ['collection_merchant', 'opened_at'],
    ['collection_short_reference', 'livemode'],
  ]);
});
