/* No library: JSON.parse accepts duplicate names, and finding them is one scan of the text. */

import { attempt } from './errors.ts';

const maxDepth = 64;

/** The tokens that determine names and nesting. Numbers and literals are skipped. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]:]/gs;

/**
 * Parses JSON in valid UTF-8. An object has no name twice (as in I-JSON, RFC 7493), because parsers disagree about duplicates.
 *
 * @throws SyntaxError or TypeError for any other text, and for more than 64 levels.
 */
export function parseJson(bytes: Uint8Array): { text: string; value: unknown } {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  const value: unknown = JSON.parse(text);
  rejectDuplicateNames(text);
  return { text, value };
}

/** @param text valid JSON. */
function rejectDuplicateNames(text: string): void {
  /** The names in each enclosing object or list, the innermost last. */
  const enclosing: Set<string>[] = [];
  let last = '';
  for (const [token] of text.matchAll(tokens)) {
    if (token === '{' || token === '[') {
      if (enclosing.push(new Set()) > maxDepth) throw new SyntaxError('nested too deeply');
    } else if (token === '}' || token === ']') {
      enclosing.pop();
    } else if (token === ':') {
      const name: string = JSON.parse(last);
      const names = enclosing.at(-1);
      if (names?.has(name)) throw new SyntaxError('duplicate name in an object');
      names?.add(name);
    } else {
      last = token;
    }
  }
}

/** A map of a file or of a JSON body whose values no schema has checked. */
export type UncheckedMap = Readonly<Record<string, unknown>>;

/** Returns whether a parsed value is a map: not a list, not null. `typeof value === 'object'` accepts both. */
export function isMap(value: unknown): value is UncheckedMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value if it is a map, otherwise an empty map. */
export function mapOrEmpty(value: unknown): UncheckedMap {
  return isMap(value) ? value : {};
}

/** Parses JSON of another program; `undefined` for any other text. */
export function tryParseJson(text: string): unknown {
  return attempt((): unknown => JSON.parse(text));
}
