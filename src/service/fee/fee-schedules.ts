import { type Channel, channels } from '../../contract/session.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import { type ApiError, apiError } from '../api-error.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import type { KeepReads } from '../kept-reads.ts';
import type { MerchantStore } from '../merchant/merchant-store.ts';
import type { FeeStore } from './fee-store.ts';
import { type FeeSchedule, feeSchedule } from './schedule.ts';

export type EffectiveFee = { channel: Channel; schedule: FeeSchedule; overridden: boolean };

/** The default fee schedules and the schedules of merchants that override them. */
export function createFeeSchedules(deps: {
  store: Store;
  fees: FeeStore;
  merchants: MerchantStore;
  clock: Clock;
  defaults: Readonly<Record<Channel, FeeSchedule>>;
  keep: KeepReads;
}) {
  const { store, fees, merchants, clock, defaults } = deps;

  async function findEffective(merchantId: string, channel: Channel): Promise<EffectiveFee> {
    const override = await fees.find(merchantId, channel);
    return override
      ? { channel, schedule: feeSchedule.parse(JSON.parse(override.schedule)), overridden: true }
      : { channel, schedule: defaults[channel], overridden: false };
  }

  const findKept = {
    web: deps.keep(['fee_override'], (merchantId) => findEffective(merchantId, 'web')),
    ussd: deps.keep(['fee_override'], (merchantId) => findEffective(merchantId, 'ussd')),
  } satisfies Record<Channel, unknown>;

  return {
    /** Returns the schedule for a merchant's next session of a channel. */
    find: async (merchantId: string, channel: Channel): Promise<FeeSchedule> =>
      (await findKept[channel](merchantId)).schedule,
    async list(merchantId: string): Promise<{ kind: 'fees'; fees: EffectiveFee[] } | ApiError> {
      if (!(await merchants.find(merchantId))) return apiError('merchant_not_found');
      return {
        kind: 'fees',
        fees: await Promise.all(channels.map((channel) => findEffective(merchantId, channel))),
      };
    },
    /** Overrides a default schedule for future sessions of a merchant. Existing sessions keep their quotes. */
    async override(
      merchantId: string,
      channel: Channel,
      schedule: FeeSchedule,
      extraWrites: ExtraWrites<EffectiveFee> = noExtraWrites,
    ): Promise<(EffectiveFee & { kind: 'fee' }) | ApiError> {
      if (!(await merchants.find(merchantId))) return apiError('merchant_not_found');
      const row = { merchantId, channel, schedule: JSON.stringify(schedule), setAt: clock.now() };
      const fee: EffectiveFee = { channel, schedule, overridden: true };
      await store.apply([fees.set(row), ...extraWrites(fee)]);
      return { kind: 'fee', ...fee };
    },
    /** Removes a merchant's override. */
    async clear(
      merchantId: string,
      channel: Channel,
      extraWrites: ExtraWrites<EffectiveFee> = noExtraWrites,
    ): Promise<(EffectiveFee & { kind: 'fee' }) | ApiError> {
      if (!(await merchants.find(merchantId))) return apiError('merchant_not_found');
      const fee: EffectiveFee = { channel, schedule: defaults[channel], overridden: false };
      await store.apply([fees.clear(merchantId, channel), ...extraWrites(fee)]);
      return { kind: 'fee', ...fee };
    },
  };
}

export type FeeSchedules = ReturnType<typeof createFeeSchedules>;
