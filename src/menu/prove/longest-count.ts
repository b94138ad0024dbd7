import { amountMinor, maxAmountMinor, spellCedis } from '../../shared/money.ts';
import { numbersBetween } from './candidates.ts';
import { partsBetween } from './distinctions.ts';

/** More are not tried one by one: how long the words of so many amounts get is not told. */
export const maxCounts = 10_000;

/**
 * How many of something to ask for, so that their number and what they cost take the most room: for each part on which
 * no condition about either turns. `price` in pesewas; without one, or with one too many, nothing can be asked for.
 */
export function longestCounts(
  { min, max }: { min: number; max: number },
  price: number,
  turns: readonly number[],
  amounts: readonly number[],
  isSpoken: boolean,
): number[] {
  if (price === 0) return numbersBetween(min, max, turns);
  const most = Math.floor(maxAmountMinor / price);
  const all = [...turns, ...amounts.map((turn) => Math.ceil(turn / price)), 1, most + 1].sort(
    (a, b) => a - b,
  );
  return partsBetween(min, max, [...new Set(all)]).flatMap((part) => {
    const isPaid = part.min > 0 && part.max <= most;
    return isSpoken && isPaid ? longestInWords(part, price) : part.max;
  });
}

/** The largest number, and those whose amounts have more words than all that are larger. */
function longestInWords({ min, max }: { min: number; max: number }, price: number): number[] {
  const found: number[] = [];
  let words = 0;
  for (let count = max; count >= Math.max(min, max - maxCounts); count--) {
    const { length } = spellCedis(amountMinor(count * price));
    if (length <= words) continue;
    words = length;
    found.push(count);
  }
  return found;
}
