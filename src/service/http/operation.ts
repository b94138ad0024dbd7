import { z } from '@hono/zod-openapi';
import type { Scope } from '../../contract/admin.ts';
import type { ApiErrorCode } from '../api-error.ts';

/**
 * One operation of the API, written once: the routes are served from it and the OpenAPI document is made of it.
 *
 * `merchant` operations need a secret key, `admin` ones the admin token, `open` ones nothing.
 */
export type Operation<Params, Query, Body> = {
  method: 'get' | 'post' | 'put' | 'delete';
  /** With `{name}` where a parameter stands. */
  path: string;
  /** Unique; names the operation in the document and in the audit of the back office. */
  id: string;
  tag: string;
  summary: string;
  description?: string;
  access: 'merchant' | 'admin' | 'open';
  /** The scope without which a merchant's key is refused. */
  scope?: Scope;
  params?: z.ZodType<Params>;
  query?: z.ZodType<Query>;
  body?: z.ZodType<Body>;
  /** An example of the body, or several by name. */
  examples?: Readonly<Record<string, unknown>>;
  /** Codes for wrong values, by field; `invalid_field` for those not named. */
  fieldErrors?: Readonly<Record<string, ApiErrorCode>>;
  /** Whether `Idempotency-Key` is honoured, and whether the description says that it is mandatory. */
  idempotency?: 'honoured' | 'mandatory';
  /** The answer holds a secret that is shown this once: kept bytes are encrypted. */
  secretResponse?: true;
  success: { status: 200 | 201; description: string; schema: z.ZodType; example?: unknown };
  /** What the audit names after the identifiers in the path; the answer's `id` when left out. */
  auditSubject?(body: Body, answered: Readonly<Record<string, unknown>>): readonly unknown[];
  /** Refusals besides those that every operation of its kind has. */
  errors?: readonly ApiErrorCode[];
};

export function operation<Params = Record<string, never>, Query = Record<string, never>, Body = unknown>(
  one: Operation<Params, Query, Body>,
): Operation<Params, Query, Body> {
  return one;
}

/** The body of an operation that asks for nothing. */
export const noFields = z.strictObject({}).meta({ id: 'Nothing' });

/** The `{id}` in an operation's path. */
export function idParam(description: string, example: string) {
  return z.object({ id: z.string().max(128).meta({ description, example }) });
}
