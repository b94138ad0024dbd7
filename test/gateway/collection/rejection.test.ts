import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CollectionRow } from '../../../src/gateway/collection/collection.ts';
import type { Limits } from '../../../src/gateway/collection/opening/limits.ts';
import type { AmountMinor } from '../../../src/shared/money.ts';
import type { Msisdn } from '../../../src/shared/msisdn.ts';
import { type Bench, type End, number, openBench } from './bench.ts';
import { hour, minute, noLimits, second } from './support.ts';

const limits: Limits = { ...noLimits, declines: { maxDeclines: 2, coolDownMs: hour } };
const [ama, kofi, esi, yaw] = [number(1), number(2), number(3), number(4)] as const;
const declined: End = { status: 'failed', reason: 'declined' };

async function asked({ open, end }: Bench, dialler: Msisdn, payer: Msisdn, ended: End): Promise<void> {
  const { row, done } = await open({ dialler, payer, limits });
  if (!done) throw new Error('it was refused');
  await end(row, ended);
}

test('a closed number takes no request from another phone, and pays by its own', async () => {
  const bench = openBench();
  const byOther = { dialler: kofi, payer: ama };
  await bench.setClosed(ama, true);
  expect(await bench.whyNot(byOther)).toBe('opted_out');
  expect((await bench.open(byOther)).done).toBe(false);
  expect((await bench.open({ ...byOther, merchantId: 'other-shop' })).done).toBe(true);
  const { row, done } = await bench.open({ dialler: ama, payer: ama });
  expect(done).toBe(true);
  await bench.end(row, { status: 'paid' });
  await bench.setClosed(ama, false);
  expect((await bench.open(byOther)).done).toBe(true);
});

test('a closed number may ask others', async () => {
  const bench = openBench();
  await bench.setClosed(ama, true);
  expect((await bench.open({ dialler: ama, payer: kofi })).done).toBe(true);
});

test('a payer who declined two requests of others is asked no third before the time is over', async () => {
  const bench = openBench();
  await asked(bench, kofi, ama, declined);
  await bench.clock.advance(10 * minute);
  await asked(bench, esi, ama, declined);
  expect(await bench.whyNot({ dialler: yaw, payer: ama, limits })).toBe('cool_down');
  expect((await bench.open({ dialler: yaw, payer: ama, limits })).done).toBe(false);
  expect(await bench.whyNot({ dialler: ama, payer: ama, limits })).toBeUndefined();
  await bench.clock.advance(50 * minute - 1);
  expect(await bench.whyNot({ dialler: yaw, payer: ama, limits })).toBe('cool_down');
  await bench.clock.advance(1);
  expect((await bench.open({ dialler: yaw, payer: ama, limits })).done).toBe(true);
});

test('one whose two requests were declined asks nobody a third, and pays for themselves', async () => {
  const bench = openBench();
  await asked(bench, kofi, ama, declined);
  await asked(bench, kofi, esi, declined);
  expect(await bench.whyNot({ dialler: kofi, payer: yaw, limits })).toBe('cool_down');
  expect((await bench.open({ dialler: kofi, payer: yaw, limits })).done).toBe(false);
  expect((await bench.open({ dialler: kofi, payer: kofi, limits })).done).toBe(true);
});

test.each<[string, Msisdn, End]>([
  ['declined by the one who dialled', ama, declined],
  ['failed otherwise', kofi, { status: 'failed', reason: 'insufficient_funds' }],
  ['expired', kofi, { status: 'expired', reason: 'declined' }],
  ['paid', kofi, { status: 'paid' }],
])('what was %s cools nobody down', async (_, dialler, ended) => {
  const bench = openBench();
  for (let n = 0; n < 3; n++) await asked(bench, dialler, ama, ended);
  expect((await bench.open({ dialler: esi, payer: ama, limits })).done).toBe(true);
});

test('a cool-down lasts from when it was declined, not from when it was asked', async () => {
  const bench = openBench();
  const strict = { ...limits, declines: { maxDeclines: 1, coolDownMs: hour } };
  const { row } = await bench.open({ dialler: kofi, payer: ama });
  await bench.clock.advance(30 * minute);
  await bench.end(row, declined);
  await bench.clock.advance(hour - 1);
  expect(await bench.whyNot({ dialler: esi, payer: ama, limits: strict })).toBe('cool_down');
});

