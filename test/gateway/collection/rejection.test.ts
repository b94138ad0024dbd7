import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CollectionRow, RequestedBy } from '../../../src/gateway/collection/collection.ts';
import type { Limits } from '../../../src/gateway/collection/opening/limits.ts';
import type { AmountMinor } from '../../../src/shared/money.ts';
import type { Msisdn } from '../../../src/shared/msisdn.ts';
import { type Bench, createBench, type End, number } from './bench.ts';
import { hour, minute, noLimits, second } from './support.ts';

const limits: Limits = { ...noLimits, declines: { maxDeclines: 2, coolDownMs: hour } };
const [ama, kofi, esi, yaw] = [number(1), number(2), number(3), number(4)] as const;
const declined: End = { status: 'failed', reason: 'declined' };

async function openAndEnd({ open, end }: Bench, dialler: Msisdn, payer: Msisdn, ended: End): Promise<void> {
  const { row, done } = await open({ dialler, payer, limits });
  if (!done) throw new Error('the collection was rejected');
  await end(row, ended);
}

test('a payer who blocks requests gets none from another phone, at any merchant, and pays with their own', async () => {
  const bench = createBench();
  const byOther = { dialler: kofi, payer: ama };
  await bench.setBlock(ama, true);
  expect(await bench.rejectionOf(byOther)).toBe('opted_out');
  expect((await bench.open(byOther)).done).toBe(false);
  expect((await bench.open({ ...byOther, merchantId: 'other-shop' })).done).toBe(false);
  expect((await bench.open({ ...byOther, requestedBy: 'attendant' })).done).toBe(false);
  expect((await bench.open({ ...byOther, merchantId: 'other-shop', livemode: 1 })).done).toBe(true);
  const { row, done } = await bench.open({ dialler: ama, payer: ama });
  expect(done).toBe(true);
  await bench.end(row, { status: 'paid' });
  await bench.setBlock(ama, false);
  expect((await bench.open(byOther)).done).toBe(true);
});

test('a payer who blocks requests may ask others', async () => {
  const bench = createBench();
  await bench.setBlock(ama, true);
  expect((await bench.open({ dialler: ama, payer: kofi })).done).toBe(true);
});

test('a payer who declined two requests of other phones gets no third within the cool-down', async () => {
  const bench = createBench();
  await openAndEnd(bench, kofi, ama, declined);
  await bench.clock.advance(10 * minute);
  await openAndEnd(bench, esi, ama, declined);
  expect(await bench.rejectionOf({ dialler: yaw, payer: ama, limits })).toBe('payer_cool_down');
  expect((await bench.open({ dialler: yaw, payer: ama, limits })).done).toBe(false);
  expect(await bench.rejectionOf({ dialler: ama, payer: ama, limits })).toBeUndefined();
  await bench.clock.advance(50 * minute - 1);
  expect(await bench.rejectionOf({ dialler: yaw, payer: ama, limits })).toBe('payer_cool_down');
  await bench.clock.advance(1);
  expect((await bench.open({ dialler: yaw, payer: ama, limits })).done).toBe(true);
});

test('a dialler with two declined requests may ask no other payer, and may pay themselves', async () => {
  const bench = createBench();
  await openAndEnd(bench, kofi, ama, declined);
  await openAndEnd(bench, kofi, esi, declined);
  expect(await bench.rejectionOf({ dialler: kofi, payer: yaw, limits })).toBe('dialler_cool_down');
  expect((await bench.open({ dialler: kofi, payer: yaw, limits })).done).toBe(false);
  expect((await bench.open({ dialler: kofi, payer: kofi, limits })).done).toBe(true);
});

test.each<[string, Msisdn, End]>([
  ['declined by the dialler', ama, declined],
  ['failed for another reason', kofi, { status: 'failed', reason: 'insufficient_funds' }],
  ['expired', kofi, { status: 'expired', reason: 'declined' }],
  ['paid', kofi, { status: 'paid' }],
])('a collection that was %s starts no cool-down', async (_, dialler, ended) => {
  const bench = createBench();
  for (let n = 0; n < 3; n++) await openAndEnd(bench, dialler, ama, ended);
  expect((await bench.open({ dialler: esi, payer: ama, limits })).done).toBe(true);
});

test('a cool-down starts when the request is declined, not when it is opened', async () => {
  const bench = createBench();
  const strict = { ...limits, declines: { maxDeclines: 1, coolDownMs: hour } };
  const { row } = await bench.open({ dialler: kofi, payer: ama });
  await bench.clock.advance(30 * minute);
  await bench.end(row, declined);
  await bench.clock.advance(hour - 1);
  expect(await bench.rejectionOf({ dialler: esi, payer: ama, limits: strict })).toBe('payer_cool_down');
});

