import { z } from 'zod';
import { basisPoints, feePartMinor, maxFeeBands } from '../../contract/admin.ts';
import { chargeMinor } from '../../contract/field.ts';
import { maxAmountMinor } from '../../shared/money.ts';

const rate = {
  /** Hundredths of a percent of the goods' value. */
  basisPoints,
  /** Added to the share. */
  fixedMinor: feePartMinor.optional(),
};

/**
 * What a collection costs. The first band that reaches up to the goods' value sets the rate for all of it; above
 * every band the schedule's own rate holds. Floor and cap bound the fee in every band.
 */
export const feeSchedule = z
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
    { path: ['bands'], message: 'bands must rise' },
  );
export type FeeSchedule = z.infer<typeof feeSchedule>;

/** Both channels: 1 %, at least 10 pesewas. */
export const defaultFee: FeeSchedule = { basisPoints: 100, floorMinor: 10 };

/**
 * The fee for goods of that value, in whole pesewas: the share rounded half up, plus the fixed part, then held
 * between floor and cap. Exact for every amount the service takes, because the product stays a safe integer.
 */
export function feeFor(goodsMinor: number, schedule: FeeSchedule): number {
  const { basisPoints, fixedMinor = 0 } =
    schedule.bands?.find((band) => goodsMinor <= band.upToMinor) ?? schedule;
  const share = Math.floor((goodsMinor * basisPoints + 5_000) / 10_000);
  const { floorMinor = 0, capMinor = Number.POSITIVE_INFINITY } = schedule;
  return Math.min(Math.max(share + fixedMinor, floorMinor), capMinor);
}

/** How goods, fee, charge and net relate. */
export type Quote = { goodsMinor: number; amountMinor: number; feeMinor: number; netMinor: number };

/**
 * The amounts of a session. Offline the payer carries the fee: amount = goods + fee, net = goods. On the web the
 * merchant does: amount = goods, net = amount - fee. There is no quote when nothing would be left for the merchant
 * (`amount_below_fee`), nor when the payer would be asked for more than a rail takes (`invalid_amount`).
 */
export function quoteFor(
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
