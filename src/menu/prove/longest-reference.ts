import { septets } from '../../shared/screen-text.ts';
import { answerPattern, isPlain } from '../state/answer.ts';

/** The interface takes no longer references. */
const longest = 64;

/** For each length, the texts of that length which take the most septets, the longest first. */
type Texts = readonly (readonly string[])[];

const nothing: Texts = [['']];

/** Every plain character; those that take two septets first, blanks last, since they do not count at the ends. */
const alphabet = [...Array(128).keys()]
  .map((code) => String.fromCharCode(code))
  .filter(isPlain)
  .sort((a, b) => rank(a) - rank(b));

function rank(character: string): number {
  return character.trim() === '' ? 3 : 3 - septets(character);
}

/**
 * The reference that takes the most room among those that a pattern accepts, or `undefined` when the pattern accepts none
 * or is written with what this does not read: look-around, references to groups, word boundaries.
 */
export function maxReferenceLength(pattern: string): string | undefined {
  return longestTexts(pattern, longest, 1)?.[0];
}

/**
 * The texts of up to `most` characters that take the most room, the longest first: `kept` of every length, as far as
 * there are so many that differ in more than small letters. `undefined` for a pattern that this does not read.
 */
export function longestTexts(pattern: string, most: number, kept: number): string[] | undefined {
  const reader = { pattern, at: 0, kept };
  const texts = readAlternatives(reader);
  if (texts === undefined || reader.at < pattern.length) return undefined;
  const matcher = answerPattern(pattern);
  return texts
    .slice(0, most + 1)
    .flat()
    .filter((text) => text !== '' && text === text.trim() && matcher.test(text))
    .sort((a, b) => septets(b) - septets(a));
}

type Reader = { readonly pattern: string; readonly kept: number; at: number };

function take(reader: Reader, sign: RegExp): string | undefined {
  const rest = reader.pattern.slice(reader.at);
  const [found] = sign.exec(rest) ?? [];
  reader.at += found?.length ?? 0;
  return found;
}

function readAlternatives(reader: Reader): Texts | undefined {
  let texts = readSequence(reader);
  while (texts !== undefined && take(reader, /^\|/)) {
    const other = readSequence(reader);
    texts = other && better(reader, texts, other);
  }
  return texts;
}

function readSequence(reader: Reader): Texts | undefined {
  let texts: Texts | undefined = nothing;
  while (texts !== undefined && reader.at < reader.pattern.length && !/^[|)]/.test(rest(reader))) {
    const part = readPart(reader);
    texts = part && joined(reader, texts, part);
  }
  return texts;
}

function rest({ pattern, at }: Reader): string {
  return pattern.slice(at);
}

function readPart(reader: Reader): Texts | undefined {
  // What must stand at the start or the end stands there anyway, or the whole does not match.
  if (take(reader, /^[\^$]/)) return nothing;
  const atom = readAtom(reader);
  if (atom === undefined) return undefined;
  const times = take(reader, /^([*+?]|\{\d+(,\d*)?\})\??/);
  return times === undefined ? atom : repeated(reader, atom, ...readTimes(times));
}

function readTimes(times: string): [least: number, most: number] {
  if (times.startsWith('*')) return [0, longest];
  if (times.startsWith('+')) return [1, longest];
  if (times.startsWith('?')) return [0, 1];
  const [least = '0', most = least] = times.replace(/[{}?]/g, '').split(',');
  return [Number(least), most === '' ? longest : Math.min(Number(most), longest)];
}

function readAtom(reader: Reader): Texts | undefined {
  if (take(reader, /^\((\?:|\?<\w+>)?(?!\?)/)) {
    const inside = readAlternatives(reader);
    return take(reader, /^\)/) ? inside : undefined;
  }
  // A class or a character is left to the matcher itself: of all characters, those that it takes.
  const one = take(reader, /^(\[\^?(\\.|[^\]\\])*\]|\\[dDwWsS]|\\[^\w]|\\[nt]|[^\\()[\]{}*+?|])/);
  if (one === undefined) return undefined;
  const matcher = answerPattern(one);
  return [
    [],
    best(
      reader,
      alphabet.filter((character) => matcher.test(character)),
    ),
  ];
}

function repeated(reader: Reader, texts: Texts, least: number, most: number): Texts {
  let all: Texts = least === 0 ? nothing : [];
  let times: Texts = nothing;
  for (let count = 1; count <= most && times.some((some) => some.length > 0); count++) {
    times = joined(reader, times, texts);
    if (count >= least) all = better(reader, all, times);
  }
  return all;
}

function joined(reader: Reader, heads: Texts, tails: Texts): Texts {
  const all: string[][] = [];
  for (const [atHead, some] of heads.entries()) {
    for (const [atTail, others] of tails.entries()) {
      const length = atHead + atTail;
      if (length > longest || some.length === 0 || others.length === 0) continue;
      const known = all[length] ?? [];
      known.push(...some.flatMap((head) => others.map((tail) => head + tail)));
      all[length] = known;
    }
  }
  return Array.from(all, (texts) => best(reader, texts ?? []));
}

function better(reader: Reader, some: Texts, others: Texts): Texts {
  return [...Array(Math.max(some.length, others.length)).keys()].map((length) =>
    best(reader, [...(some[length] ?? []), ...(others[length] ?? [])]),
  );
}

/** Those that take the most septets; of texts that are one but for small letters, one. */
function best({ kept }: Reader, texts: readonly string[]): string[] {
  const different = new Map<string, string>();
  for (const text of texts) {
    const key = text.toLowerCase();
    const known = different.get(key);
    if (known === undefined || septets(text) > septets(known)) different.set(key, text);
  }
  return [...different.values()].sort((a, b) => septets(b) - septets(a)).slice(0, kept);
}