test.each<[string, boolean, End]>([
  ['failed', true, declined],
  ['expired', true, { status: 'expired' }],
  ['abandoned', true, { status: 'abandoned' }],
  ['paid', false, { status: 'paid', booked: 'paid' }],
  ['under review', false, { status: 'review', review: 'no_outcome' }],
  ['failed, with money that is held,', false, { status: 'failed', booked: 'suspense' }],
  ['failed, after money was given back,', false, { status: 'failed', booked: 'returned' }],
  ['failed, and for a person to look at,', false, { status: 'failed', review: 'amount_mismatch' }],
])('what is %s can be asked for again: %s', async (_, allowed, ended) => {
  const bench = openBench();
  const { row } = await bench.open();
  await bench.end(row, ended);
  expect(await bench.whyNot({ retryOf: row.id })).toBe(allowed ? undefined : 'retry');
  const again = await bench.open({ retryOf: row.id });
  expect(again.done).toBe(allowed);
  expect((await bench.collections.find(again.row.id))?.retryOf).toBe(allowed ? row.id : undefined);
});

test('what is open is not asked for again', async () => {
  const bench = openBench();
  const { row } = await bench.open();
  expect(await bench.whyNot({ retryOf: row.id })).toBe('open');
  // Lapsed: it frees the payer for another payment, but it may still be paid.
  const sql = 'UPDATE collection SET lapsed_at = 1 WHERE id = ?';
  await bench.store.apply([{ sql, args: [row.id], rows: 1 }]);
  expect(await bench.whyNot({ retryOf: row.id })).toBe('retry');
  expect((await bench.open({ retryOf: row.id })).done).toBe(false);
  expect((await bench.open()).done).toBe(true);
});

test.each([
  ['payer', { payer: kofi }],
  ['amount', { goodsMinor: 2_001 as AmountMinor }],
  ['merchant', { merchantId: 'other-shop' }],
  ['mode', { livemode: 1 }],
] as const)('with another %s it is another payment, and none that is asked for again', async (_, changed) => {
  const bench = openBench();
  const { row } = await bench.open();
  await bench.end(row, { status: 'failed' });
  expect(await bench.whyNot({ ...changed, retryOf: row.id })).toBe('retry');
  expect((await bench.open({ ...changed, retryOf: row.id })).done).toBe(false);
});

test('what does not exist is not asked for again', async () => {
  const bench = openBench();
  expect(await bench.whyNot({ retryOf: 'col_none' })).toBe('retry');
  expect((await bench.open({ retryOf: 'col_none' })).done).toBe(false);
});

test('of many who ask for one collection again at once, one does, and nobody later', async () => {
  const bench = openBench();
  const { row } = await bench.open();
  await bench.end(row, { status: 'failed' });
  const diallers = Array.from({ length: 50 }, (_, n) => number(n + 1));
  const again = await Promise.all(diallers.map((dialler) => bench.open({ dialler, retryOf: row.id })));
  const won = again.filter(({ done }) => done);
  expect(won).toHaveLength(1);
  for (const { row: second } of won) {
    await bench.end(second, { status: 'failed' });
    expect(await bench.whyNot({ retryOf: row.id })).toBe('retry');
    expect(await bench.whyNot({ retryOf: second.id })).toBeUndefined();
  }
});

test('a short reference that is taken refuses, at this merchant and in this mode alone', async () => {
  const bench = openBench();
  const shortReference = '48217362';
  expect((await bench.open({ shortReference })).done).toBe(true);
  const other = { shortReference, payer: kofi };
  expect(await bench.whyNot(other)).toBe('reference');
  expect((await bench.open(other)).done).toBe(false);
  expect((await bench.open({ ...other, livemode: 1 })).done).toBe(true);
  expect((await bench.open({ ...other, merchantId: 'other-shop' })).done).toBe(true);
});

test('a start that is refused leaves nothing behind, and takes the batch that it stands in with it', async () => {
  const bench = openBench();
  await bench.setClosed(ama, true);
  const refused = bench.writesOf({ dialler: kofi, payer: ama });
  const beside = bench.writesOf({ dialler: esi, payer: esi });
  expect(await bench.store.apply([...beside, ...refused])).toBe(false);
  expect(
    await bench.store.read.get('SELECT (SELECT count(*) FROM collection) + (SELECT count(*) FROM fact)'),
  ).toEqual([0]);
});

/*
 * Whatever happened before: the guards of the insert, the reason that is read and the rules as they are told here in
 * plain words never disagree.
 */

type Op =
  | { kind: 'open'; dialler: number; payer: number; amount: number; again: number | undefined }
  | { kind: 'end'; which: number; end: End }
  | { kind: 'set'; payer: number; closed: boolean }
  | { kind: 'wait'; ms: number };

