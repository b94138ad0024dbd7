import { type AmountMinor, amountMinor, formatCedis, spellCedis } from '../../shared/money.ts';

const digits = 9;

/**
 * The amounts between two bounds that take the most room: for each number of digits the one that is longest in words,
 * without those that another one exceeds in both figures and words.
 */
export function longestAmounts(min: AmountMinor, max: AmountMinor): AmountMinor[] {
  const longest = new Map<number, AmountMinor>();
  for (const amount of candidates(min, max)) {
    const { length } = formatCedis(amount);
    const known = longest.get(length);
    if (known === undefined || spellCedis(amount).length > spellCedis(known).length)
      longest.set(length, amount);
  }
  const byLength = [...longest.values()].sort((a, b) => formatCedis(b).length - formatCedis(a).length);
  let words = 0;
  return byLength.filter((amount) => {
    const isLonger = spellCedis(amount).length > words;
    words = Math.max(words, spellCedis(amount).length);
    return isLonger;
  });
}

/**
 * The bounds, and all numbers that follow a bound for some digits, then differ in one, and go on with sevens: no digit
 * has a longer name, alone, as a ten or as a teen. Where zeros lead, the number is shorter.
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

/** Where amounts get one more digit: 10.00, 100.00 and so on are bounds too, of the amounts as long as they. */
function powersOfTen(): number[] {
  return [...Array(digits).keys()].flatMap((power) => [10 ** power - 1, 10 ** power]);
}
