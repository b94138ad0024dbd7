import { amountMinor } from '../../shared/money.ts';
import type { AskScreen } from '../schema.ts';
import { readAnswer } from '../state/answer.ts';
import { type Distinction, partsBetween } from './distinctions.ts';
import { longestAmounts } from './longest-amount.ts';
import { longestTexts } from './longest-reference.ts';

/** The amounts between two bounds that take the most room, for each part on which no condition turns. */
export function amountsBetween(
  min: number,
  max: number,
  turns: readonly number[],
  isSpoken: boolean,
): number[] {
  return partsBetween(min, max, turns).flatMap((part) =>
    isSpoken ? longestAmounts(amountMinor(part.min), amountMinor(part.max)) : part.max,
  );
}

/** The same for whole numbers. */
export function numbersBetween(min: number, max: number, turns: readonly number[]): number[] {
  return partsBetween(min, max, turns).map((part) => part.max);
}

type TextQuestion = Extract<AskScreen, { answer: 'reference' | 'text' }>;

const maxReferenceLength = 64;

/**
 * What payers can type for a text: what conditions name and the question takes, and of all else what takes the most
 * room. Where a pattern cannot be read, its example stands for that.
 */
export function textsFor(screen: TextQuestion, { texts }: Distinction): string[] {
  const named = texts.flatMap((text) => spellingFor(screen, text) ?? []);
  const longest = screen.answer === 'reference' ? maxReferenceLength : screen.maxLength;
  // As many of each length as are named, and one more, so that one is left that is not.
  const all =
    screen.pattern === undefined
      ? bracketsOf(longest)
      : (longestTexts(screen.pattern, longest, texts.length + 1) ?? [screen.example ?? '']);
  const other = all.find((text) => !texts.includes(text.toLowerCase()));
  return [...(other === undefined ? [] : [other]), ...named];
}

/** Signs like others to who types them, of two septets each. */
export function bracketsOf(length: number): string[] {
  return ['[', ']', '{', '}', '^', '~', '|', '\\'].map((bracket) => bracket.repeat(length));
}

const mostLetters = 12;

/** The text as the question takes it, in whatever mixture of small letters and capitals; `undefined` when it does not. */
function spellingFor(screen: TextQuestion, text: string): string | undefined {
  const takes = (spelling: string) => readAnswer(screen, spelling, {}).ok;
  const simple = [text, text.toUpperCase()].find(takes);
  const letters = [...text].filter((sign) => sign.toUpperCase() !== sign).length;
  if (simple !== undefined || letters === 0 || letters > mostLetters) return simple;
  for (let mixture = 1; mixture < 2 ** letters; mixture++) {
    let at = 0;
    const spelling = [...text]
      .map((sign) => (sign.toUpperCase() !== sign && (mixture >> at++) & 1 ? sign.toUpperCase() : sign))
      .join('');
    if (takes(spelling)) return spelling;
  }
  return undefined;
}
