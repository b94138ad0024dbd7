import { asc, eq } from 'drizzle-orm';
import { z } from 'zod';
import {
  basisPoints,
  type FeeScheduleBody,
  feePartMinor,
  maxFeeBands,
} from '../../contract/service/admin.ts';
import { chargeMinor } from '../../contract/service/field.ts';
import { channels, type SessionChannel } from '../../contract/service/session.ts';
import type { Clock } from '../../shared/clock.ts';
import { maxAmountMinor } from '../../shared/money.ts';
import { build, equals, prepareQuery } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import type { CacheReads } from '../cached-reads.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import { type ApiError, apiError } from '../http/response.ts';
import type { MerchantStore } from '../merchant/merchant-store.ts';
import { feeOverride } from '../schema.ts';

const rate = {
  /** Hundredths of a percent of the price. */
  basisPoints,
  /** Added to the share. */
  fixedMinor: feePartMinor.optional(),
};

/**
 * The fee of a collection. The first band whose limit is not below the price sets the rate for the whole price. Above
 * all bands, the schedule's own rate applies. Floor and cap bound the fee in every band.
 */
export const feeScheduleSchema = z
  .strictObject({
    ...rate,
    floorMinor: feePartMinor.optional(),
    capMinor: feePartMinor.optional(),
    bands: z
      .array(z.strictObject({ upToMinor: chargeMinor, ...rate }))
      .max(maxFeeBands)
      .optional(),
  })
  .refine(({ floorMinor = 0, capMinor = floorMinor }) => floorMinor <= capMinor, {
    path: ['capMinor'],
    message: 'the cap is below the floor',
  })
  .refine(
    ({ bands = [] }) =>
      bands.every((band, at) => at === 0 || band.upToMinor > (bands[at - 1]?.upToMinor ?? 0)),
    { path: ['bands'], message: 'the limits of the bands must rise' },
  );
export type FeeSchedule = z.infer<typeof feeScheduleSchema>;

/** The fee of both channels by default: 1 %, at least 10 pesewas. */
export const defaultFee: FeeSchedule = { basisPoints: 100, floorMinor: 10 };

/**
 * Returns the fee for a price in whole pesewas: the share rounded half up, plus the fixed part, bounded by floor and
 * cap. Exact for every amount of the service, because the product stays a safe integer.
 */
export function feeFor(goodsMinor: number, schedule: FeeSchedule): number {
  const { basisPoints, fixedMinor = 0 } =
    schedule.bands?.find((band) => goodsMinor <= band.upToMinor) ?? schedule;
  const share = Math.floor((goodsMinor * basisPoints + 5_000) / 10_000);
  const { floorMinor = 0, capMinor = Number.POSITIVE_INFINITY } = schedule;
  return Math.min(Math.max(share + fixedMinor, floorMinor), capMinor);
}

/** The amounts of a session in pesewas: price, charge, fee and the merchant's net. */
type Quote = { goodsMinor: number; amountMinor: number; feeMinor: number; netMinor: number };

/**
 * Returns the amounts of a session. Offline, the payer pays the fee: amount = goods + fee, net = goods. On the web, the
 * merchant pays it: amount = goods, net = amount - fee. Returns `amount_below_fee` when the merchant would get nothing,
 * and `invalid_amount` when the amount would exceed the maximum.
 */
export function computeQuote(
  mode: 'offline' | 'web',
  goodsMinor: number,
  schedule: FeeSchedule,
): Quote | 'amount_below_fee' | 'invalid_amount' {
  const feeMinor = feeFor(goodsMinor, schedule);
  if (mode === 'offline') {
    const amountMinor = goodsMinor + feeMinor;
    if (amountMinor > maxAmountMinor) return 'invalid_amount';
    return { goodsMinor, amountMinor, feeMinor, netMinor: goodsMinor };
  }
  const netMinor = goodsMinor - feeMinor;
  return netMinor > 0 ? { goodsMinor, amountMinor: goodsMinor, feeMinor, netMinor } : 'amount_below_fee';
}

/** Reads the schedule of a request. `invalid_schedule`: the cap is below the floor, or the bands do not ascend. */
export function readSchedule(wire: FeeScheduleBody): FeeSchedule | ApiError {
  const parsed = feeScheduleSchema.safeParse(renameFields(wire, toCamelCase));
  if (parsed.success) return parsed.data;
  return parsed.error.issues[0]?.path[0] === 'capMinor'
    ? apiError('invalid_schedule', { param: 'cap_minor', detail: 'The cap is below the floor.' })
    : apiError('invalid_schedule', { param: 'bands', detail: 'The bands must be in ascending order.' });
}

