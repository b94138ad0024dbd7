const maxDepth = 64;

/** The tokens that determine names and nesting. Numbers and literals are skipped. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]:]/gs;

/**
 * Parses I-JSON (RFC 7493): UTF-8, and no duplicate names in an object, because parsers disagree about duplicates.
 *
 * @throws SyntaxError or TypeError for any other text, and for one with more than 64 levels.
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
