import { createRoute, type RouteConfig, z } from '@hono/zod-openapi';
import { errorBody } from '../../contract/error.ts';
import type { Scope } from '../key/scope.ts';
import { type RefusalCode, refusals } from '../refusal.ts';

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
  codes?: Readonly<Record<string, RefusalCode>>;
  /** Whether `Idempotency-Key` is honoured, and whether the description says that it is mandatory. */
  idempotency?: 'honoured' | 'mandatory';
  /** The answer holds a secret that is shown this once: kept bytes are encrypted. */
  secretAnswer?: true;
  success: { status: 200 | 201; description: string; schema: z.ZodType; example?: unknown };
  /** Refusals besides those that every operation of its kind has. */
  refuses?: readonly RefusalCode[];
};

export function operation<Params = Record<string, never>, Query = Record<string, never>, Body = unknown>(
  one: Operation<Params, Query, Body>,
): Operation<Params, Query, Body> {
  return one;
}

/** The `{id}` in an operation's path. */
export function idParam(description: string, example: string) {
  return z.object({ id: z.string().max(128).meta({ description, example }) });
}

const errorSchema = errorBody
  .required({ request_id: true })
  .extend({
    error: z.object({
      code: z.enum(Object.keys(refusals) as [RefusalCode, ...RefusalCode[]]),
      message: z.string().meta({ description: 'For the developer; its words may change.' }),
      param: z.string().optional().meta({ description: 'The field, parameter or header at fault.' }),
    }),
    request_id: z.string().meta({ description: 'Also in the header Request-Id; quote it to support.' }),
  })
  .meta({ id: 'Error' });

/** Every code with which an operation may be refused. */
export function refusalsOf(one: Operation<never, never, never>): RefusalCode[] {
  const codes: RefusalCode[] = [];
  if (one.access === 'merchant') {
    codes.push(
      'missing_api_key',
      'malformed_api_key',
      'invalid_api_key',
      'live_mode_off',
      'too_many_requests',
    );
  }
  if (one.access === 'admin') codes.push('invalid_admin_token');
  if (one.scope) codes.push('scope_required');
  if (one.body) {
    codes.push('unsupported_media_type', 'body_too_large', 'invalid_json', 'missing_field', 'unknown_field');
    codes.push('invalid_field');
  }
  if (one.query) codes.push('unknown_field', 'invalid_field');
  if (one.idempotency) {
    codes.push('invalid_idempotency_key', 'idempotency_key_reused', 'idempotency_in_progress');
  }
  if (one.idempotency === 'mandatory') codes.push('idempotency_key_required');
  codes.push(...Object.values(one.codes ?? {}), ...(one.refuses ?? []), 'unavailable', 'internal_error');
  return [...new Set(codes)];
}

const idempotencyHeader = (one: Operation<never, never, never>) =>
  z.object({
    'Idempotency-Key': z
      .string()
      .min(1)
      .max(255)
      .optional()
      .meta({
        description:
          one.idempotency === 'mandatory'
            ? 'Mandatory in offline mode. The same key and request get the first answer again, for 24 hours.'
            : 'The same key and request get the first answer again, for 24 hours.',
        example: 'order-7-try-1',
      }),
  });

const requestIdHeader = {
  'Request-Id': { description: 'Names this call.', schema: { type: 'string' as const } },
};

/** The operation as the OpenAPI registry takes it. */
export function describe(one: Operation<never, never, never>): RouteConfig {
  const responses: RouteConfig['responses'] = {
    [one.success.status]: {
      description: one.success.description,
      headers: {
        ...requestIdHeader,
        ...(one.idempotency
          ? {
              'Idempotent-Replayed': {
                description: '`true` where this is the first answer again.',
                schema: { type: 'string' as const, enum: ['true'] },
              },
            }
          : {}),
      },
      content: {
        'application/json': {
          schema: one.success.schema,
          ...(one.success.example === undefined ? {} : { example: one.success.example }),
        },
      },
    },
  };
  for (const [status, codes] of groupByStatus(refusalsOf(one))) {
    responses[status] = {
      description: codes.map((code) => `\`${code}\`: ${refusals[code].message}`).join('  \n'),
      headers: {
        ...requestIdHeader,
        ...([429, 503].includes(status) || codes.includes('idempotency_in_progress')
          ? {
              'Retry-After': {
                description: 'Seconds after which the same call may succeed.',
                schema: { type: 'integer' as const, minimum: 1 },
              },
            }
          : {}),
      },
      content: {
        'application/json': {
          schema: errorSchema,
          examples: Object.fromEntries(
            codes.map((code) => [
              code,
              { value: { error: { code, message: refusals[code].message }, request_id: 'req_01k5n8' } },
            ]),
          ),
        },
      },
    };
  }
  return createRoute({
    method: one.method,
    path: one.path,
    operationId: one.id,
    tags: [one.tag],
    summary: one.summary,
    ...(one.description === undefined ? {} : { description: one.description }),
    ...(one.access === 'open'
      ? { security: [] }
      : {
          security: [
            { [one.access === 'merchant' ? 'secretKey' : 'adminToken']: [...(one.scope ? [one.scope] : [])] },
          ],
        }),
    request: {
      ...(one.params ? { params: one.params as unknown as z.ZodObject } : {}),
      ...(one.query ? { query: one.query as unknown as z.ZodObject } : {}),
      ...(one.idempotency ? { headers: idempotencyHeader(one) } : {}),
      ...(one.body
        ? {
            body: {
              required: true,
              content: {
                'application/json': {
                  schema: one.body,
                  ...(one.examples
                    ? {
                        examples: Object.fromEntries(
                          Object.entries(one.examples).map(([name, value]) => [name, { value }]),
                        ),
                      }
                    : {}),
                },
              },
            },
          }
        : {}),
    },
    responses,
  });
}

function groupByStatus(codes: readonly RefusalCode[]): Map<number, RefusalCode[]> {
  const groups = new Map<number, RefusalCode[]>();
  for (const code of codes) {
    const { status } = refusals[code];
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return groups;
}
