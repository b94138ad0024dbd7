import { z } from 'zod';
import { basisPoints, feePartMinor, maxFeeBands } from '../../contract/admin.ts';
import { chargeMinor } from '../../contract/field.ts';
import { maxAmountMinor } from '../../shared/money.ts';

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
    { path: ['bands'], message: 'the limits of the bands must rise' },
  );
export type FeeSchedule = z.infer<typeof feeSchedule>;

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
export type Quote = { goodsMinor: number; amountMinor: number; feeMinor: number; netMinor: number };

/**
 * Returns the amounts of a session. Offline, the payer pays the fee: amount = goods + fee, net = goods. On the web, the
 * merchant pays it: amount = goods, net = amount - fee. Returns `amount_below_fee` when the merchant would get nothing,
 * and `invalid_amount` when the amount would exceed the maximum.
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
