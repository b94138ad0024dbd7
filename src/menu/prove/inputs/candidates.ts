import { amountMinor } from '../../../shared/money.ts';
import type { AskScreen } from '../../schema.ts';
import { isPlain, readAnswer } from '../../state/answer.ts';
import { hasReferenceCharacters, toReference } from '../../state/reference.ts';
import { type Distinction, type Range, splitRange } from '../walk/distinctions.ts';
import { longestAmounts } from './longest-amount.ts';
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
