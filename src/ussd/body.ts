import type { RawRequest } from './turn.ts';

/** The fields of a request, by their names in lower case. */
export type Fields = ReadonlyMap<string, string>;

/** No aggregator sends more than twenty; the rest is noise. */
const mostFields = 64;

function flatten(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  // JSON has no exact form for a large number: a session id rounded to its neighbour's would mix two payers.
  if (typeof value === 'number' && (Number.isSafeInteger(value) || !Number.isInteger(value)))
    return String(value);
  return undefined;
}

function parseObject(text: string): Iterable<[string, unknown]> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value)
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads the fields of a request by what the body is, not by what its content type says: a JSON object, else a
 * form; the query string fills in what the body lacks.
 *
 * Names are compared without regard to case, and the first of several wins. Values are strings, numbers or
 * booleans, as text; anything else is left out. Never throws.
 */
export function readFields(raw: RawRequest): Fields {
  const text = raw.body.replace(/^\uFEFF/, '').trim();
  const body = text.startsWith('{') ? parseObject(text) : undefined;
  const fields = new Map<string, string>();
  for (const entries of [body ?? new URLSearchParams(text), Object.entries(raw.query)]) {
    for (const [name, value] of entries) {
      if (fields.size >= mostFields) return fields;
      const flat = flatten(value);
      const key = name.toLowerCase();
      if (flat !== undefined && !fields.has(key)) fields.set(key, flat);
    }
  }
  return fields;
}

/** A field's text without blanks around it; `undefined` when it is absent or empty. */
export function field(fields: Fields, name: string): string | undefined {
  return fields.get(name.toLowerCase())?.trim() || undefined;
}