test.each<[string, boolean, End]>([
  ['failed', true, declined],
  ['expired', true, { status: 'expired' }],
  ['abandoned', true, { status: 'abandoned' }],
  ['paid', false, { status: 'paid', booked: 'paid' }],
  ['under review', false, { status: 'review', review: 'no_outcome' }],
  ['failed, with suspended money,', false, { status: 'failed', booked: 'suspense' }],
  ['failed, after a return,', false, { status: 'failed', booked: 'returned' }],
  ['failed, and flagged for review,', false, { status: 'failed', review: 'amount_mismatch' }],
])('a collection that is %s may be retried: %s', async (_, allowed, ended) => {
  const bench = createBench();
  const { row } = await bench.open();
  await bench.end(row, ended);
  expect(await bench.rejectionOf({ retryOf: row.id })).toBe(allowed ? undefined : 'retry');
  const again = await bench.open({ retryOf: row.id });
  expect(again.done).toBe(allowed);
  expect((await bench.collections.find(again.row.id))?.retryOf).toBe(allowed ? row.id : undefined);
});

test('an open collection may not be retried', async () => {
  const bench = createBench();
  const { row } = await bench.open();
  expect(await bench.rejectionOf({ retryOf: row.id })).toBe('open');
  // A lapsed collection allows another payment, and may itself still be paid.
  const sql = 'UPDATE collection SET lapsed_at = 1 WHERE id = ?';
  await bench.store.apply([{ sql, args: [row.id], rows: 1 }]);
  expect(await bench.rejectionOf({ retryOf: row.id })).toBe('retry');
  expect((await bench.open({ retryOf: row.id })).done).toBe(false);
  expect((await bench.open()).done).toBe(true);
});

test.each([
  ['payer', { payer: kofi }],
  ['amount', { goodsMinor: 2_001 as AmountMinor }],
  ['merchant', { merchantId: 'other-shop' }],
  ['mode', { livemode: 1 }],
] as const)('a retry with another %s is rejected', async (_, changed) => {
  const bench = createBench();
  const { row } = await bench.open();
  await bench.end(row, { status: 'failed' });
  expect(await bench.rejectionOf({ ...changed, retryOf: row.id })).toBe('retry');
  expect((await bench.open({ ...changed, retryOf: row.id })).done).toBe(false);
});

test('an unknown collection may not be retried', async () => {
  const bench = createBench();
  expect(await bench.rejectionOf({ retryOf: 'col_none' })).toBe('retry');
  expect((await bench.open({ retryOf: 'col_none' })).done).toBe(false);
});

test('of many concurrent retries of one collection one succeeds, and none later', async () => {
  const bench = createBench();
  const { row } = await bench.open();
  await bench.end(row, { status: 'failed' });
  const diallers = Array.from({ length: 50 }, (_, n) => number(n + 1));
  const again = await Promise.all(diallers.map((dialler) => bench.open({ dialler, retryOf: row.id })));
  const won = again.filter(({ done }) => done);
  expect(won).toHaveLength(1);
  for (const { row: second } of won) {
    await bench.end(second, { status: 'failed' });
    expect(await bench.rejectionOf({ retryOf: row.id })).toBe('retry');
    expect(await bench.rejectionOf({ retryOf: second.id })).toBeUndefined();
  }
});

test('a used short reference is rejected at the same merchant and in the same mode only', async () => {
  const bench = createBench();
  const shortReference = '48217362';
  expect((await bench.open({ shortReference })).done).toBe(true);
  const other = { shortReference, payer: kofi };
  expect(await bench.rejectionOf(other)).toBe('reference');
  expect((await bench.open(other)).done).toBe(false);
  expect((await bench.open({ ...other, livemode: 1 })).done).toBe(true);
  expect((await bench.open({ ...other, merchantId: 'other-shop' })).done).toBe(true);
});

test('a rejected collection undoes its whole batch', async () => {
  const bench = createBench();
  await bench.setBlock(ama, true);
  const rejected = bench.writesOf({ dialler: kofi, payer: ama });
  const beside = bench.writesOf({ dialler: esi, payer: esi });
  expect(await bench.store.apply([...beside, ...rejected])).toBe(false);
  expect(
    await bench.store.read.get('SELECT (SELECT count(*) FROM collection) + (SELECT count(*) FROM fact)'),
  ).toEqual([0]);
});

/* After any history, the guards of the insert, the query for the rejection, and the rules below agree. */

