import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  computeQuote,
  type FeeSchedule,
  feeFor,
  feeScheduleSchema,
  readSchedule,
  scheduleView,
} from '../../src/service/fee/fee-store.ts';
import { maxAmountMinor } from '../../src/shared/money.ts';
import { ask } from './admin-client.ts';
import { type Bench, goods, json, newMerchant, openBench, openMerchant, post, refusal } from './support.ts';

const minor = (max: number) => fc.integer({ min: 0, max });
// Half of each are round numbers: only those meet the half pesewa that is rounded up.
const round = (step: number, max: number) => fc.integer({ min: 1, max: max / step }).map((n) => n * step);
const amount = fc.oneof(fc.integer({ min: 1, max: maxAmountMinor }), round(50, 100_000));
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const basisPoints = fc.oneof(fc.integer({ min: 0, max: 10_000 }), round(100, 10_000));
const rate = { basisPoints, fixedMinor: optional(minor(5_000)) };

/** Any schedule that the service takes. */
const schedules: fc.Arbitrary<FeeSchedule> = fc
  .record({
    ...rate,
    floorMinor: optional(minor(1_000)),
    capMinor: optional(minor(100_000)),
    bands: optional(
      fc
        .uniqueArray(fc.record({ upToMinor: fc.integer({ min: 1, max: 5_000_000 }), ...rate }), {
          selector: (band) => band.upToMinor,
          maxLength: 5,
        })
        .map((bands) => bands.toSorted((one, other) => one.upToMinor - other.upToMinor)),
    ),
  })
  .filter((schedule) => feeScheduleSchema.safeParse(schedule).success)
  .map((schedule) => feeScheduleSchema.parse(JSON.parse(JSON.stringify(schedule))));

/** The band whose rate holds for goods of that value; the number of bands when the schedule's own does. */
function bandOf(goodsMinor: number, { bands = [] }: FeeSchedule): number {
  const at = bands.findIndex((band) => goodsMinor <= band.upToMinor);
  return at < 0 ? bands.length : at;
}

describe('the arithmetic of every schedule', () => {
  const holds = (check: (one: number, other: number, schedule: FeeSchedule) => void) =>
    fc.assert(fc.property(amount, amount, schedules, check), { numRuns: 500 });

  test('a fee is a whole number of pesewas, never below its floor and never above its cap', () => {
    holds((one, _, schedule) => {
      const fee = feeFor(one, schedule);
      expect(Number.isSafeInteger(fee)).toBe(true);
      expect(fee).toBeGreaterThanOrEqual(schedule.floorMinor ?? 0);
      expect(fee).toBeLessThanOrEqual(schedule.capMinor ?? Number.MAX_SAFE_INTEGER);
    });
  });

  test('within one band a fee never falls as the goods grow', () => {
    holds((one, other, schedule) => {
      fc.pre(bandOf(one, schedule) === bandOf(other, schedule));
      const [less, more] = one < other ? [one, other] : [other, one];
      expect(feeFor(less, schedule)).toBeLessThanOrEqual(feeFor(more, schedule));
    });
  });

  test('a fee equals exact arithmetic: the share rounded half up, plus the fixed part, then bounded', () => {
    holds((one, _, schedule) => {
      const band = schedule.bands?.[bandOf(one, schedule)] ?? schedule;
      const share = (BigInt(one) * BigInt(band.basisPoints) * 2n + 10_000n) / 20_000n;
      const free = share + BigInt(band.fixedMinor ?? 0);
      const floor = BigInt(schedule.floorMinor ?? 0);
      const lifted = free < floor ? floor : free;
      const cap = schedule.capMinor === undefined ? lifted : BigInt(schedule.capMinor);
      expect(BigInt(feeFor(one, schedule))).toBe(lifted < cap ? lifted : cap);
    });
  });

  test('offline the payer pays the fee: amount = goods + fee, net = goods, and no quote exceeds the maximum amount', () => {
    holds((one, _, schedule) => {
      const feeMinor = feeFor(one, schedule);
      const amountMinor = one + feeMinor;
      const quote = computeQuote('offline', one, schedule);
      if (amountMinor > maxAmountMinor) expect(quote).toBe('invalid_amount');
      else expect(quote).toEqual({ goodsMinor: one, feeMinor, amountMinor, netMinor: one });
    });
  });

  test('on the web the merchant pays the fee: amount = goods, net = amount - fee, and every quote has a positive net', () => {
    holds((one, _, schedule) => {
      const fee = feeFor(one, schedule);
      const quote = computeQuote('web', one, schedule);
      if (fee >= one) expect(quote).toBe('amount_below_fee');
      else expect(quote).toEqual({ goodsMinor: one, feeMinor: fee, amountMinor: one, netMinor: one - fee });
    });
  });

  test('a schedule survives its serialisation unchanged', () => {
    holds((_one, _other, schedule) => {
      expect(readSchedule(scheduleView(schedule))).toEqual(schedule);
    });
  });
});

