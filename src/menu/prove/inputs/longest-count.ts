import { amountMinor, maxAmountMinor, spellCedis } from '../../../shared/money.ts';
import { type Range, splitRange } from '../walk/distinctions.ts';
import { numbersBetween } from './candidates.ts';

/** The counts to try one by one. For more, the longest amount in words stays unknown. */
export const maxCounts = 10_000;

export type CountQuestion = {
  readonly range: Range;
  /** Pesewas for each; 0 without a price. */
  readonly price: number;
  /** Thresholds of the count. */
  readonly counts: readonly number[];
  /** Thresholds of the amount, in pesewas. */
  readonly amounts: readonly number[];
  /** The menu spells amounts in words. */
  readonly withWords: boolean;
};

/** Returns the counts for which the count and its amount are longest, for each part with one result of every condition. */
export function longestCounts({ range, price, counts, amounts, withWords }: CountQuestion): number[] {
  if (price === 0) return numbersBetween(range, counts);
  const maxPaid = Math.floor(maxAmountMinor / price);
  const thresholds = [...counts, ...amounts.map((amount) => Math.ceil(amount / price)), 1, maxPaid + 1];
  const sorted = [...new Set(thresholds)].sort((a, b) => a - b);
  return splitRange(range, sorted).flatMap((part) => {
    const isPayable = part.min > 0 && part.max <= maxPaid;
    return withWords && isPayable ? longestInWords(part, price) : part.max;
  });
}

/** Returns the largest count, and each count whose amount has more words than those of all larger counts. */
function longestInWords({ min, max }: Range, price: number): number[] {
  const found: number[] = [];
  let longest = 0;
  for (let count = max; count >= Math.max(min, max - maxCounts); count--) {
    const { length } = spellCedis(amountMinor(count * price));
    if (length <= longest) continue;
    longest = length;
    found.push(count);
  }
  return found;
}
