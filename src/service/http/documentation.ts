import type { Hono } from 'hono';
import { z } from 'zod';
import { type ApiErrorCode, apiErrors } from '../../contract/service/api-errors.ts';
import type { ServiceOperation } from '../../contract/service/operation.ts';
import { serviceOperations } from '../../contract/service/service-operations.ts';
import { idempotencyKeyPattern } from '../../kit/idempotency.ts';
import type { DocumentedRoute } from '../../kit/openapi/document.ts';
import { guidePage, guidePolicy } from '../../kit/openapi/page.ts';
import { publicAccess } from '../../shared/http/access.ts';
import { createLruMap } from '../../shared/limits/per-key.ts';
import { once } from '../../shared/once.ts';
import { type Prepared, prepare, sendPrepared } from '../../shared/pages/assets.ts';
import type { Env } from './app.ts';
import { type DeliverySettings, sampleAddress } from './guide.ts';
import { describeApi } from './openapi.ts';
import { apiError, jsonResponse } from './response.ts';
import type { Router } from './router.ts';

/** An origin that is shown in a sample: the Host header is the reader's, and may contain anything. */
const plainOrigin = /^https?:\/\/[\w.:[\]-]{1,255}$/;

/** Addresses for which the page is prepared: a service has few, and a caller can invent others. */
const maxOrigins = 8;

/** Registers the health check, the OpenAPI document and its guide. It is generated at its first request, when all operations exist. */
export function documentationRoutes(
  app: Hono<Env>,
  router: Router,
  deps: { delivery: DeliverySettings; isHealthy(): Promise<boolean> },
): void {
  const document = once(() =>
    describeApi(
      [...Object.values(serviceOperations).map(describeOperation), ...pages.map(describePage)],
      deps.delivery,
    ),
  );
  const openapiDocument = once(() => prepare('application/json', JSON.stringify(document())));
  const guide = once(async () =>
    String(await guidePage(document(), serviceOperations.getOpenapi.path, apiErrors)),
  );
  const prepared = createLruMap<Prepared>(maxOrigins);

  router.open(serviceOperations.getHealth, async () => {
    return (await deps.isHealthy()) ? jsonResponse(200, { status: 'ok' }) : apiError('unavailable');
  });
  app.get(serviceOperations.getOpenapi.path, publicAccess(), (c) => sendPrepared(c, openapiDocument()));

  for (const { path } of pages) {
    app.get(path, publicAccess(), async (c) => {
      const { origin } = new URL(c.req.url);
      const address = plainOrigin.test(origin) ? origin : sampleAddress;
      const page = prepared.get(address) ?? preparePage(await guide(), address);
      prepared.set(address, page);
      c.header('content-security-policy', guidePolicy);
      return sendPrepared(c, page);
    });
  }
}

const pages = [
  { path: '/', id: 'getStart' },
  { path: '/docs', id: 'getDocs' },
];

function describePage(page: (typeof pages)[number]): DocumentedRoute<ApiErrorCode> {
  const { tag, others = {} } = serviceOperations.getOpenapi;
  return {
    ...page,
    ...{ method: 'get', tag, others, errors: [] },
    summary: 'Get the guide of this API as a page',
    description:
      'Shows the first steps with the address of this service, the test numbers and the operations.',
    success: {
      status: 200,
      type: 'text/html',
      description: 'The page. It has no scripts and loads nothing.',
      schema: z.string(),
    },
  };
}

/** The samples of the guide have the address under which the reader has reached the service. */
function preparePage(guide: string, address: string): Prepared {
  return prepare('text/html; charset=utf-8', guide.replaceAll(sampleAddress, address));
}

type AnyOperation = ServiceOperation<unknown, unknown, unknown>;

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

function describeOperation(operation: AnyOperation): DocumentedRoute<ApiErrorCode> {
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