const person = fc.integer({ min: 1, max: 3 });
const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('open' as const),
      dialler: person,
      payer: person,
      amount: fc.constantFrom(100, 200),
      again: fc.option(fc.nat(3), { nil: undefined, freq: 2 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      which: fc.nat(9),
      end: fc.constantFrom<End>(
        declined,
        { status: 'failed' },
        { status: 'expired' },
        { status: 'paid', booked: 'paid' },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('set' as const), payer: person, closed: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(second, 20 * second, 20 * minute, hour),
    }),
  },
);

const most = { dialler: 3, payer: 2, merchant: 4, declines: 1 };
const tight: Limits = {
  dialler: { perHour: most.dialler, perDay: null },
  payer: { perHour: most.payer, perDay: null },
  merchant: { perMinute: most.merchant },
  declines: { maxDeclines: most.declines, coolDownMs: hour },
};

type Past = { row: CollectionRow; end?: End; endedAt?: number };

/** The rules, told over a list. */
function expected(past: readonly Past[], closed: ReadonlySet<Msisdn>, asked: CollectionRow, now: number) {
  const { payer, dialler, retryOf, goodsMinor } = asked;
  const within = (ms: number) => past.filter(({ row }) => row.openedAt > now - ms).map(({ row }) => row);
  const declines = past.filter(
    ({ row, end, endedAt = 0 }) => end === declined && row.payer !== row.dialler && endedAt > now - hour,
  );
  const old = past.find(({ row }) => row.id === retryOf);
  const isUnpaid = old?.end !== undefined && old.end.status !== 'paid';
  const isSame = old?.row.payer === payer && old.row.goodsMinor === goodsMinor;
  if (past.some(({ row, end }) => row.payer === payer && !end)) return 'open';
  if (retryOf !== null && !(isUnpaid && isSame)) return 'retry';
  if (retryOf !== null && past.some(({ row }) => row.retryOf === retryOf)) return 'retry';
  if (payer !== dialler) {
    if (closed.has(payer)) return 'opted_out';
    if (declines.filter(({ row }) => row.payer === payer).length >= most.declines) return 'cool_down';
    if (declines.filter(({ row }) => row.dialler === dialler).length >= most.declines) return 'cool_down';
  }
  if (within(hour).filter((row) => row.dialler === dialler).length >= most.dialler) return 'dialler_limit';
  // What others ask of a payer is not held against the payer.
  const alike = within(hour).filter(
    (row) => row.payer === payer && (payer !== dialler || row.dialler === dialler),
  );
  if (alike.length >= most.payer) return 'payer_limit';
  if (within(minute).length >= most.merchant) return 'merchant_limit';
  return undefined;
}

test('the insert, the reason and the rules agree after any history', { timeout: 60_000 }, async () => {
  const bench = openBench();
  const told = new Map<string, number>();
  let shops = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(op, { minLength: 20, maxLength: 60, size: 'max' }), async (ops) => {
      const merchantId = `shop-${shops++}`;
      const past: Past[] = [];
      const closed = new Set<Msisdn>();
      for (const one of ops) {
        if (one.kind === 'wait') await bench.clock.advance(one.ms);
        else if (one.kind === 'set') {
          const payer = number(one.payer);
          await bench.setClosed(payer, one.closed, merchantId);
          if (one.closed) closed.add(payer);
          else closed.delete(payer);
        } else if (one.kind === 'end') {
          const some = past.filter(({ end }) => !end).at(-1 - (one.which % 3));
          if (!some) continue;
          await bench.end(some.row, one.end);
          some.end = one.end;
          some.endedAt = bench.clock.now();
        } else {
          const [dialler, payer] = [number(one.dialler), number(one.payer)];
          const retryOf = one.again === undefined ? null : (past.at(-1 - one.again)?.row.id ?? null);
          const goodsMinor = one.amount as AmountMinor;
          const request = { merchantId, dialler, payer, goodsMinor, retryOf, limits: tight };
          const now = bench.clock.now();
          const before = await bench.whyNot(request);
          const { row, done } = await bench.open(request);
          const reason = expected(past, closed, row, now);
          expect({ before, done }).toEqual({ before: reason, done: reason === undefined });
          if (!done) expect(await bench.collections.findRejection(row, tight, now)).toBe(reason);
          else past.push({ row });
          const name = reason ?? (retryOf === null ? 'opened' : 'opened again');
          told.set(name, (told.get(name) ?? 0) + 1);
        }
      }
    }),
    { numRuns: 120 },
  );
  const all = ['open', 'retry', 'opted_out', 'cool_down', 'dialler_limit', 'payer_limit', 'merchant_limit'];
  expect([...told.keys()].sort()).toEqual([...all, 'opened', 'opened again'].sort());
});
