import { z } from 'zod';
import {
  basisPoints,
  type FeeScheduleBody,
  feePartMinor,
  maxFeeBands,
} from '../../contract/service/admin.ts';
import { chargeMinor } from '../../contract/service/field.ts';
import { maxAmountMinor } from '../../shared/money.ts';
import { type ApiError, apiError } from '../api-error.ts';

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

/**
 * Reads the schedule of a request. Returns `invalid_schedule` if its parts contradict each other: the cap is below the
 * floor, or the bands are not in ascending order.
 */
export function readSchedule(wire: FeeScheduleBody): FeeSchedule | ApiError {
  const parsed = feeScheduleSchema.safeParse(renameFields(wire, toCamelCase));
  if (parsed.success) return parsed.data;
  return parsed.error.issues[0]?.path[0] === 'capMinor'
    ? apiError('invalid_schedule', { param: 'cap_minor', detail: 'The cap is below the floor.' })
    : apiError('invalid_schedule', { param: 'bands', detail: 'The bands must be in ascending order.' });
}

/** Returns a fee schedule as the admin API shows it. */
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
