import {
  type AmountMinor,
  amountMinor,
  formatCedis,
  maxAmountMinor,
  spellCedis,
} from '../../../shared/money.ts';
import type { AskScreen } from '../../schema.ts';
import { isPlain, readAnswer } from '../../state/answer.ts';
import { hasReferenceCharacters, toReference } from '../../state/reference.ts';
import { type Distinction, type Range, splitRange } from '../walk/distinctions.ts';
import { longestTexts } from './longest-text.ts';

/** Returns the longest amounts of each part of a range in which every condition has one result. */
export function amountsBetween(range: Range, thresholds: readonly number[], withWords: boolean): number[] {
  return splitRange(range, thresholds).flatMap(({ min, max }) =>
    withWords ? longestAmounts(amountMinor(min), amountMinor(max)) : max,
  );
}

/** Returns the longest whole number of each part of a range in which every condition has one result. */
export function numbersBetween(range: Range, thresholds: readonly number[]): number[] {
  return splitRange(range, thresholds).map(({ max }) => max);
}

type TextQuestion = Extract<AskScreen, { answer: 'reference' | 'text' }>;
type ReferenceQuestion = Extract<AskScreen, { answer: 'reference' }>;

const maxReferenceLength = 64;

/**
 * Returns the answers to a text question that a menu can distinguish: those that conditions name and the question
 * accepts, and the longest one of all others. The example stands for the others where the pattern is not supported.
 */
export function textsFor(screen: TextQuestion, { texts }: Distinction): string[] {
  const named = texts.flatMap((text) => acceptedSpelling(screen, text) ?? []);
  const maxLength = screen.answer === 'reference' ? maxReferenceLength : screen.maxLength;
  // One more of each length than there are named texts, so that at least one is not named.
  const longest =
    screen.pattern === undefined
      ? twoSeptetTexts(maxLength)
      : (longestTexts(screen.pattern, maxLength, texts.length + 1) ?? [screen.example ?? '']);
  const unnamed = longest.filter((text) => !texts.includes(text.toLowerCase()));
  const other = screen.answer === 'reference' ? acceptedReference(screen, unnamed) : unnamed[0];
  return [...(other === undefined ? [] : [other]), ...named];
}

/** A pattern can accept characters that references cannot have. Their place is taken by the ones that replace them. */
function acceptedReference(screen: TextQuestion, longest: readonly string[]): string | undefined {
  const candidates = [...longest, ...longest.map(toReference), screen.example ?? ''];
  return candidates.find((text) => readAnswer(screen, text, {}).ok) ?? longest[0];
}

/** Printable characters that references cannot have. */
const otherCharacters = Array.from({ length: 0x7f - 0x20 }, (_, i) => String.fromCharCode(0x20 + i)).filter(
  (character) => !hasReferenceCharacters(character) && isPlain(character),
);

/**
 * Returns an input that the pattern of a question accepts although a reference cannot have its characters, which has an error
 * message of its own; none when the pattern accepts no such input that differs in one character from an accepted one.
 */
export function inputsOfOtherCharacters(screen: ReferenceQuestion): string[] {
  const isRejected = (text: string) => {
    const read = readAnswer(screen, text, {});
    return !read.ok && read.reason === 'invalidReferenceCharacters';
  };
  const longest = longestTexts(screen.pattern, maxReferenceLength, 1) ?? [];
  const texts = [...longest, screen.example];
  const changed = function* () {
    yield* texts;
    for (const text of texts) {
      for (const at of text.split('').keys())
        for (const other of otherCharacters) yield `${text.slice(0, at)}${other}${text.slice(at + 1)}`;
    }
  };
  for (const text of changed()) if (isRejected(text)) return [text];
  return [];
}

/** Returns texts of one character each that takes two septets. */
export function twoSeptetTexts(length: number): string[] {
  return ['[', ']', '{', '}', '^', '~', '|', '\\'].map((character) => character.repeat(length));
}

/** Bounds the spellings to try to 2^12. */
const maxVariedLetters = 12;

/** Returns the text in a mixture of lower and upper case that the question accepts; `undefined` when there is none. */
function acceptedSpelling(screen: TextQuestion, text: string): string | undefined {
  const isAccepted = (spelling: string) => readAnswer(screen, spelling, {}).ok;
  const simple = [text, text.toUpperCase()].find(isAccepted);
  const letters = [...text].filter((character) => character.toUpperCase() !== character).length;
  if (simple !== undefined || letters === 0 || letters > maxVariedLetters) return simple;
  for (let mixture = 1; mixture < 2 ** letters; mixture++) {
    let letter = 0;
    const spelling = [...text]
      .map((character) => {
        const upper = character.toUpperCase();
        return upper !== character && (mixture >> letter++) & 1 ? upper : character;
      })
      .join('');
    if (isAccepted(spelling)) return spelling;
  }
  return undefined;
}

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

/** The counts to try one by one. For more, the longest amount in words stays unknown. */
export const maxCounts = 10_000;

type CountQuestion = {
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
