import type { RawRequest } from './turn.ts';

export type Scalar = string | number | boolean | null;

/** The fields of a request by their paths in lower case (`payload.request_id`), each with its name as it arrived. */
export type Fields = ReadonlyMap<string, { readonly name: string; readonly value: Scalar }>;

/** No aggregator sends more than twenty; the rest is noise. */
const mostFields = 64;
const deepest = 3;

/** JSON numbers of sixteen digits and more; strings are matched whole, so that nothing in them is. */
const stringOrLongNumber = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g;

/**
 * Parses a JSON object. Whole numbers beyond JSON's exact range are kept as text: a session id that is rounded to
 * its neighbour's would mix two payers.
 */
function parseObject(text: string): object | undefined {
  const quoted = (token: string) => (token.startsWith('"') ? token : `"${token}"`);
  const exact = /\d{16}/.test(text) ? text.replace(stringOrLongNumber, quoted) : text;
  try {
    const value: unknown = JSON.parse(exact);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** A JSON object, also one that was sent as the only key of a form, encoded or not (Moolre). */
function readObject(text: string): object | undefined {
  if (text.startsWith('{')) return parseObject(text) ?? parseObject(text.replace(/=$/, ''));
  return /^%7B/i.test(text) ? parseObject(decoded(text.replace(/=$/, ''))) : undefined;
}

/**
 * Reads the fields of a request by what the body is, not by what its content type says: a JSON object, else a
 * form; the query string and the rest of the path (`path.0`, `path.1`) fill in what the body lacks.
 *
 * Names are compared without regard to case, and the first of several wins. Fields of objects within are reached by
 * a dot; lists are left out. Never throws.
 */
export function readFields(raw: RawRequest): Fields {
  const text = raw.body.replace(/^\uFEFF/, '').trim();
  const fields = new Map<string, { name: string; value: Scalar }>();
  const put = (name: string, value: unknown, depth: number) => {
    if (fields.size >= mostFields) return;
    if (typeof value === 'object' && value !== null) {
      if (Array.isArray(value) || depth >= deepest) return;
      for (const [inner, one] of Object.entries(value)) put(`${name}.${inner}`, one, depth + 1);
      return;
    }
    const key = name.toLowerCase();
    if (!fields.has(key)) fields.set(key, { name, value: value as Scalar });
  };
  const path = raw.path.split('/').filter((part) => part !== '');
  for (const [i, part] of path.entries()) put(`path.${i}`, decoded(part), 1);
  const object = readObject(text);
  for (const [name, value] of object ? Object.entries(object) : new URLSearchParams(text))
    put(name, value, 1);
  for (const [name, value] of Object.entries(raw.query)) put(name, value, 1);
  return fields;
}

/** The value of the first of these names that is there, as it arrived. */
export function scalar(fields: Fields, names: readonly string[]): Scalar | undefined {
  for (const name of names) {
    const found = fields.get(name.toLowerCase());
    if (found && found.value !== null && found.value !== '') return found.value;
  }
  return undefined;
}

/** The text of the first of these names that says anything, without blanks around it. */
export function field(fields: Fields, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields.get(name.toLowerCase())?.value;
    const text = value === undefined || value === null ? '' : String(value).trim();
    if (text !== '') return text;
  }
  return undefined;
}
