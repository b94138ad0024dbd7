import { gsmSeptetsOf } from '../../../shared/screen-text.ts';
import { answerPattern, isPlain } from '../../state/answer.ts';

/** The maximum of a reference in the service's interface. */
const maxLength = 64;

/** For each length, the texts of that length with the most septets, in descending order. */
type Texts = readonly (readonly string[])[];

const emptyText: Texts = [['']];

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
  const reader = { pattern, at: 0, kept };
  const texts = readAlternatives(reader);
  if (texts === undefined || reader.at < pattern.length) return undefined;
  const matcher = answerPattern(pattern);
  return texts
    .slice(0, limit + 1)
    .flat()
    .filter((text) => text !== '' && text === text.trim() && matcher.test(text))
    .sort((a, b) => gsmSeptetsOf(b) - gsmSeptetsOf(a));
}

/** Reads a pattern from `at` on. */
type Reader = { readonly pattern: string; readonly kept: number; at: number };

function take(reader: Reader, token: RegExp): string | undefined {
  const [found] = token.exec(restOf(reader)) ?? [];
  reader.at += found?.length ?? 0;
  return found;
}

function readAlternatives(reader: Reader): Texts | undefined {
  let texts = readSequence(reader);
  while (texts !== undefined && take(reader, /^\|/)) {
    const other = readSequence(reader);
    texts = other && longestOf(reader, texts, other);
  }
  return texts;
}

function readSequence(reader: Reader): Texts | undefined {
  let texts: Texts | undefined = emptyText;
  while (texts !== undefined && reader.at < reader.pattern.length && !/^[|)]/.test(restOf(reader))) {
    const part = readPart(reader);
    texts = part && concatenate(reader, texts, part);
  }
  return texts;
}

function restOf({ pattern, at }: Reader): string {
  return pattern.slice(at);
}

function readPart(reader: Reader): Texts | undefined {
  // An anchor elsewhere than at the start or the end accepts nothing, which the final match rejects.
  if (take(reader, /^[\^$]/)) return emptyText;
  const atom = readAtom(reader);
  if (atom === undefined) return undefined;
  const times = take(reader, /^([*+?]|\{\d+(,\d*)?\})\??/);
  return times === undefined ? atom : repeat(reader, atom, readTimes(times));
}

type Times = { readonly min: number; readonly max: number };

function readTimes(times: string): Times {
  if (times.startsWith('*')) return { min: 0, max: maxLength };
  if (times.startsWith('+')) return { min: 1, max: maxLength };
  if (times.startsWith('?')) return { min: 0, max: 1 };
  const [min = '0', max = min] = times.replace(/[{}?]/g, '').split(',');
  return { min: Number(min), max: max === '' ? maxLength : Math.min(Number(max), maxLength) };
}

function readAtom(reader: Reader): Texts | undefined {
  if (take(reader, /^\((\?:|\?<\w+>)?(?!\?)/)) {
    const inside = readAlternatives(reader);
    return take(reader, /^\)/) ? inside : undefined;
  }
  // For a class or a character, the matcher itself selects the accepted characters.
  const one = take(reader, /^(\[\^?(\\.|[^\]\\])*\]|\\[dDwWsS]|\\[^\w]|\\[nt]|[^\\()[\]{}*+?|])/);
  if (one === undefined) return undefined;
  const matcher = answerPattern(one);
  return [
    [],
    longestFew(
      reader,
      alphabet.filter((character) => matcher.test(character)),
    ),
  ];
}

function repeat(reader: Reader, texts: Texts, { min, max }: Times): Texts {
  let all: Texts = min === 0 ? emptyText : [];
  let repeated: Texts = emptyText;
  for (let count = 1; count <= max && repeated.some((some) => some.length > 0); count++) {
    repeated = concatenate(reader, repeated, texts);
    if (count >= min) all = longestOf(reader, all, repeated);
  }
  return all;
}

function concatenate(reader: Reader, heads: Texts, tails: Texts): Texts {
  const all: string[][] = [];
  for (const [atHead, some] of heads.entries()) {
    for (const [atTail, others] of tails.entries()) {
      const length = atHead + atTail;
      if (length > maxLength || some.length === 0 || others.length === 0) continue;
      const known = all[length] ?? [];
      known.push(...some.flatMap((head) => others.map((tail) => head + tail)));
      all[length] = known;
    }
  }
  return Array.from(all, (texts) => longestFew(reader, texts ?? []));
}

function longestOf(reader: Reader, some: Texts, others: Texts): Texts {
  return [...Array(Math.max(some.length, others.length)).keys()].map((length) =>
    longestFew(reader, [...(some[length] ?? []), ...(others[length] ?? [])]),
  );
}

/** Returns the `kept` texts with the most septets, one of those that differ only in their case. */
function longestFew({ kept }: Reader, texts: readonly string[]): string[] {
  const different = new Map<string, string>();
  for (const text of texts) {
    const key = text.toLowerCase();
    const known = different.get(key);
    if (known === undefined || gsmSeptetsOf(text) > gsmSeptetsOf(known)) different.set(key, text);
  }
  return [...different.values()].sort((a, b) => gsmSeptetsOf(b) - gsmSeptetsOf(a)).slice(0, kept);
}
