import { amountMinor, spellCedis } from '../../shared/money.ts';
import { countGsmSeptets } from '../../shared/screen-text.ts';
import { isPlain } from '../state/answer.ts';
import { compilePattern } from '../state/pattern.ts';

/* Texts that are at least as long as every form of a value, on channels of every alphabet. */

/** Letters of two septets and of one. A channel of `unicode` uses UCS-2 for those that are not plain. */
const letters = { plain: ['[', 'A'], other: ['æ', 'ɛ'] } as const;

/** Returns a text that is at least as long as any with so many characters and septets. Only a plain one is in the GSM alphabet. */
export function textOfSize(characters: number, septets: number, isGsm = true): string {
  const length = Math.max(characters, Math.ceil(septets / 2));
  const doubles = Math.max(0, septets - length);
  const [double, single] = isGsm ? letters.plain : letters.other;
  return double.repeat(doubles) + single.repeat(length - doubles);
}

/** Returns a text that is at least as long as both. */
export function joinTexts(some: string, other: string): string {
  // A ligature is several letters on the screen.
  const sizes = [some, other].map((text) => [text.normalize('NFKC').length, countGsmSeptets(text)] as const);
  const [characters, septets] = [0, 1].map((i) => Math.max(...sizes.map((size) => size[i] ?? 0))) as [
    number,
    number,
  ];
  const isGsm = isPlain(some) && isPlain(other);
  const isMax = (at: number) => isGsm && sizes[at]?.[0] === characters && sizes[at]?.[1] === septets;
  if (some === other || isMax(0)) return some;
  return isMax(1) ? other : textOfSize(characters, septets, isGsm);
}

/** Returns words that are at least as long as those of each amount up to `max`. Seven has the longest name as a one, a ten and a teen. */
export function maxWords(max: number): string {
  const [own, sevens] = [max, Number('7'.repeat(String(max - 1).length))].map((amount) =>
    spellCedis(amountMinor(amount)),
  ) as [string, string];
  return own.length > sevens.length ? own : sevens;
}

/** A character or a class, with the number of its repetitions. */
const part = /(\[\^?(?:\\.|[^\]\\])*\]|\\.|[^\\])([*+]|\?|\{\d+(?:,\d*)?\})?\??/gs;

/** The characters of answers. */
const alphabet = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).filter(isPlain);

/**
 * Returns a text that is at least as long as each answer of up to `limit` characters that a pattern accepts. All alternatives
 * count together, and a group that is repeated counts as any text.
 */
export function maxAnswer(pattern: string | undefined, limit: number): string {
  let [characters, septets] = [0, 0];
  // Escapes of several characters are not read: the pattern counts as one that accepts every text.
  const isRead = pattern !== undefined && !/\\[CPQpx\d]/.test(pattern);
  const read = isRead ? pattern.replace(/\(\?(?::|P?<\w+>)/g, '(') : '.*';
  for (const [, one = '', times] of read.matchAll(part)) {
    const isAnchor = /^[\^$(|)]$/.test(one);
    if (isAnchor && times === undefined) continue;
    const compiled = isAnchor ? undefined : compilePattern(one);
    const accepted = compiled?.ok ? alphabet.filter((each) => compiled.pattern.accepts(each)) : alphabet;
    const [, max = limit] = /(?:^|,|\{)(\d+)\}$/.exec(times ?? '{1}') ?? [];
    const count = times === '?' ? 1 : Math.min(limit, isAnchor ? limit : Number(max));
    characters += count;
    septets += count * Math.max(1, ...accepted.map(countGsmSeptets));
  }
  const length = Math.min(limit, characters);
  return textOfSize(length, Math.min(septets, 2 * length));
}