type Op =
  | {
      kind: 'open';
      shop: number;
      dialler: number;
      payer: number;
      isAttendant: boolean;
      amount: number;
      again: number | undefined;
    }
  | { kind: 'end'; which: number; end: End }
  | { kind: 'set'; payer: number; blocks: boolean }
  | { kind: 'wait'; ms: number };

const person = fc.integer({ min: 1, max: 3 });
const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('open' as const),
      shop: fc.integer({ min: 1, max: 2 }),
      dialler: person,
      payer: person,
      isAttendant: fc.boolean(),
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
    arbitrary: fc.record({ kind: fc.constant('set' as const), payer: person, blocks: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(second, 20 * second, 20 * minute, hour),
    }),
  },
);

const max = {
  dialler: 3,
  payer: 2,
  merchant: 3,
  requestsOfPayer: 3,
  requestsOfDialler: 2,
  declines: 1,
  attendant: 5,
  attendantDeclines: 2,
};
const hourly = (perHour: number) => ({ perHour, perDay: null });
const tight: Limits = {
  dialler: hourly(max.dialler),
  payer: hourly(max.payer),
  merchant: { perMinute: max.merchant },
  requests: { payer: hourly(max.requestsOfPayer), dialler: hourly(max.requestsOfDialler) },
  declines: { maxDeclines: max.declines, coolDownMs: hour },
  attendants: { ...hourly(max.attendant), maxDeclines: max.attendantDeclines },
};

type Past = { row: CollectionRow; end?: End; endedAt?: number };

function requestedByOf({ dialler, payer, isAttendant }: Extract<Op, { kind: 'open' }>): RequestedBy {
  if (dialler === payer) return 'payer';
  return isAttendant ? 'attendant' : 'other';
}

/** The rules as a function of all past collections, of all merchants. */
function expected(past: readonly Past[], blocked: ReadonlySet<Msisdn>, request: CollectionRow, now: number) {
  const { merchantId, payer, dialler, requestedBy, retryOf, goodsMinor } = request;
  const isHere = ({ row }: Past) => row.merchantId === merchantId;
  const within = (ms: number) => past.filter(({ row }) => row.openedAt > now - ms);
  const isOwn = requestedBy === 'payer';
  const isAttendant = requestedBy === 'attendant';
  const isAlike = ({ row }: Past) => row.requestedBy === requestedBy;
  const isOfPayer = ({ row }: Past) => row.payer === payer;
  const isOfDialler = ({ row }: Past) => row.dialler === dialler;
  const old = past.find(({ row }) => row.id === retryOf);
  const isUnpaid = old?.end !== undefined && old.end.status !== 'paid';
  const isSame = old?.row.payer === payer && old.row.goodsMinor === goodsMinor && isHere(old);
  const isOther = requestedBy === 'other';
  const open = past.filter((one) => isHere(one) && isOfPayer(one) && !one.end);
  const waitsFor: readonly RequestedBy[] = isOwn
    ? ['payer']
    : isAttendant
      ? ['payer', 'attendant']
      : ['payer', 'attendant', 'other'];
  const declines = past
    .filter(({ end, endedAt = 0 }) => end === declined && endedAt > now - hour)
    .filter((one) => !isOwn && isAlike(one) && (!isAttendant || isHere(one)));
  const maxOfDialler = isAttendant ? max.attendantDeclines : max.declines;
  const lastHour = within(hour);
  const asPerson = lastHour
    .filter((one) => isHere(one) && isOfDialler(one))
    .filter(({ row }) => (row.requestedBy === 'attendant') === isAttendant);
  const alike = lastHour.filter(isAlike);
  // Requests of other phones do not count for the payer.
  const first = within(minute)
    .filter(isHere)
    .filter((one) => isOther || isAlike(one) || one.row.requestedBy === 'payer');
  const holds = {
    open: open.some(({ row }) => waitsFor.includes(row.requestedBy)),
    retry: retryOf !== null && (!(isUnpaid && isSame) || past.some(({ row }) => row.retryOf === retryOf)),
    opted_out: !isOwn && blocked.has(payer),
    payer_cool_down: declines.filter(isOfPayer).length >= max.declines,
    dialler_cool_down: declines.filter(isOfDialler).length >= maxOfDialler,
    dialler_limit:
      asPerson.length >= (isAttendant ? max.attendant : max.dialler) ||
      (isOther && alike.filter(isOfDialler).length >= max.requestsOfDialler),
    payer_limit:
      alike.filter((one) => isHere(one) && isOfPayer(one)).length >= max.payer ||
      (!isOwn && alike.filter(isOfPayer).length >= max.requestsOfPayer),
    merchant_limit: first.length >= max.merchant,
  };
  const names = Object.keys(holds) as (keyof typeof holds)[];
  // A phone that may request nothing learns its own reason, whatever the payer does.
  const own = ['dialler_cool_down', 'dialler_limit', 'merchant_limit'] as const;
  return [...(isOwn ? [] : own), ...names].find((name) => holds[name]);
}

