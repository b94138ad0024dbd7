import { createRoute, type RouteConfig, z } from '@hono/zod-openapi';
import { errorBody } from '../../contract/error.ts';
import { type ApiErrorCode, apiErrors } from '../api-error.ts';
import type { Operation } from './operation.ts';

type AnyOperation = Operation<unknown, unknown, unknown>;

const errorCode = z
  .enum(Object.keys(apiErrors) as [ApiErrorCode, ...ApiErrorCode[]])
  .meta({ id: 'ErrorCode' });

const errorSchema = errorBody
  .required({ request_id: true })
  .extend({
    error: errorBody.shape.error.extend({ code: errorCode }),
  })
  .meta({ id: 'Error' });

/** All error codes that an operation can return. */
function errorCodesOf(operation: AnyOperation): ApiErrorCode[] {
  const codes: ApiErrorCode[] = [];
  if (operation.access === 'merchant') {
    codes.push(
      'missing_api_key',
      'malformed_api_key',
      'invalid_api_key',
      'live_mode_off',
      'too_many_requests',
    );
  }
  if (operation.access === 'admin') codes.push('invalid_admin_token', 'too_many_guesses');
  if (operation.scope) codes.push('scope_required');
  // The body is limited before every operation, also before operations that read none.
  if (operation.method !== 'get') codes.push('body_too_large');
  if (operation.body) {
    codes.push('unsupported_media_type', 'invalid_json', 'unknown_field');
    if (hasFields(operation.body)) codes.push('missing_field', 'invalid_field');
  }
  if (operation.query) codes.push('unknown_field', 'invalid_field');
  if (hasRequiredFields(operation.query)) codes.push('missing_field');
  if (operation.idempotency) {
    codes.push('invalid_idempotency_key', 'idempotency_key_reused', 'idempotency_in_progress');
  }
  if (operation.idempotency === 'mandatory') codes.push('idempotency_key_required');
  codes.push(...Object.values(operation.fieldErrors ?? {}), ...(operation.errors ?? []));
  codes.push('unavailable', 'internal_error');
  return [...new Set(codes)];
}

/** Whether the schema rejects an empty object. */
function hasRequiredFields(schema: z.ZodType | undefined): boolean {
  return schema !== undefined && !schema.safeParse({}).success;
}

function hasFields(schema: z.ZodType): boolean {
  return !(schema instanceof z.ZodObject) || Object.keys(schema.shape).length > 0;
}

function idempotencyHeader({ idempotency }: AnyOperation) {
  const description = 'A repeated request with the same key returns the first response, for 24 hours.';
  return z.object({
    'Idempotency-Key': z
      .string()
      .regex(/^[\x20-\x7e]{1,255}$/)
      .optional()
      .meta({
        description: idempotency === 'mandatory' ? `Mandatory in offline mode. ${description}` : description,
        example: 'order-7-try-1',
      }),
  });
}

/** Errors whose responses may have a `Retry-After` header. */
const retryableErrors: ReadonlySet<ApiErrorCode> = new Set([
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

/** Headers of responses, by the name under which operations refer to them. */
export const responseHeaders: Readonly<Record<HeaderName, Header>> = {
  'Request-Id': { description: 'Identifies this request.', schema: { type: 'string' } },
  'Idempotent-Replayed': {
    description: '`true` if this is the saved response of an earlier request.',
    schema: { type: 'string', enum: ['true'] },
  },
  'WWW-Authenticate': {
    description: 'The authentication scheme.',
    schema: { type: 'string', enum: ['Bearer'] },
  },
  'Retry-After': {
    description: 'Seconds after which the same request may succeed.',
    schema: { type: 'integer', minimum: 1 },
  },
};

function headerReferences(names: readonly (HeaderName | false)[]) {
  return Object.fromEntries(
    names.filter((name) => name !== false).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

/** Returns the operation in the form of the OpenAPI registry. */
export function describeOperation(operation: AnyOperation): RouteConfig {
  return createRoute({
    method: operation.method,
    path: operation.path,
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    security: securityOf(operation),
    request: {
      ...(operation.params ? { params: operation.params } : {}),
      ...(operation.query ? { query: operation.query } : {}),
      ...(operation.idempotency ? { headers: idempotencyHeader(operation) } : {}),
      ...(operation.body ? { body: bodyOf(operation.body, operation.examples) } : {}),
    },
    responses: { [operation.success.status]: successOf(operation), ...errorsOf(operation) },
  });
}

function securityOf({ access, scope }: AnyOperation): Record<string, string[]>[] {
  if (access === 'open') return [];
  return [{ [access === 'merchant' ? 'secretKey' : 'adminToken']: scope ? [scope] : [] }];
}

function bodyOf(schema: z.ZodType, examples: AnyOperation['examples']) {
  const named = Object.entries(examples ?? {}).map(([name, value]) => [name, { value }]);
  return {
    required: hasRequiredFields(schema),
    content: {
      'application/json': { schema, ...(examples ? { examples: Object.fromEntries(named) } : {}) },
    },
  };
}

function successOf({ success, idempotency }: AnyOperation) {
  const { description, schema, example } = success;
  return {
    description,
    headers: headerReferences(['Request-Id', idempotency !== undefined && 'Idempotent-Replayed']),
    content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } },
  };
}

/** The error responses of an operation, by HTTP status. */
function errorsOf(operation: AnyOperation): RouteConfig['responses'] {
  const responses: RouteConfig['responses'] = {};
  for (const [status, codes] of groupByStatus(errorCodesOf(operation))) {
    responses[status] = {
      description: codes.map((code) => `\`${code}\`: ${apiErrors[code].message}`).join('  \n'),
      headers: headerReferences([
        'Request-Id',
        operation.idempotency !== undefined && 'Idempotent-Replayed',
        status === 401 && 'WWW-Authenticate',
        codes.some((code) => retryableErrors.has(code)) && 'Retry-After',
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
  return responses;
}

function groupByStatus(codes: readonly ApiErrorCode[]): Map<number, ApiErrorCode[]> {
  const groups = new Map<number, ApiErrorCode[]>();
  for (const code of codes) {
    const { status } = apiErrors[code];
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return groups;
}