test.each([
  [5_000, 25],
  [5_001, 60],
  [100_000, 1_010],
  [100_001, 750],
])(
  'with bands, the fee for goods of %i pesewas is %i: the first band that includes them sets the rate',
  (value, fee) => {
    const bands = [
      { upToMinor: 5_000, basisPoints: 0, fixedMinor: 25 },
      { upToMinor: 100_000, basisPoints: 100, fixedMinor: 10 },
    ];
    expect(feeFor(value, { basisPoints: 75, bands })).toBe(fee);
  },
);

const web = { msisdn: goods.msisdn, amount_minor: 2_000, network: 'mtn' };
let sent = 0;

async function quoted(bench: Bench, key: string, body: object) {
  const answer = await post(bench, '/v1/payments/sessions', { key, body, idempotencyKey: `fee-${++sent}` });
  expect(answer.status).toBe(201);
  const { id, channel, goods_minor, amount_minor, expected_fee_minor, expected_net_minor } =
    await json(answer);
  return { id, channel, amounts: [goods_minor, amount_minor, expected_fee_minor, expected_net_minor] };
}

test("a merchant's own schedule applies to its channel only, from the next session on, until it is cleared", async () => {
  const { bench, merchantId, key } = await openMerchant();
  const { key: otherKey } = await newMerchant(bench, 'Ama Foods');
  const before = await quoted(bench, key, goods);
  expect(before).toMatchObject({ channel: 'ussd', amounts: [2_000, 2_020, 20, 2_000] });

  const path = `/merchants/${merchantId}/fees/ussd`;
  const schedule = { basis_points: 200, fixed_minor: 5, cap_minor: 40 };
  expect(await json(await ask(bench, 'PUT', path, schedule))).toEqual({
    channel: 'ussd',
    overridden: true,
    schedule,
  });
  expect(await quoted(bench, key, goods)).toMatchObject({ amounts: [2_000, 2_040, 40, 2_000] });
  expect(await quoted(bench, key, web)).toMatchObject({ channel: 'web', amounts: [2_000, 2_000, 20, 1_980] });
  expect(await quoted(bench, otherKey, goods)).toMatchObject({ amounts: [2_000, 2_020, 20, 2_000] });
  const kept = await ask(bench, 'GET', `/sessions/${before.id}`);
  expect(await json(kept)).toMatchObject({ session: { expected_fee_minor: 20, amount_minor: 2_020 } });

  await bench.restart();
  expect(await json(await ask(bench, 'GET', `/merchants/${merchantId}/fees`))).toEqual({
    data: [
      { channel: 'web', overridden: false, schedule: { basis_points: 100, floor_minor: 10 } },
      { channel: 'ussd', overridden: true, schedule },
    ],
    has_more: false,
    next_cursor: null,
  });
  expect(await json(await ask(bench, 'DELETE', path))).toEqual({
    channel: 'ussd',
    overridden: false,
    schedule: { basis_points: 100, floor_minor: 10 },
  });
  expect(await quoted(bench, key, goods)).toMatchObject({ amounts: [2_000, 2_020, 20, 2_000] });
});

test('a web session without a net for the merchant is rejected, and the same goods offline are accepted', async () => {
  const { bench, key } = await openMerchant();
  const small = { ...web, amount_minor: 10 };
  expect(await refusal(await post(bench, '/v1/payments/sessions', { key, body: small }))).toEqual({
    status: 400,
    code: 'amount_below_fee',
    param: 'amount_minor',
  });
  expect(await quoted(bench, key, { ...small, amount_minor: 11 })).toMatchObject({
    amounts: [11, 11, 10, 1],
  });
  expect(await quoted(bench, key, { ...goods, amount_minor: 10 })).toMatchObject({
    amounts: [10, 20, 10, 10],
  });
});

