import type { Hono } from 'hono';
import { z } from 'zod';
import { type ApiErrorCode, apiErrors } from '../../contract/service/api-errors.ts';
import { operation } from '../../contract/service/operation.ts';
import type { DocumentedRoute } from '../../kit/openapi/document.ts';
import { guidePage, guidePolicy } from '../../kit/openapi/page.ts';
import { publicAccess } from '../../shared/http/access.ts';
import { createLruMap } from '../../shared/limits/per-key.ts';
import { once } from '../../shared/once.ts';
import { type Prepared, prepare, sendPrepared } from '../../shared/pages/assets.ts';
import { apiError } from '../api-error.ts';
import type { Env } from './app.ts';
import { describeOperation } from './describe-operation.ts';
import { type DeliverySettings, sampleAddress } from './guide.ts';
import { describeApi } from './openapi.ts';
import { jsonResponse } from './response.ts';
import type { Router } from './router.ts';

const tag = 'Service';

const health = operation({
  method: 'get',
  path: '/healthz',
  id: 'getHealth',
  tag,
  summary: 'Check the health of the service',
  description: 'Returns 200 if the service can use its database.',
  access: 'open',
  success: {
    status: 200,
    description: 'The service is healthy.',
    schema: z.object({ status: z.literal('ok') }).meta({ id: 'Health' }),
  },
});

const openapi = operation({
  method: 'get',
  path: '/openapi.json',
  id: 'getOpenapi',
  tag,
  summary: 'Get the OpenAPI 3.1 document of this API',
  description: 'Describes every operation, error and event of this service.',
  access: 'open',
  success: {
    status: 200,
    description: 'The document.',
    schema: z.looseObject({ openapi: z.string() }).meta({ id: 'OpenapiDocument' }),
    example: { openapi: '3.1.0' },
  },
});

const notModified = { 304: 'The client has the document of its `if-none-match`.' };

/** An origin that is shown in a sample: the Host header is the reader's, and may contain anything. */
const plainOrigin = /^https?:\/\/[\w.:[\]-]{1,255}$/;

/** Addresses for which the page is prepared: a service has few, and a caller can invent others. */
const maxOrigins = 8;

/**
 * Registers the health check, the OpenAPI document, and its guide at `/` and `/docs`. The document is generated at its
 * first request, when every operation is registered.
 */
export function documentationRoutes(
  app: Hono<Env>,
  router: Router,
  deps: { delivery: DeliverySettings; isHealthy(): Promise<boolean> },
): void {
  const document = once(() => describeApi(router.descriptions(), deps.delivery));
  const openapiDocument = once(() => prepare('application/json', JSON.stringify(document())));
  const guide = once(async () => String(await guidePage(document(), openapi.path, apiErrors)));
  const pages = createLruMap<Prepared>(maxOrigins);

  router.open(health, async () => {
    return (await deps.isHealthy()) ? jsonResponse(200, { status: 'ok' }) : apiError('unavailable');
  });
  router.describe(() => ({ ...describeOperation(openapi), others: notModified }));
  app.get(openapi.path, publicAccess(), (c) => sendPrepared(c, openapiDocument()));

  for (const [path, id] of [
    ['/', 'getStart'],
    ['/docs', 'getDocs'],
  ] as const) {
    router.describe(() => describePage(path, id));
    app.get(path, publicAccess(), async (c) => {
      const { origin } = new URL(c.req.url);
      const address = plainOrigin.test(origin) ? origin : sampleAddress;
      const page = pages.get(address) ?? preparePage(await guide(), address);
      pages.set(address, page);
      c.header('content-security-policy', guidePolicy);
      return sendPrepared(c, page);
    });
  }
}

function describePage(path: string, id: string): DocumentedRoute<ApiErrorCode> {
  return {
    ...{ method: 'get', path, id, tag, others: notModified, errors: [] },
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
