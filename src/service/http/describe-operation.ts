import { z } from 'zod';
import type { ApiErrorCode } from '../../contract/service/api-errors.ts';
import type { ServiceOperation } from '../../contract/service/operation.ts';
import { idempotencyKeyPattern } from '../../kit/idempotency.ts';
import type { DocumentedRoute } from '../../kit/openapi/document.ts';

type AnyOperation = ServiceOperation<unknown, unknown, unknown>;

/** All error codes that an operation can return. */
function listErrorCodes(operation: AnyOperation): ApiErrorCode[] {
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

/** True when the schema rejects an empty object. */
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
      .regex(idempotencyKeyPattern)
      .optional()
      .meta({
        description: idempotency === 'mandatory' ? `Mandatory in offline mode. ${description}` : description,
        example: 'order-7-try-1',
      }),
  });
}

/** Returns the operation as the OpenAPI document describes it. */
export function describeOperation(operation: AnyOperation): DocumentedRoute<ApiErrorCode> {
  const { access, scope, idempotency } = operation;
  const scheme = access === 'merchant' ? 'secretKey' : 'adminToken';
  return {
    ...operation,
    ...(access === 'open' ? {} : { security: { [scheme]: scope ? [scope] : [] } }),
    headers: idempotency && idempotencyHeader(operation),
    errors: listErrorCodes(operation),
    mayBeReplayed: idempotency !== undefined,
  };
}
