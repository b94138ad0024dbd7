/** What the merchant's payer pays on top of the goods. */
export type FeeSchedule = {
  /** Hundredths of a percent of the goods' value. */
  basisPoints: number;
  floorMinor: number;
  /** No upper end when left out. */
  capMinor?: number;
};

export const defaultFee: FeeSchedule = { basisPoints: 100, floorMinor: 10 };

/**
 * The fee for goods of that value, in whole pesewas: the share rounded half up, then held between floor and cap.
 * Exact for every amount the service takes, because the product stays a safe integer.
 */
export function feeFor(goodsMinor: number, schedule: FeeSchedule): number {
  const share = Math.floor((goodsMinor * schedule.basisPoints + 5_000) / 10_000);
  return Math.min(Math.max(share, schedule.floorMinor), schedule.capMinor ?? Number.POSITIVE_INFINITY);
}
