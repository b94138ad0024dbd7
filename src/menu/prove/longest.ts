import { amountMinor, spellCedis } from '../../shared/money.ts';
import { countGsmSeptets } from '../../shared/screen-text.ts';
import { isPlain } from '../state/answer.ts';
import { compilePattern } from '../state/pattern.ts';
import { hasReferenceCharacters } from '../state/reference.ts';

/* Texts that are at least as long as every form of a value, on channels of every alphabet. */

/** Two septets in the GSM alphabet, and a letter for which a channel of `unicode` uses UCS-2. */
const foreign = 'æ';

/** Returns a text that is at least as long as any with so many characters and septets. Only a plain one is in the GSM alphabet. */
export function textOfSize(characters: number, septets: number, isGsm = true): string {
  const length = Math.max(characters, Math.ceil(septets / 2));
  if (!isGsm) return foreign.repeat(length);
  const doubles = Math.max(0, septets - length);
  return '['.repeat(doubles) + 'A'.repeat(length - doubles);
}

/** Returns a text that is at least as long as both. */
export function joinTexts(some: string, other: string): string {
  const [one, two] = [some, other].map((text) => ({
    text,
    septets: countGsmSeptets(text),
    isGsm: isPlain(text),
  }));
  if (!one || !two) return some;
  const covers = (a: typeof one, b: typeof one) =>
    a.text.length >= b.text.length && a.septets >= b.septets && (!a.isGsm || b.isGsm);
  if (covers(one, two)) return some;
  if (covers(two, one)) return other;
  const isGsm = one.isGsm && two.isGsm;
  return textOfSize(Math.max(some.length, other.length), Math.max(one.septets, two.septets), isGsm);
}

const digits = 9;

/**
 * Returns the longest words of all amounts up to `max`. Seven has the longest name as a one, a ten and a teen, so the longest
 * words are those of `max`, or of a smaller amount that has its first digits, a smaller digit, and sevens.
 */
export function longestWords(max: number): string {
  const text = String(max).padStart(digits, '0');
  const smaller = [...text].flatMap((digit, at) =>
    Array.from({ length: Number(digit) }, (_, less) =>
      Number(`${text.slice(0, at)}${less}${'7'.repeat(digits - at - 1)}`),
    ),
  );
  const words = [max, ...smaller].map((amount) => spellCedis(amountMinor(amount)));
  return words.reduce((longest, one) => (one.length > longest.length ? one : longest));
}

/** A text at least as long as each accepted answer, and whether a reference can have each of its characters. */
type LongestAnswer = { readonly text: string; readonly isReference: boolean };

/**
 * Returns the longest answer of up to `limit` characters that a pattern can accept. Lookarounds, backreferences and word
 * boundaries are not read: such a pattern counts as one that accepts every text.
 */
export function longestAnswer(pattern: string | undefined, limit: number): LongestAnswer {
  const reader = { pattern: pattern ?? '', at: 0, limit };
  const size = pattern === undefined ? undefined : readAlternatives(reader);
  if (size === undefined || reader.at < reader.pattern.length) {
    return { text: textOfSize(limit, 2 * limit), isReference: false };
  }
  const characters = Math.min(limit, size.characters);
  const { isReference } = size;
  return { text: textOfSize(characters, Math.min(size.septets, characters * 2), true), isReference };
}

/** Upper bounds of the texts that a part of a pattern accepts, each on its own. */
type Size = { readonly characters: number; readonly septets: number; readonly isReference: boolean };

const empty: Size = { characters: 0, septets: 0, isReference: true };

/** Reads a pattern from `at` on. No count is above `limit`, so that the bounds stay numbers. */
type Reader = { readonly pattern: string; readonly limit: number; at: number };

function take(reader: Reader, token: RegExp): string | undefined {
  const [found] = token.exec(reader.pattern.slice(reader.at)) ?? [];
  reader.at += found?.length ?? 0;
  return found;
}

function readAlternatives(reader: Reader): Size | undefined {
  let size = readSequence(reader);
  while (size && take(reader, /^\|/)) {
    const other = readSequence(reader);
    size = other && {
      characters: Math.max(size.characters, other.characters),
      septets: Math.max(size.septets, other.septets),
      isReference: size.isReference && other.isReference,
    };
  }
  return size;
}

function readSequence(reader: Reader): Size | undefined {
  let size: Size | undefined = empty;
  while (size && reader.at < reader.pattern.length && !/[|)]/.test(reader.pattern.charAt(reader.at))) {
    const part = readPart(reader);
    size = part && {
      characters: size.characters + part.characters,
      septets: size.septets + part.septets,
      isReference: size.isReference && part.isReference,
    };
  }
  return size;
}

function readPart(reader: Reader): Size | undefined {
  if (take(reader, /^[\^$]/)) return empty;
  const atom = readAtom(reader);
  const times = take(reader, /^([*+?]|\{\d+(,\d*)?\})\??/);
  if (!atom || times === undefined) return atom;
  const [, max = reader.limit] = /^(?:\?|\{(?:\d+,)?(\d+)\})/.exec(times) ?? [];
  const count = times.startsWith('?') ? 1 : Math.min(reader.limit, Number(max));
  return { ...atom, characters: atom.characters * count, septets: atom.septets * count };
}

/** The characters of answers. */
const alphabet = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).filter(isPlain);

function readAtom(reader: Reader): Size | undefined {
  if (take(reader, /^\((\?:|\?<\w+>)?(?!\?)/)) {
    const inside = readAlternatives(reader);
    return take(reader, /^\)/) ? inside : undefined;
  }
  const one = take(reader, /^(\[\^?(\\.|[^\]\\])*\]|\\[dDwWsS]|\\[^\w]|\\[nt]|[^\\()[\]{}*+?|])/);
  const part = one === undefined ? undefined : compilePattern(one);
  if (!part?.ok) return undefined;
  const accepted = alphabet.filter((character) => part.pattern.accepts(character));
  return {
    characters: accepted.length === 0 ? 0 : 1,
    septets: Math.max(0, ...accepted.map(countGsmSeptets)),
    isReference: accepted.every(hasReferenceCharacters),
  };
}