test('offline goods whose amount exceeds the maximum with the fee are rejected, and the same goods on the web are accepted', async () => {
  const { bench, merchantId, key } = await openMerchant();
  const most = 99_009_901;
  expect(await quoted(bench, key, { ...goods, amount_minor: most })).toMatchObject({
    amounts: [most, maxAmountMinor, 990_099, most],
  });
  const create = (amount_minor: number) =>
    post(bench, '/v1/payments/sessions', {
      key,
      body: { ...goods, amount_minor },
      idempotencyKey: `fee-${++sent}`,
    });
  const tooLarge = { status: 400, code: 'invalid_amount', param: 'amount_minor' };
  expect(await refusal(await create(most + 1))).toEqual(tooLarge);
  await ask(bench, 'PUT', `/merchants/${merchantId}/fees/ussd`, {
    basis_points: 0,
    fixed_minor: maxAmountMinor,
  });
  expect(await refusal(await create(1))).toEqual(tooLarge);
  expect(await quoted(bench, key, { ...web, amount_minor: maxAmountMinor })).toMatchObject({
    amounts: [maxAmountMinor, maxAmountMinor, 1_000_000, 99_000_000],
  });
});

const bands = (...ends: number[]) => ends.map((up_to_minor) => ({ up_to_minor, basis_points: 10 }));

test.each([
  [{}, 'missing_field', 'basis_points'],
  [{ basis_points: 1.5 }, 'invalid_schedule', 'basis_points'],
  [{ basis_points: -1 }, 'invalid_schedule', 'basis_points'],
  [{ basis_points: 10_001 }, 'invalid_schedule', 'basis_points'],
  [{ basis_points: '100' }, 'invalid_schedule', 'basis_points'],
  [{ basis_points: 1, fixed_minor: -1 }, 'invalid_schedule', 'fixed_minor'],
  [{ basis_points: 1, floor_minor: 0.5 }, 'invalid_schedule', 'floor_minor'],
  [{ basis_points: 1, floor_minor: 11, cap_minor: 10 }, 'invalid_schedule', 'cap_minor'],
  [{ basis_points: 1, cap_minor: maxAmountMinor + 1 }, 'invalid_schedule', 'cap_minor'],
  [{ basis_points: 1, bands: bands(10, 10) }, 'invalid_schedule', 'bands'],
  [{ basis_points: 1, bands: bands(10, 5) }, 'invalid_schedule', 'bands'],
  [{ basis_points: 1, bands: bands(0) }, 'invalid_schedule', 'bands.0.up_to_minor'],
  [
    { basis_points: 1, bands: bands(...Array.from({ length: 21 }, (_, at) => at + 1)) },
    'invalid_schedule',
    'bands',
  ],
  [{ basis_points: 1, bands: [{ up_to_minor: 5 }] }, 'missing_field', 'bands.0.basis_points'],
  [{ basis_points: 1, percent: 2 }, 'unknown_field', 'percent'],
])('the schedule %j is rejected with %s on %s, and nothing changes', async (schedule, code, param) => {
  const { bench, merchantId } = await openMerchant();
  const path = `/merchants/${merchantId}/fees`;
  expect(await refusal(await ask(bench, 'PUT', `${path}/ussd`, schedule))).toEqual({
    status: 400,
    code,
    param,
  });
  expect(await json(await ask(bench, 'GET', path))).toMatchObject({
    data: [{ overridden: false }, { overridden: false }],
  });
});

test.each([
  ['GET', '/merchants/mch_none/fees', undefined, 'merchant_not_found'],
  ['PUT', '/merchants/mch_none/fees/web', { basis_points: 1 }, 'merchant_not_found'],
  ['DELETE', '/merchants/mch_none/fees/web', undefined, 'merchant_not_found'],
  ['PUT', '/merchants/mch_none/fees/till', { basis_points: 1 }, 'not_found'],
  ['DELETE', '/merchants/mch_none/fees/till', undefined, 'not_found'],
])('%s %s is rejected with 404 %4$s', async (method, path, body, code) => {
  expect(await refusal(await ask(openBench(), method, path, body))).toMatchObject({ status: 404, code });
});