export function scheduleView(schedule: FeeSchedule): FeeScheduleBody {
  return renameFields(schedule, toSnakeCase) as FeeScheduleBody;
}

const toCamelCase = (name: string) => name.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase());
const toSnakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns a value with other names of its fields. */
function renameFields(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => renameFields(one, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [rename(name), renameFields(inner, rename)]),
  );
}

type FeeOverride = typeof feeOverride.$inferSelect;

type FeeStore = ReturnType<typeof feeStore>;

const find = prepareQuery(
  build
    .select()
    .from(feeOverride)
    .where(equals(feeOverride, 'merchantId', 'channel')),
);

export function feeStore(store: Store) {
  return {
    find: (merchantId: string, channel: SessionChannel): Promise<FeeOverride | undefined> =>
      find.get(store, { merchantId, channel }),
    list: (merchantId: string): Promise<FeeOverride[]> =>
      store.read
        .select()
        .from(feeOverride)
        .where(eq(feeOverride.merchantId, merchantId))
        .orderBy(asc(feeOverride.channel)),
    set: ({ merchantId, channel, schedule, setAt }: FeeOverride): Write => ({
      sql: `INSERT INTO fee_override (merchant_id, channel, schedule, set_at) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET schedule = excluded.schedule, set_at = excluded.set_at`,
      args: [merchantId, channel, schedule, setAt],
      rows: 1,
    }),
    clear: (merchantId: string, channel: SessionChannel): Write => ({
      sql: 'DELETE FROM fee_override WHERE merchant_id = ? AND channel = ?',
      args: [merchantId, channel],
    }),
  };
}

export type EffectiveFee = { channel: SessionChannel; schedule: FeeSchedule; overridden: boolean };

/** The default fee schedules and the schedules of merchants that override them. */
export function createFeeSchedules(deps: {
  store: Store;
  fees: FeeStore;
  merchants: MerchantStore;
  clock: Clock;
  defaults: Readonly<Record<SessionChannel, FeeSchedule>>;
  keep: CacheReads;
}) {
  const { store, fees, merchants, clock, defaults } = deps;

  async function findEffective(merchantId: string, channel: SessionChannel): Promise<EffectiveFee> {
    const override = await fees.find(merchantId, channel);
    return override
      ? { channel, schedule: feeScheduleSchema.parse(JSON.parse(override.schedule)), overridden: true }
      : { channel, schedule: defaults[channel], overridden: false };
  }

  const findKept = {
    web: deps.keep(['fee_override'], (merchantId) => findEffective(merchantId, 'web')),
    ussd: deps.keep(['fee_override'], (merchantId) => findEffective(merchantId, 'ussd')),
  } satisfies Record<SessionChannel, unknown>;

  return {
    /** Returns the schedule for a merchant's next session of a channel. */
    find: async (merchantId: string, channel: SessionChannel): Promise<FeeSchedule> =>
      (await findKept[channel](merchantId)).schedule,
    async list(merchantId: string): Promise<EffectiveFee[] | ApiError> {
      if (!(await merchants.find(merchantId))) return apiError('merchant_not_found');
      return Promise.all(channels.map((channel) => findEffective(merchantId, channel)));
    },
    /** Overrides a default schedule for future sessions of a merchant. Existing sessions keep their quotes. */
    async override(
      merchantId: string,
      channel: SessionChannel,
      schedule: FeeSchedule,
      extraWrites: ExtraWrites<EffectiveFee> = noExtraWrites,
    ): Promise<EffectiveFee | ApiError> {
      if (!(await merchants.find(merchantId))) return apiError('merchant_not_found');
      const row = { merchantId, channel, schedule: JSON.stringify(schedule), setAt: clock.now() };
      const fee: EffectiveFee = { channel, schedule, overridden: true };
      await store.apply([fees.set(row), ...extraWrites(fee)]);
      return fee;
    },
    async clear(
      merchantId: string,
      channel: SessionChannel,
      extraWrites: ExtraWrites<EffectiveFee> = noExtraWrites,
    ): Promise<EffectiveFee | ApiError> {
      if (!(await merchants.find(merchantId))) return apiError('merchant_not_found');
      const fee: EffectiveFee = { channel, schedule: defaults[channel], overridden: false };
      await store.apply([fees.clear(merchantId, channel), ...extraWrites(fee)]);
      return fee;
    },
  };
}

export type FeeSchedules = ReturnType<typeof createFeeSchedules>;
