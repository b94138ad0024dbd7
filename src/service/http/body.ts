import { z } from 'zod';
import { type RefusalCode, type Refused, refuse } from '../refusal.ts';

/** A JSON object as it arrived, not yet checked. */
export type RawBody = Readonly<Record<string, unknown>>;

const jsonObject = z.record(z.string(), z.unknown());

/** Reads a request's JSON object. No body at all is read as an empty object. */
export async function readJson(request: Request): Promise<{ kind: 'json'; value: RawBody } | Refused> {
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (bytes.length === 0) return { kind: 'json', value: {} };
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) return refuse('unsupported_media_type');
  try {
    const parsed = jsonObject.safeParse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
    return parsed.success ? { kind: 'json', value: parsed.data } : refuse('invalid_json');
  } catch {
    return refuse('invalid_json');
  }
}

/**
 * Checks what was sent against a shape. The refusal is for the first thing wrong: an unknown field, a missing
 * one, or a wrong value, for which `codes` may name a code of its own.
 */
export function readFields<Fields>(
  value: RawBody,
  shape: z.ZodType<Fields>,
  codes: Readonly<Record<string, RefusalCode>> = {},
): { kind: 'fields'; fields: Fields } | Refused {
  const parsed = shape.safeParse(value);
  if (parsed.success) return { kind: 'fields', fields: parsed.data };
  const issue = parsed.error.issues[0];
  if (issue?.code === 'unrecognized_keys') {
    return refuse('unknown_field', { param: [...issue.path, issue.keys[0]].join('.').slice(0, 64) });
  }
  const param = (issue?.path ?? []).join('.');
  const found = (issue?.path ?? []).reduce<unknown>((inner, name) => Object(inner)[name], value);
  if (found === undefined) return refuse('missing_field', { param });
  return refuse(codes[String(issue?.path[0])] ?? 'invalid_field', { param });
}
