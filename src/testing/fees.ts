import { defaultFee, type FeeSchedule } from '../service/fee/schedule.ts';
import type { FeeOption } from './options.ts';

/** Returns a schedule with exactly these fees. Between their prices, the default fee applies. */
export function scheduleOf(fees: readonly FeeOption[]): FeeSchedule {
  const { basisPoints, fixedMinor = 0, floorMinor = 0 } = defaultFee;
  let belowMinor = 0;
  const bands = fees
    .toSorted((a, b) => a.priceMinor - b.priceMinor)
    .flatMap(({ priceMinor, feeMinor }) => {
      const hasGap = priceMinor - 1 > belowMinor;
      belowMinor = priceMinor;
      const own = { upToMinor: priceMinor, basisPoints: 0, fixedMinor: feeMinor };
      return hasGap ? [{ upToMinor: priceMinor - 1, basisPoints, fixedMinor }, own] : [own];
    });
  return {
    ...defaultFee,
    // A floor applies to all bands.
    floorMinor: Math.min(floorMinor, ...fees.map(({ feeMinor }) => feeMinor)),
    bands,
  };
}
