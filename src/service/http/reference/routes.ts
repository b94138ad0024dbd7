import { type OpenAPIHono, z } from '@hono/zod-openapi';
import { html, raw } from 'hono/html';
import { publicAccess } from '../../../shared/http/access.ts';
import { createLruMap } from '../../../shared/limits/lru-map.ts';
import { once } from '../../../shared/once.ts';
import { type Prepared, prepare, sendPrepared } from '../../../shared/pages/prepared.ts';
import { type Html, markdown } from '../../../shared/reference/markdown.ts';
import { referencePage, referencePolicy } from '../../../shared/reference/page.ts';
import { style } from '../../../shared/reference/style.ts';
import { apiError, apiErrors } from '../../api-error.ts';
import type { Env } from '../app.ts';
import { describeOperation } from '../describe-operation.ts';
import { type DeliverySettings, firstSteps, sampleAddress } from '../guide.ts';
import { describeApi } from '../openapi.ts';
import { operation } from '../operation.ts';
import { jsonResponse } from '../response.ts';
import type { Router } from '../router.ts';

/** Renders the page at the root: what this service is, the first steps, and where the reference is. */
function startPage(title: string): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${html`<style>${raw(style)}</style>`}
</head>
<body>
<div class="page">
<main>
<h1>${title}</h1>
<p>Collects mobile-money payments for merchants. <a href="/docs">API reference</a>, <a href="/openapi.json">openapi.json</a>.</p>
${markdown(firstSteps())}
</main>
</div>
</body>
</html>`;
}

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

const reference = { documentPath: '/openapi.json', address: '$SERVICE', errors: apiErrors };

/** An origin that is shown in a sample: the Host header is the reader's, and may contain anything. */
const plainOrigin = /^https?:\/\/[\w.:[\]-]{1,255}$/;

/**
 * Registers the health check, the OpenAPI document, and the pages at `/` and `/docs`. The document is generated at its
 * first request, when every operation is registered.
 */
export function referenceRoutes(
  app: OpenAPIHono<Env>,
  router: Router,
  deps: { delivery: DeliverySettings; isHealthy(): Promise<boolean> },
): void {
  const document = describeApi(app, router, deps.delivery);
  const openapiDocument = once(() => prepare('application/json', JSON.stringify(document())));

  router.open(health, async () => {
    return (await deps.isHealthy()) ? jsonResponse(200, { status: 'ok' }) : apiError('unavailable');
  });
  router.describe(() => {
    const described = describeOperation(openapi);
    return { ...described, responses: { ...described.responses, ...notModified } };
  });
  app.get(openapi.path, publicAccess(), (c) => sendPrepared(c, openapiDocument()));

  registerPage(app, router, {
    path: '/',
    id: 'getStart',
    summary: 'Get the first steps as a page',
    description: 'Shows the first steps with the address of this service, and the test numbers.',
    render: once(async () => String(await startPage(document().info.title))),
  });
  registerPage(app, router, {
    path: '/docs',
    id: 'getDocs',
    summary: 'Get the API reference as a page',
    description: 'Shows this document with first steps and curl commands.',
    render: once(async () => String(await referencePage(document(), reference))),
  });
}

type Page = { path: string; id: string; summary: string; description: string; render(): Promise<string> };

const notModified = { 304: { description: 'The client has the document of its `if-none-match`.' } };

/** Addresses for which a page is prepared: a service has few, and a caller can invent others. */
const maxOrigins = 8;

/** Registers a page. Its samples have the address under which the reader has reached the service. */
function registerPage(app: OpenAPIHono<Env>, router: Router, page: Page): void {
  const { path, id, summary, description } = page;
  router.describe(() => ({
    method: 'get',
    path,
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: [],
    responses: {
      ...notModified,
      200: {
        description: 'The page. It has no scripts and loads nothing.',
        content: { 'text/html': { schema: { type: 'string' } } },
      },
    },
  }));
  const prepared = createLruMap<Prepared>(maxOrigins);
  app.get(path, publicAccess(), async (c) => {
    const { origin } = new URL(c.req.url);
    const address = plainOrigin.test(origin) ? origin : sampleAddress;
    const known = prepared.get(address) ?? (await prepareFor(page, address));
    prepared.set(address, known);
    c.header('content-security-policy', referencePolicy);
    return sendPrepared(c, known);
  });
}

async function prepareFor({ render }: Page, address: string): Promise<Prepared> {
  return prepare('text/html; charset=utf-8', (await render()).replaceAll(sampleAddress, address));
}
