import { gsmSeptetsOf } from '../../../shared/screen-text.ts';
import { isPlain } from '../../state/answer.ts';
import { answerPattern, compilePattern } from '../../state/pattern.ts';
import { type BestTexts, bestTextsOf, emptyText } from './best-texts.ts';

/** The maximum of a reference in the service's interface. */
const maxLength = 64;

/** Every plain character: two septets first, and blanks last, because answers are trimmed. */
const alphabet = [...Array(128).keys()]
  .map((code) => String.fromCharCode(code))
  .filter(isPlain)
  .sort((a, b) => rank(a) - rank(b));

function rank(character: string): number {
  return character.trim() === '' ? 3 : 3 - gsmSeptetsOf(character);
}

/**
 * Returns the reference with the most septets that a pattern accepts; `undefined` when it accepts none, or has parts that
 * are not supported: lookarounds, backreferences, word boundaries.
 */
export function longestReference(pattern: string): string | undefined {
  return longestTexts(pattern, maxLength, 1)?.[0];
}

/**
 * Returns texts of up to `limit` characters with the most septets, in descending order: up to `kept` of each length that
 * differ in more than their case. `undefined` for a pattern that is not supported.
 */
export function longestTexts(pattern: string, limit: number, kept: number): string[] | undefined {
  const reader = { pattern, at: 0, texts: bestTextsOf(kept) };
  const texts = readAlternatives(reader);
  if (texts === undefined || reader.at < pattern.length) return undefined;
  const matcher = answerPattern(pattern);
  return texts
    .slice(0, limit + 1)
    .flat()
    .filter(({ text }) => text !== '' && text === text.trim() && matcher.accepts(text))
    .sort((a, b) => b.septets - a.septets)
    .map(({ text }) => text);
}

/** Reads a pattern from `at` on. */
type Reader = { readonly pattern: string; readonly texts: ReturnType<typeof bestTextsOf>; at: number };

function take(reader: Reader, token: RegExp): string | undefined {
  const [found] = token.exec(restOf(reader)) ?? [];
  reader.at += found?.length ?? 0;
  return found;
}

function readAlternatives(reader: Reader): BestTexts | undefined {
  let texts = readSequence(reader);
  while (texts !== undefined && take(reader, /^\|/)) {
    const other = readSequence(reader);
    texts = other && reader.texts.either(texts, other);
  }
  return texts;
}

function readSequence(reader: Reader): BestTexts | undefined {
  let texts: BestTexts | undefined = emptyText;
  while (texts !== undefined && reader.at < reader.pattern.length && !/^[|)]/.test(restOf(reader))) {
    const part = readPart(reader);
    texts = part && reader.texts.concatenate(texts, part);
  }
  return texts;
}

function restOf({ pattern, at }: Reader): string {
  return pattern.slice(at);
}

function readPart(reader: Reader): BestTexts | undefined {
  // An anchor elsewhere than at the start or the end accepts nothing, which the final match rejects.
  if (take(reader, /^[\^$]/)) return emptyText;
  const atom = readAtom(reader);
  if (atom === undefined) return undefined;
  const times = take(reader, /^([*+?]|\{\d+(,\d*)?\})\??/);
  if (times === undefined) return atom;
  const { min, max } = readTimes(times);
  return reader.texts.repeat(atom, min, max);
}

type Times = { readonly min: number; readonly max: number };

function readTimes(times: string): Times {
  if (times.startsWith('*')) return { min: 0, max: maxLength };
  if (times.startsWith('+')) return { min: 1, max: maxLength };
  if (times.startsWith('?')) return { min: 0, max: 1 };
  const [min = '0', max = min] = times.replace(/[{}?]/g, '').split(',');
  return { min: Number(min), max: max === '' ? maxLength : Math.min(Number(max), maxLength) };
}

function readAtom(reader: Reader): BestTexts | undefined {
  if (take(reader, /^\((\?:|\?<\w+>)?(?!\?)/)) {
    const inside = readAlternatives(reader);
    return take(reader, /^\)/) ? inside : undefined;
  }
  // For a class or a character, the matcher itself selects the accepted characters.
  const one = take(reader, /^(\[\^?(\\.|[^\]\\])*\]|\\[dDwWsS]|\\[^\w]|\\[nt]|[^\\()[\]{}*+?|])/);
  if (one === undefined) return undefined;
  const part = compilePattern(one);
  if (!part.ok) return undefined;
  return reader.texts.oneOf(alphabet.filter((character) => part.pattern.accepts(character)));
}
