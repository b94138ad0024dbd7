/** Deeper than any body that is sent in earnest. */
const deepest = 64;

/** The parts of a JSON text that tell where names stand; numbers and words are passed over. */
const parts = /"(?:[^"\\]|\\.)*"|[{}[\]:]/gs;

/**
 * Reads a JSON text that can be read in one way only (I-JSON, RFC 7493): in UTF-8, and no name twice in an object, for
 * one reader takes the first and the next one the last.
 *
 * @throws SyntaxError or TypeError when it is no such text, or nested deeper than 64.
 */
export function parseJson(bytes: Uint8Array): { text: string; value: unknown } {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  const value: unknown = JSON.parse(text);
  checkNames(text);
  return { text, value };
}

/** @param text known to be JSON. */
function checkNames(text: string): void {
  /** The names of each object around this place; lists have none. */
  const around: Set<string>[] = [];
  let last = '';
  for (const [part] of text.matchAll(parts)) {
    if (part === '{' || part === '[') {
      if (around.push(new Set()) > deepest) throw new SyntaxError('nested too deeply');
    } else if (part === '}' || part === ']') {
      around.pop();
    } else if (part === ':') {
      const name: string = JSON.parse(last);
      const names = around.at(-1);
      if (names?.has(name)) throw new SyntaxError('a name stands twice in an object');
      names?.add(name);
    } else {
      last = part;
    }
  }
}
