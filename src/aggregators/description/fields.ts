import type { RawRequest } from '../raw-request.ts';

export type Scalar = string | number | boolean | null;

/** The fields of a request by their paths in lower case (`payload.request_id`), each with its name as it arrived. */
export type Fields = ReadonlyMap<string, Field>;

type Field = {
  readonly name: string;
  readonly value: Scalar;
  /** The body itself had it, at its top. */
  readonly own: boolean;
};

/** No aggregator sends more than twenty; the rest is noise. */
const maxFields = 64;
const maxDepth = 3;

/** Every string and every number of a JSON text, whole, so that each character is looked at once. */
const stringOrNumber = /"(?:[^"\\]|\\.)*(?:"|\\?$)|-?\d[\d.eE+-]*/gs;
const longWholeNumber = /^-?\d{16,}$/;

/**
 * Parses a JSON object. Whole numbers beyond JSON's exact range are kept as text: a session id that is rounded to
 * its neighbour's would mix two payers.
 */
function parseObject(text: string): object | undefined {
  const quoted = (token: string) => (longWholeNumber.test(token) ? `"${token}"` : token);
  const exact = /\d{16}/.test(text) ? text.replace(stringOrNumber, quoted) : text;
  try {
    const value: unknown = JSON.parse(exact);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A JSON object, also one that was sent as the only key of a form, encoded or not (Moolre). */
function readObject(text: string): object | undefined {
  const key = text.endsWith('=') ? text.slice(0, -1) : text;
  if (text.startsWith('{')) return parseObject(key);
  return /^%7B/i.test(text) ? parseObject(percentDecoded(key.replaceAll('+', ' '))) : undefined;
}

/**
 * Reads the fields of a request by what the body is, not by what its content type says: a JSON object, else a
 * form; the query string and the rest of the path (`path.0`, `path.1`) fill in what the body lacks.
 *
 * Names are compared without regard to case, and the first of several spellings wins. Fields of objects within are
 * reached by a dot; lists are left out. Never throws.
 */
export function readFields(raw: RawRequest): Fields {
  const text = raw.body.replace(/^\uFEFF/, '').trim();
  const fields = new Map<string, Field>();
  const put = (name: string, value: unknown, depth: number, own: boolean) => {
    if (fields.size >= maxFields) return;
    if (typeof value === 'object' && value !== null) {
      if (Array.isArray(value) || depth >= maxDepth) return;
      for (const [inner, one] of Object.entries(value)) put(`${name}.${inner}`, one, depth + 1, false);
      return;
    }
    const key = name.toLowerCase();
    if (!fields.has(key)) fields.set(key, { name, value: value as Scalar, own });
  };
  const path = raw.path.split('/').filter((part) => part !== '');
  for (const [i, part] of path.entries()) put(`path.${i}`, percentDecoded(part), 1, false);
  const object = readObject(text);
  for (const [name, value] of object ? Object.entries(object) : new URLSearchParams(text))
    put(name, value, 1, true);
  for (const [name, value] of Object.entries(raw.query)) put(name, value, 1, false);
  return fields;
}

/** The value of the first of these names that is there, as it arrived. */
export function readScalar(fields: Fields, names: readonly string[]): Scalar | undefined {
  for (const name of names) {
    const found = fields.get(name.toLowerCase());
    if (found && found.value !== null && found.value !== '') return found.value;
  }
  return undefined;
}

/** The text of the first of these names that says anything, without blanks around it. */
export function readField(fields: Fields, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields.get(name.toLowerCase())?.value;
    const text = value === undefined || value === null ? '' : String(value).trim();
    if (text !== '') return text;
  }
  return undefined;
}
