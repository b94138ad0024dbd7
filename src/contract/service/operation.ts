import { z } from 'zod';
import type { KeyScope } from './admin.ts';
import type { ApiErrorCode } from './api-errors.ts';

/**
 * One operation of the API. The service serves it, the OpenAPI document describes it, and a command sends it, from this value.
 *
 * `merchant` operations need a secret key, `admin` operations the admin token, `open` operations nothing.
 */
export type ServiceOperation<Params, Query, Body, Answer extends z.ZodType = z.ZodType> = {
  method: 'get' | 'post' | 'put' | 'delete';
  /** The path, with `{name}` for each parameter. */
  path: string;
  /** Unique. Names the operation in the OpenAPI document and in audit rows. */
  id: string;
  tag: string;
  summary: string;
  description?: string;
  access: 'merchant' | 'admin' | 'open';
  /** The scope that a merchant's key must have. */
  scope?: KeyScope;
  params?: z.ZodType<Params> & z.ZodObject;
  query?: z.ZodType<Query> & z.ZodObject;
  body?: z.ZodType<Body>;
  /** Examples of the body, by name. */
  examples?: Readonly<Record<string, unknown>>;
  /** The error codes of invalid values, by field. Default: `invalid_field`. */
  fieldErrors?: Readonly<Record<string, ApiErrorCode>>;
  /** The header `Idempotency-Key`: honoured or not, and documented as mandatory or not. */
  idempotency?: 'honoured' | 'mandatory';
  /** The response contains a secret that is shown only once: the saved response is encrypted. */
  secretResponse?: true;
  success: Success<Answer> & { status: 200 | 201 };
  /** Descriptions of further answers without a body, by status. */
  others?: Readonly<Record<string, string>>;
  /** The parts of the audit subject after the identifiers in the path. Default: the `id` of the response. */
  auditSubject?(body: Body, response: Readonly<Record<string, unknown>>): readonly unknown[];
  /** Error codes besides those that every operation of its kind has. */
  errors?: readonly ApiErrorCode[];
};

/** The answer to a call that was carried out. `type`: the media type of a body that is no JSON. */
type Success<Answer> = { description: string; schema: Answer; type?: string; example?: unknown };

type Method = ServiceOperation<unknown, unknown, unknown>['method'];
type Definition<Params, Query, Body, Answer extends z.ZodType> = Omit<
  ServiceOperation<Params, Query, Body, Answer>,
  'id' | 'method' | 'path' | 'access' | 'tag' | 'success'
> & { success: Success<Answer> & { status?: 201 } };

/**
 * Describes an operation. Its path decides who may send it, and the table names it. A `post` of a merchant or of the admin API honours an
 * `Idempotency-Key`, and the status of its success is 200, unless the definition states another one.
 */
export function operation<
  Params = Record<string, never>,
  Query = Record<string, never>,
  Body = unknown,
  Answer extends z.ZodType = z.ZodType,
>(
  at: `${Method} /${string}`,
  tag: string,
  { success, ...definition }: Definition<Params, Query, Body, Answer>,
): Omit<ServiceOperation<Params, Query, Body, Answer>, 'id'> {
  const [method, path] = at.split(' ') as [Method, string];
  const access = path.startsWith('/v1') ? 'merchant' : path.startsWith('/backoffice') ? 'admin' : 'open';
  return {
    ...{ method, path, tag, access },
    ...(method === 'post' && access !== 'open' && { idempotency: 'honoured' }),
    ...definition,
    success: { status: 200, ...success },
  };
}

/** The schema of a body without fields. */
export const noFields = z.strictObject({}).meta({ id: 'EmptyBody' });

/** Returns the schema of the `{id}` in a path. */
export function idParam(description: string, example: string) {
  return z.object({ id: z.string().max(128).meta({ description, example }) });
}

export const merchantParam = idParam('The merchant.', 'mch_01k5n8c0');

export const platformIdField = z
  .string()
  .max(128)
  .optional()
  .meta({ description: "Default: the merchant's first platform." });

/** Returns the schema of a cursor with this form. */
export function cursorField(form: RegExp) {
  return z.string().regex(form).optional().meta({ description: 'The `next_cursor` of the previous page.' });
}
