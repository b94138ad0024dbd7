import { LRUCache } from 'lru-cache';
import { RE2JS, RE2JSException } from 're2js';

/** The pattern of an answer, compiled. */
type AnswerPattern = {
  /** True when the pattern accepts the whole text. Takes time linear in its length. */
  accepts(text: string): boolean;
};

/** The size of a compiled pattern. `[A-Z]{2}\d{4}` has 8 instructions. */
const maxInstructions = 1_000;

/** Compiled patterns keep the states that their inputs have reached, up to 8 MiB each. */
const maxCached = 200;

const compiled = new LRUCache<string, AnswerPattern>({ max: maxCached });

/**
 * Compiles the pattern of an answer. Patterns are in RE2 syntax and never backtrack: `RegExp` takes exponential time for
 * some inputs and patterns, and blocks every payer of every merchant meanwhile.
 *
 * @returns `ok: false` with the reason for a pattern that is invalid, not supported or too large.
 */
export function compilePattern(
  pattern: string,
): { ok: true; pattern: AnswerPattern } | { ok: false; reason: string } {
  const known = compiled.get(pattern);
  if (known) return { ok: true, pattern: known };
  try {
    const matcher = RE2JS.compile(pattern);
    if (matcher.programSize() > maxInstructions) return { ok: false, reason: 'too many repetitions' };
    const result = { accepts: (text: string) => matcher.testExact(text) };
    compiled.set(pattern, result);
    return { ok: true, pattern: result };
  } catch (fault) {
    if (fault instanceof RE2JSException) return { ok: false, reason: toReason(fault) };
    throw fault;
  }
}

/** Returns the pattern of a menu that was checked. @throws SyntaxError for an invalid pattern; the loader rejects menus with one. */
export function answerPattern(pattern: string): AnswerPattern {
  const result = compilePattern(pattern);
  if (!result.ok) throw new SyntaxError(`invalid pattern: ${result.reason}`);
  return result.pattern;
}

/** Returns the library's reason without its prefix and without the part of the pattern that it quotes. */
function toReason({ message }: Error): string {
  return message.replace(/^error parsing regexp: /, '').replace(/: `.*/s, '');
}

/** The characters of every reference: a small set, because networks and statements differ in the characters that they show. */
export const referenceCharacters = 'A-Za-z0-9 ./-';

const allowed = new RegExp(`^[${referenceCharacters}]*$`);

/** True for a text that has only the characters of references. */
export function hasReferenceCharacters(text: string): boolean {
  return allowed.test(text);
}

/** The service accepts references of up to 64 characters. */
export const maxReferenceLength = 64;

/** Letters that have no decomposition in Unicode. */
const letters: Readonly<Record<string, string>> = { ɛ: 'e', Ɛ: 'E', ɔ: 'o', Ɔ: 'O', ŋ: 'n', Ŋ: 'N' };

const other = new RegExp(`[^${referenceCharacters}]`, 'gu');

/**
 * Converts a text to a reference: letters lose their accents, each other character that references cannot have becomes a
 * dash, and the text is cut. The result has no more characters than the text, so that the lengths of screens hold.
 */
export function toReference(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .normalize('NFC')
    .replace(/[ɛƐɔƆŋŊ]/g, (letter) => letters[letter] ?? '-')
    .replace(/\s/g, ' ')
    .replace(other, '-')
    .slice(0, maxReferenceLength)
    .trim();
}
