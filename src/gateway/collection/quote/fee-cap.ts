/** Limits on a fee that the confirm screen did not show. The payer did not agree to it, and sees it only in the prompt. */
export type FeeCap = {
  /** Maximum share of the price, in percent, rounded half up to a pesewa. */
  maxPercent: number;
  /** Maximum fee, whatever the price. */
  maxAmountMinor: number;
  /** A fee up to this amount is always allowed: services have a minimum fee for small payments. */
  alwaysAllowedMinor: number;
};

/** Returns the largest fee, in pesewas, that may be added to a price without having been shown. */
export function maxUnshownFee(
  goodsMinor: number,
  { maxPercent, maxAmountMinor, alwaysAllowedMinor }: FeeCap,
): number {
  const basisPoints = Math.round(maxPercent * 100);
  const share = Math.floor((goodsMinor * basisPoints + 5_000) / 10_000);
  return Math.max(alwaysAllowedMinor, Math.min(share, maxAmountMinor));
}
