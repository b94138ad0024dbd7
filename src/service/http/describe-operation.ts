import { createRoute, type RouteConfig, z } from '@hono/zod-openapi';
import { errorBody } from '../../contract/error.ts';
import { type ApiErrorCode, apiErrors } from '../api-error.ts';
import type { Operation } from './operation.ts';

const errorSchema = errorBody
  .required({ request_id: true })
  .extend({
    error: z.object({
      code: z.enum(Object.keys(apiErrors) as [ApiErrorCode, ...ApiErrorCode[]]),
      message: z.string().meta({ description: 'For the developer; its words may change.' }),
      param: z.string().optional().meta({ description: 'The field, parameter or header at fault.' }),
    }),
    request_id: z.string().meta({ description: 'Also in the header Request-Id; quote it to support.' }),
  })
  .meta({ id: 'Error' });

/** Every code with which an operation may be refused. */
function refusalsOf(one: Operation<never, never, never>): ApiErrorCode[] {
  const codes: ApiErrorCode[] = [];
  if (one.access === 'merchant') {
    codes.push(
      'missing_api_key',
      'malformed_api_key',
      'invalid_api_key',
      'live_mode_off',
      'too_many_requests',
    );
  }
  if (one.access === 'admin') codes.push('invalid_admin_token', 'too_many_guesses');
  if (one.scope) codes.push('scope_required');
  // The bound on bodies stands before every operation, also before those that read none.
  if (one.method !== 'get') codes.push('body_too_large');
  if (one.body) {
    codes.push('unsupported_media_type', 'invalid_json', 'unknown_field');
    if (hasFields(one.body)) codes.push('missing_field', 'invalid_field');
  }
  if (one.query) codes.push('unknown_field', 'invalid_field');
  if (needsSome(one.query)) codes.push('missing_field');
  if (one.idempotency) {
    codes.push('invalid_idempotency_key', 'idempotency_key_reused', 'idempotency_in_progress');
  }
  if (one.idempotency === 'mandatory') codes.push('idempotency_key_required');
  codes.push(...Object.values(one.fieldErrors ?? {}), ...(one.errors ?? []), 'unavailable', 'internal_error');
  return [...new Set(codes)];
}

/** Whether an empty object is refused. */
function needsSome(shape: z.ZodType | undefined): boolean {
  return shape !== undefined && !shape.safeParse({}).success;
}

function hasFields(shape: z.ZodType): boolean {
  return !(shape instanceof z.ZodObject) || Object.keys(shape.shape).length > 0;
}

const idempotencyHeader = (one: Operation<never, never, never>) =>
  z.object({
    'Idempotency-Key': z
      .string()
      .regex(/^[\x20-\x7e]{1,255}$/)
      .optional()
      .meta({
        description:
          one.idempotency === 'mandatory'
            ? 'Mandatory in offline mode. The same key and request get the first answer again, for 24 hours.'
            : 'The same key and request get the first answer again, for 24 hours.',
        example: 'order-7-try-1',
      }),
  });

/** Refusals that may say when to come again. */
const comesAgain: ReadonlySet<ApiErrorCode> = new Set([
  'too_many_requests',
  'too_many_prompts',
  'too_many_otps',
  'too_many_guesses',
  'idempotency_in_progress',
  'sms_unavailable',
  'rail_not_attached',
  'unavailable',
]);

type HeaderName = 'Request-Id' | 'Idempotent-Replayed' | 'WWW-Authenticate' | 'Retry-After';

type Header = {
  description: string;
  schema: { type: 'string' | 'integer'; enum?: string[]; minimum?: number };
};

/** Headers of answers, by the names under which operations refer to them. */
export const responseHeaders: Readonly<Record<HeaderName, Header>> = {
  'Request-Id': { description: 'Names this call.', schema: { type: 'string' } },
  'Idempotent-Replayed': {
    description: '`true` where this is the first answer again.',
    schema: { type: 'string', enum: ['true'] },
  },
  'WWW-Authenticate': { description: 'How to show who calls.', schema: { type: 'string', enum: ['Bearer'] } },
  'Retry-After': {
    description: 'Seconds after which the same call may succeed.',
    schema: { type: 'integer', minimum: 1 },
  },
};

function headersOf(names: readonly (HeaderName | false)[]) {
  return Object.fromEntries(
    names.filter((name) => name !== false).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

/** The operation as the OpenAPI registry takes it. */
export function describe(one: Operation<never, never, never>): RouteConfig {
  const responses: RouteConfig['responses'] = {
    [one.success.status]: {
      description: one.success.description,
      headers: headersOf(['Request-Id', one.idempotency !== undefined && 'Idempotent-Replayed']),
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
      description: codes.map((code) => `\`${code}\`: ${apiErrors[code].message}`).join('  \n'),
      headers: headersOf([
        'Request-Id',
        one.idempotency !== undefined && 'Idempotent-Replayed',
        status === 401 && 'WWW-Authenticate',
        codes.some((code) => comesAgain.has(code)) && 'Retry-After',
      ]),
      content: {
        'application/json': {
          schema: errorSchema,
          examples: Object.fromEntries(
            codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
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
              required: needsSome(one.body),
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

function groupByStatus(codes: readonly ApiErrorCode[]): Map<number, ApiErrorCode[]> {
  const groups = new Map<number, ApiErrorCode[]>();
  for (const code of codes) {
    const { status } = apiErrors[code];
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return groups;
}
