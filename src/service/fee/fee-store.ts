import { asc, eq } from 'drizzle-orm';
import { channels, type SessionChannel } from '../../contract/service/session.ts';
import type { Clock } from '../../shared/clock.ts';
import { build, equals, prepareQuery } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { type ApiError, apiError } from '../api-error.ts';
import type { CacheReads } from '../cached-reads.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import type { MerchantStore } from '../merchant/merchant-store.ts';
import { feeOverride } from '../schema.ts';
import { type FeeSchedule, feeScheduleSchema } from './schedule.ts';

type FeeOverride = typeof feeOverride.$inferSelect;

type FeeStore = ReturnType<typeof feeStore>;

const find = prepareQuery(
  build
    .select()
    .from(feeOverride)
    .where(equals(feeOverride, 'merchantId', 'channel')),
);

/** The fee schedules of single merchants. */
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
    /** Removes a merchant's override. */
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
