import { z } from 'zod';
import { type Refused, refuse } from '../refusal.ts';

export type JsonBody = {
  kind: 'json';
  /** As they arrived. */
  bytes: Uint8Array;
  value: Readonly<Record<string, unknown>>;
};

const jsonObject = z.record(z.string(), z.unknown());

/** Reads a request's JSON object. No body at all is read as an empty object. */
export async function readJson(request: Request): Promise<JsonBody | Refused> {
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (bytes.length === 0) return { kind: 'json', bytes, value: {} };
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) return refuse('unsupported_media_type');
  try {
    const parsed = jsonObject.safeParse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
    return parsed.success ? { kind: 'json', bytes, value: parsed.data } : refuse('invalid_json');
  } catch {
    return refuse('invalid_json');
  }
}

/** Reads a body of a known shape; the first field that does not fit is named. */
export async function readFields<Fields>(
  request: Request,
  shape: z.ZodType<Fields>,
): Promise<{ kind: 'fields'; fields: Fields } | Refused> {
  const body = await readJson(request);
  if (body.kind === 'refused') return body;
  const parsed = shape.safeParse(body.value);
  if (parsed.success) return { kind: 'fields', fields: parsed.data };
  return refuseIssue(body.value, parsed.error);
}

/** The refusal for the first thing wrong with a body: an unknown field, a missing one, or a wrong value. */
export function refuseIssue(
  value: Readonly<Record<string, unknown>>,
  error: z.ZodError,
  codeOf: (field: string) => Refused['code'] = () => 'invalid_field',
): Refused {
  const issue = error.issues[0];
  if (issue?.code === 'unrecognized_keys') {
    return refuse('unknown_field', { param: String(issue.keys[0]).slice(0, 64) });
  }
  const param = String(issue?.path[0]);
  return value[param] === undefined ? refuse('missing_field', { param }) : refuse(codeOf(param), { param });
}
