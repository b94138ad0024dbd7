import { createHash } from 'node:crypto';
import { type OpenAPIHono, z } from '@hono/zod-openapi';
import { apiError } from '../../api-error.ts';
import type { Env } from '../app.ts';
import type { DeliverySettings } from '../guide.ts';
import { describeApi } from '../openapi.ts';
import { operation } from '../operation.ts';
import { jsonResponse, toResponse } from '../response.ts';
import type { Router } from '../router.ts';
import { referencePage } from './page.ts';
import { style } from './style.ts';

const tag = 'Service';

const health = operation({
  method: 'get',
  path: '/healthz',
  id: 'getHealth',
  tag,
  summary: 'Ask whether the service is well',
  description: 'Answers 200 while the service can work with its database.',
  access: 'open',
  success: {
    status: 200,
    description: 'It is.',
    schema: z.object({ status: z.literal('ok') }).meta({ id: 'Health' }),
  },
});

const openapi = operation({
  method: 'get',
  path: '/openapi.json',
  id: 'getOpenapi',
  tag,
  summary: 'Get this API as an OpenAPI 3.1 document',
  access: 'open',
  success: {
    status: 200,
    description: 'The document.',
    schema: z.looseObject({ openapi: z.string() }).meta({ id: 'OpenapiDocument' }),
    example: { openapi: '3.1.0' },
  },
});

/** The page's own style sheet is all that it may load. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * What the service says about itself: its health, its OpenAPI document, and a page for people at `/docs`. The document
 * is made at the first call that wants it, when every operation has been mounted.
 */
export function referenceRoutes(
  app: OpenAPIHono<Env>,
  router: Router,
  deps: { delivering: DeliverySettings; isWell(): Promise<boolean> },
): void {
  const document = describeApi(app, deps.delivering);
  const documentText = once(() => JSON.stringify(document()));
  const page = once(async () => String(await referencePage(document())));

  router.open(health, async () => {
    return (await deps.isWell()) ? jsonResponse(200, { status: 'ok' }) : apiError('unavailable');
  });
  router.open(openapi, async () => ({ kind: 'response', status: 200, body: documentText() }));

  app.openAPIRegistry.registerPath({
    method: 'get',
    path: '/docs',
    operationId: 'getDocs',
    tags: [tag],
    summary: 'Read this API as a page',
    security: [],
    responses: {
      200: {
        description: 'The page. It has no script and loads nothing.',
        content: { 'text/html': { schema: { type: 'string' } } },
      },
    },
  });
  app.get('/docs', async () =>
    toResponse(
      { kind: 'response', status: 200, body: await page() },
      {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy,
      },
    ),
  );
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
