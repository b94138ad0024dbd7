import type { z } from 'zod';
import { parseJson } from '../shared/json.ts';

/** The messages of faults that a schema does not describe itself, in the words of all others. */
const messages: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_value') return `expected one of ${issue.values.join(', ')}`;
  if (issue.code === 'invalid_type' && issue.expected === 'object') return 'expected a JSON object';
  if (issue.code === 'unrecognized_keys') return 'unknown parameter or field';
  return undefined;
};

/**
 * Validates one part of a request.
 *
 * @returns the value, or the first fault with the name of its parameter or field.
 */
export function parseRequest<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): { ok: true; value: z.infer<Schema> } | { ok: false; message: string } {
  const parsed = schema.safeParse(input, { error: messages });
  if (parsed.success) return { ok: true, value: parsed.data };
  const [issue] = parsed.error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const field = [...(issue?.path ?? []), ...unknown].join('.');
  return { ok: false, message: `${field ? `${field}: ` : ''}${issue?.message ?? 'invalid input'}` };
}

/** Returns the parameters of a query, each of which may be given once. */
export function parseQuery(
  schema: z.ZodType,
  queries: Readonly<Record<string, readonly string[]>>,
): ReturnType<typeof parseRequest<z.ZodType>> {
  const repeated = Object.keys(queries).find((name) => (queries[name]?.length ?? 0) > 1);
  if (repeated !== undefined) return { ok: false, message: `${repeated.slice(0, 64)}: expected once` };
  return parseRequest(
    schema,
    Object.fromEntries(Object.entries(queries).map(([name, [value]]) => [name, value])),
  );
}

/** Returns the value of a JSON body. An empty body is an empty object; `undefined` is no unambiguous JSON in UTF-8. */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return {};
  try {
    return parseJson(bytes).value;
  } catch {
    return undefined;
  }
}