test('a phone in a cool-down gets the same reason whatever the payer does', async () => {
  const bench = createBench();
  await openAndEnd(bench, kofi, yaw, declined);
  await openAndEnd(bench, kofi, yaw, declined);
  const request = { dialler: kofi, payer: ama, limits };
  const reasons = [await bench.rejectionOf(request)];
  const { row } = await bench.open({ dialler: ama, payer: ama });
  reasons.push(await bench.rejectionOf(request));
  await bench.end(row, { status: 'paid', booked: 'paid' });
  reasons.push(await bench.rejectionOf(request));
  await bench.setBlock(ama, true);
  reasons.push(await bench.rejectionOf(request));
  expect(reasons).toEqual(Array(4).fill('dialler_cool_down'));
});

test("a stranger's open request keeps no attendant from asking, and an attendant's keeps strangers out", async () => {
  const bench = createBench();
  expect((await bench.open({ dialler: kofi, payer: ama })).done).toBe(true);
  const attendant = { dialler: esi, payer: ama, requestedBy: 'attendant' } as const;
  expect(await bench.rejectionOf(attendant)).toBeUndefined();
  expect((await bench.open(attendant)).done).toBe(true);
  expect((await bench.open({ ...attendant, dialler: yaw })).done).toBe(false);
  expect(await bench.rejectionOf({ dialler: yaw, payer: ama })).toBe('open');
  expect((await bench.open({ dialler: ama, payer: ama })).done).toBe(true);
  expect(await bench.rejectionOf(attendant)).toBe('open');
});

/** A history that reaches the limit of a payer: a random one rarely does, because the other limits come first. */
const ownPayment = { kind: 'open', shop: 1, dialler: 1, payer: 1, isAttendant: false, amount: 100 } as const;
const reachesPayerLimit: Op[] = [
  ...[0, 1].flatMap((): Op[] => [
    { ...ownPayment, again: undefined },
    { kind: 'end', which: 0, end: { status: 'expired' } },
  ]),
  { ...ownPayment, again: undefined },
];

test('the insert, the query and the rules agree after any history', { timeout: 60_000 }, async () => {
  const bench = createBench();
  const counts = new Map<string, number>();
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(op, { minLength: 20, maxLength: 60, size: 'max' }), async (ops) => {
      const run = runs++;
      const past: Past[] = [];
      const blocked = new Set<Msisdn>();
      for (const one of ops) {
        if (one.kind === 'wait') await bench.clock.advance(one.ms);
        else if (one.kind === 'set') {
          const payer = number(one.payer + 10 * run);
          await bench.setBlock(payer, one.blocks);
          if (one.blocks) blocked.add(payer);
          else blocked.delete(payer);
        } else if (one.kind === 'end') {
          const some = past.filter(({ end }) => !end).at(-1 - (one.which % 3));
          if (!some) continue;
          await bench.end(some.row, one.end);
          some.end = one.end;
          some.endedAt = bench.clock.now();
        } else {
          const [dialler, payer] = [number(one.dialler + 10 * run), number(one.payer + 10 * run)];
          const merchantId = `shop-${one.shop}-${run}`;
          const requestedBy = requestedByOf(one);
          const retryOf = one.again === undefined ? null : (past.at(-1 - one.again)?.row.id ?? null);
          const goodsMinor = one.amount as AmountMinor;
          const request = { merchantId, dialler, payer, requestedBy, goodsMinor, retryOf, limits: tight };
          const now = bench.clock.now();
          const before = await bench.rejectionOf(request);
          const { row, done } = await bench.open(request);
          const reason = expected(past, blocked, row, now);
          expect({ before, done }).toEqual({ before: reason, done: reason === undefined });
          if (!done) expect(await bench.collections.findRejection(row, tight, now)).toBe(reason);
          else past.push({ row });
          const name = reason ?? (retryOf === null ? 'opened' : 'retried');
          counts.set(name, (counts.get(name) ?? 0) + 1);
        }
      }
    }),
    { numRuns: 120, examples: [[reachesPayerLimit]] },
  );
  const limited = ['dialler_limit', 'payer_limit', 'merchant_limit'];
  const all = ['open', 'retry', 'opted_out', 'payer_cool_down', 'dialler_cool_down', ...limited];
  expect([...counts.keys()].sort()).toEqual([...all, 'opened', 'retried'].sort());
});
