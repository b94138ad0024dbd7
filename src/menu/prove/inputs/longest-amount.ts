import { type AmountMinor, amountMinor, formatCedis, spellCedis } from '../../../shared/money.ts';

const digits = 9;

/**
 * Returns the longest amounts of a range: for each number of digits the one with the longest words, except amounts that
 * another one exceeds in both digits and words.
 */
export function longestAmounts(min: AmountMinor, max: AmountMinor): AmountMinor[] {
  const byDigits = new Map<number, AmountMinor>();
  for (const amount of candidates(min, max)) {
    const { length } = formatCedis(amount);
    const known = byDigits.get(length);
    if (known === undefined || spellCedis(amount).length > spellCedis(known).length)
      byDigits.set(length, amount);
  }
  const sorted = [...byDigits.values()].sort((a, b) => formatCedis(b).length - formatCedis(a).length);
  let longestWords = 0;
  return sorted.filter((amount) => {
    const { length } = spellCedis(amount);
    const isLonger = length > longestWords;
    longestWords = Math.max(longestWords, length);
    return isLonger;
  });
}

/**
 * The bounds, and all numbers that share the first digits of a bound, differ in the next digit and continue with sevens:
 * seven has the longest name alone, as a ten and as a teen. Leading zeros make the number shorter.
 */
function candidates(min: AmountMinor, max: AmountMinor): AmountMinor[] {
  const found = new Set<number>([min, max]);
  for (const bound of [min, max, ...powersOfTen()]) {
    const text = String(bound).padStart(digits, '0');
    for (let at = 0; at < digits; at++) {
      for (let digit = 0; digit <= 9; digit++) {
        found.add(Number(`${text.slice(0, at)}${digit}${'7'.repeat(digits - at - 1)}`));
      }
    }
  }
  return [...found].filter((amount) => amount >= min && amount <= max).map(amountMinor);
}

/** The bounds of the amounts with one number of digits, such as 9.99 and 10.00. */
function powersOfTen(): number[] {
  return [...Array(digits).keys()].flatMap((power) => [10 ** power - 1, 10 ** power]);
}
