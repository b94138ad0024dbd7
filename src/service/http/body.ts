import type { z } from 'zod';
import { parseJson } from '../../shared/json.ts';
import { type ApiError, type ApiErrorCode, apiError } from '../api-error.ts';

/** A JSON object as it arrived, not yet checked. */
export type RawBody = Readonly<Record<string, unknown>>;

const loneSurrogate = /\p{Cs}/u;

/** Deeper than any body of the API, and shallow enough for whatever walks one. */
const deepest = 16;

/** Reads a request's JSON object. No body at all is read as an empty object. */
export async function readJson(request: Request): Promise<{ kind: 'json'; value: RawBody } | ApiError> {
  const bytes = await bytesOf(request);
  if (bytes === undefined) return apiError('invalid_json');
  if (bytes.length === 0) return { kind: 'json', value: {} };
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) return apiError('unsupported_media_type');
  try {
    const { value } = parseJson(bytes);
    return isObject(value) && isSound(value) ? { kind: 'json', value } : apiError('invalid_json');
  } catch {
    return apiError('invalid_json');
  }
}

/** `undefined` where the caller hung up before its body was complete: nobody reads the answer, and nothing is broken. */
async function bytesOf(request: Request): Promise<Uint8Array | undefined> {
  try {
    return new Uint8Array(await request.arrayBuffer());
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is RawBody {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Whether a value can be written again as it was read (I-JSON, RFC 7493). JSON can spell half a surrogate pair, which
 * has no UTF-8, and numbers beyond any double, which are read as infinite.
 */
function isSound(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'string') return !loneSurrogate.test(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth === deepest) return false;
  return Object.entries(value).every(([name, inner]) => isSound(name) && isSound(inner, depth + 1));
}

/**
 * Checks what was sent against a shape. The refusal is for the first thing wrong: an unknown field, a missing
 * one, or a wrong value, for which `codes` may name a code of its own.
 */
export function readFields<Fields>(
  value: RawBody,
  shape: z.ZodType<Fields>,
  codes: Readonly<Record<string, ApiErrorCode>> = {},
): { kind: 'fields'; fields: Fields } | ApiError {
  const parsed = shape.safeParse(value);
  if (parsed.success) return { kind: 'fields', fields: parsed.data };
  const issue = parsed.error.issues[0];
  if (issue?.code === 'unrecognized_keys') {
    return apiError('unknown_field', { param: nameOf([...issue.path, issue.keys[0]]) });
  }
  const param = nameOf(issue?.path ?? []);
  const found = (issue?.path ?? []).reduce<unknown>((inner, name) => Object(inner)[name], value);
  if (found === undefined) return apiError('missing_field', { param });
  const code = codes[param] ?? codes[String(issue?.path[0])];
  return code
    ? apiError(code, { param })
    : apiError('invalid_field', { param, detail: `${issue?.message}.` });
}

/** A field's name as a refusal says it: not longer than a name is, and whole characters. */
export function nameOf(path: readonly unknown[]): string {
  return [...path.join('.').slice(0, 256)].slice(0, 64).join('').replace(loneSurrogate, '');
}
