import { septets } from '../../shared/screen-text.ts';
import { isPlain, referencePattern } from '../answer.ts';

/** The interface takes no longer references. */
const longest = 64;

/** For each length, the text of that length which takes the most septets; a hole where there is none. */
type Texts = readonly (string | undefined)[];

const nothing: Texts = [''];

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
export function longestReference(pattern: string): string | undefined {
  const reader = { pattern, at: 0 };
  const texts = readAlternatives(reader);
  if (texts === undefined || reader.at < pattern.length) return undefined;
  const matcher = referencePattern(pattern);
  return texts
    .flatMap((text) => text ?? [])
    .filter((text) => text !== '' && text === text.trim() && matcher.test(text))
    .sort((a, b) => septets(b) - septets(a))[0];
}

type Reader = { readonly pattern: string; at: number };

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
    texts = other && better(texts, other);
  }
  return texts;
}

function readSequence(reader: Reader): Texts | undefined {
  let texts: Texts | undefined = nothing;
  while (texts !== undefined && reader.at < reader.pattern.length && !/^[|)]/.test(rest(reader))) {
    const part = readPart(reader);
    texts = part && joined(texts, part);
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
  return times === undefined ? atom : repeated(atom, ...readTimes(times));
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
  const matcher = referencePattern(one);
  return [undefined, alphabet.find((character) => matcher.test(character))];
}

function repeated(texts: Texts, least: number, most: number): Texts {
  let all: Texts = least === 0 ? nothing : [];
  let times: Texts = nothing;
  for (let count = 1; count <= most && times.some((text) => text !== undefined); count++) {
    times = joined(times, texts);
    if (count >= least) all = better(all, times);
  }
  return all;
}

function joined(heads: Texts, tails: Texts): Texts {
  const all: (string | undefined)[] = [];
  for (const head of heads) {
    for (const tail of tails) {
      if (head === undefined || tail === undefined || head.length + tail.length > longest) continue;
      const length = head.length + tail.length;
      all[length] = longer(all[length], head + tail);
    }
  }
  return all;
}

function better(some: Texts, others: Texts): Texts {
  return [...Array(Math.max(some.length, others.length)).keys()].map((length) =>
    longer(some[length], others[length]),
  );
}

function longer(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return septets(other) > septets(one) ? other : one;
}
