import { isMap, tryParseJson } from '../../shared/json.ts';

/** One HTTP request of an aggregator before it is parsed. The content type is not included: dialects parse by content. */
export type RawRequest = {
  body: string;
  query: Readonly<Record<string, string>>;
  /** The callback's path after the secret, without leading and trailing slashes. Usually empty. */
  path: string;
};

export type RequestScalar = string | number | boolean | null;

/** The fields of a request by their path in lower case (`payload.request_id`), each with its name as received. */
export type RequestFields = ReadonlyMap<string, Field>;

type Field = {
  readonly name: string;
  readonly value: RequestScalar;
  /** True for a field at the top level of the body. */
  readonly own: boolean;
};

/** No aggregator sends more than twenty fields. Further fields are ignored. */
const maxFields = 64;
const maxDepth = 3;

/** Every string and every number of a JSON text. It consumes whole tokens, so that each character is read once. */
const stringOrNumber = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*/gs;
const longInteger = /^-?\d{16,}$/;

/** Parses a JSON object. Integers beyond JSON's exact range stay texts: two session ids, rounded alike, would mix two payers. */
function parseObject(text: string): object | undefined {
  const quoteLong = (token: string) => (longInteger.test(token) ? `"${token}"` : token);
  const value = tryParseJson(text.replace(stringOrNumber, quoteLong));
  return isMap(value) ? value : undefined;
}

/** Returns the text itself when it is not valid percent-encoding. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Parses a JSON object, also one that is the only key of a form, percent-encoded or not (Moolre). */
function readObject(text: string): object | undefined {
  const key = text.endsWith('=') ? text.slice(0, -1) : text;
  if (text.startsWith('{')) return parseObject(key);
  return /%7B/i.test(text) ? parseObject(percentDecoded(key.replaceAll('+', ' '))) : undefined;
}

/**
 * Reads the fields of a request. The content of the body decides its format, not the content type: a JSON object,
 * otherwise a form. The query string adds fields that the body does not have; the parts of the path are `path.0`,
 * `path.1`.
 *
 * Names ignore case, and the first of several spellings is used. A dot selects a field of an object; lists are ignored.
 * Never throws.
 */
export function readFields(raw: RawRequest): RequestFields {
  const text = raw.body.trim();
  const fields = new Map<string, Field>();
  const add = (name: string, value: unknown, depth: number, own: boolean) => {
    if (fields.size >= maxFields) return;
    if (typeof value === 'object' && value !== null) {
      if (Array.isArray(value) || depth >= maxDepth) return;
      for (const [inner, one] of Object.entries(value)) add(`${name}.${inner}`, one, depth + 1, false);
      return;
    }
    const key = name.toLowerCase();
    if (!fields.has(key)) fields.set(key, { name, value: value as RequestScalar, own });
  };
  const path = raw.path.split('/').filter((part) => part !== '');
  for (const [i, part] of path.entries()) add(`path.${i}`, percentDecoded(part), 1, false);
  const object = readObject(text);
  for (const [name, value] of object ? Object.entries(object) : new URLSearchParams(text))
    add(name, value, 1, true);
  for (const [name, value] of Object.entries(raw.query)) add(name, value, 1, false);
  return fields;
}

/** Returns the value of the first of these fields that is not empty, as received. */
export function readScalar(fields: RequestFields, names: readonly string[]): RequestScalar | undefined {
  for (const name of names) {
    const found = fields.get(name.toLowerCase());
    if (found && found.value !== null && found.value !== '') return found.value;
  }
  return undefined;
}

/** Returns the text of the first of these fields that is not blank, trimmed. */
export function readField(fields: RequestFields, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields.get(name.toLowerCase())?.value;
    const text = value === undefined || value === null ? '' : String(value).trim();
    if (text !== '') return text;
  }
  return undefined;
}
