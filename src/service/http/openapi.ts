import { type OpenAPIHono, z } from '@hono/zod-openapi';
import {
  eventIdHeader,
  eventTypes,
  failedEvent,
  paidEvent,
  refundEvent,
  reviewEvent,
} from '../../contract/event.ts';
import { exampleOf, type Schema } from '../../shared/reference/example.ts';
import { apiErrors } from '../api-error.ts';
import type { Env } from './app.ts';
import { responseHeaders } from './describe-operation.ts';
import { componentValues, fieldValues, withWholeIds } from './example-values.ts';
import { type DeliverySettings, guide, headerTitle } from './guide.ts';
import type { Router } from './router.ts';

/** The OpenAPI 3.1 document. */
export type ApiDocument = ReturnType<OpenAPIHono['getOpenAPI31Document']>;

/** Descriptions of all tags, in reading order. */
const tags: Readonly<Record<string, string>> = {
  'One-time codes': 'A code by SMS proves that the payer holds the number. Optional, for web sessions.',
  Sessions: 'A payment from its creation to its final status.',
  Events: 'The webhook events, for reading again.',
  'Simulated phone': "The payer's side of test sessions: prompts and SMS. No key is needed.",
  Merchants: 'Admin API: merchants and their approval for offline collections.',
  Platforms: "Admin API: a merchant's sites, apps and tills, each with its own keys and webhook URLs.",
  Keys: 'Admin API: secret keys. Each key is shown only once.',
  Fees: 'Admin API: the fee schedules of the channels, and those of one merchant.',
  Senders: 'Admin API: the names under which a merchant may send OTPs.',
  Webhooks: 'Admin API: webhook URLs, signing secrets, and deliveries with their attempts.',
  Reviews: 'Admin API: money that arrived and does not fit its session.',
  'Back office sessions': 'Admin API: the sessions of all merchants.',
  Audit: 'Admin API: the actions, with their time.',
  Sandbox: 'Admin API: the test clock of a sandbox.',
  Service: 'Health and documentation.',
};

type EventName = keyof typeof eventTypes;

const events: Readonly<Record<EventName, { id: string; summary: string; schema: z.ZodType }>> = {
  paid: { id: 'onSessionPaid', summary: 'A session is paid', schema: paidEvent },
  failed: { id: 'onSessionFailed', summary: 'A session failed or expired', schema: failedEvent },
  reviewAmountMismatch: {
    id: 'onReviewAmountMismatch',
    summary: 'Money arrived that does not fit its session',
    schema: reviewEvent,
  },
  refundSettled: {
    id: 'onRefundSettled',
    summary: 'The money of a rejected review was returned',
    schema: refundEvent,
  },
};

/**
 * Describes the routes of the router.
 *
 * @returns a function that returns the document, generated at its first call.
 */
export function describeApi(
  app: OpenAPIHono<Env>,
  router: Pick<Router, 'descriptions'>,
  delivery: DeliverySettings,
): () => ApiDocument {
  let document: ApiDocument | undefined;
  return () => {
    document ??= generate(app, router, delivery);
    return document;
  };
}

function generate(
  app: OpenAPIHono<Env>,
  router: Pick<Router, 'descriptions'>,
  delivery: DeliverySettings,
): ApiDocument {
  registerSecurity(app);
  registerResponseParts(app);
  for (const name of Object.keys(events) as EventName[]) registerEvent(app, name, delivery);
  for (const route of router.descriptions()) app.openAPIRegistry.registerPath(route);
  return complete(
    app.getOpenAPI31Document({
      openapi: '3.1.0',
      info: {
        title: 'Payment Collection Service',
        version: '1',
        description: guide(delivery),
        contact: { name: 'dialtill', url: 'https://github.com/dialtill/dialtill' },
        license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      },
      servers: [{ url: '/' }],
    }),
  );
}

function registerSecurity(app: OpenAPIHono<Env>): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'secretKey', {
    type: 'http',
    scheme: 'bearer',
    description: "A merchant's secret key: `sk_test_…` or `sk_live_…`.",
  });
  app.openAPIRegistry.registerComponent('securitySchemes', 'adminToken', {
    type: 'http',
    scheme: 'bearer',
    description: 'The admin token.',
  });
}

/** Registers what operations refer to: the headers of responses, and an example for each error code. */
function registerResponseParts(app: OpenAPIHono<Env>): void {
  for (const [name, header] of Object.entries(responseHeaders)) {
    app.openAPIRegistry.registerComponent('headers', name, header);
  }
  for (const [code, { message }] of Object.entries(apiErrors)) {
    // No operation returns it: a method that is not allowed is not in the document.
    if (code === 'method_not_allowed') continue;
    app.openAPIRegistry.registerComponent('examples', code, {
      value: { error: { code, message }, request_id: 'req_01k5n8' },
    });
  }
}

function registerEvent(app: OpenAPIHono<Env>, name: EventName, { headerName }: DeliverySettings): void {
  const { id, summary, schema } = events[name];
  app.openAPIRegistry.registerWebhook({
    method: 'post',
    path: eventTypes[name],
    operationId: id,
    summary,
    security: [],
    request: {
      headers: z.object({
        [headerTitle(headerName)]: z.string().meta({
          description: '`t=<unix seconds>,v1=<hex>`, with one `v1` for each valid secret.',
          example: 't=1772787607,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
        }),
        [headerTitle(eventIdHeader)]: z.string().meta({
          description: 'The `id` of the body, which is the same for every attempt.',
          example: 'evt_01k5n8c0',
        }),
      }),
      body: { required: true, content: { 'application/json': { schema } } },
    },
    responses: {
      '2XX': {
        description: 'The event is delivered. The body of the response is ignored.',
        content: {
          'application/json': { schema: { type: 'object' }, example: { received: true } },
        },
      },
      default: {
        description: 'Any other response, including a redirect, is a failure. The event is sent again.',
      },
    },
  });
}

/** Adds what the generator leaves out: plain regular expressions, examples, and the ordered tags. */
function complete(generated: ApiDocument): ApiDocument {
  const document: ApiDocument = JSON.parse(withWholeIds(JSON.stringify(generated)), plainPattern);
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  const usedTags = new Set<string>();
  for (const item of [...Object.values(document.paths ?? {}), ...Object.values(document.webhooks ?? {})]) {
    for (const operation of Object.values(item) as OperationPart[]) {
      for (const tag of operation.tags ?? []) usedTags.add(tag);
      addExample(operation.requestBody, schemas);
      for (const response of Object.values(operation.responses ?? {})) addExample(response, schemas);
    }
  }
  const described = Object.entries(tags).filter(([name]) => usedTags.has(name));
  const undescribed = [...usedTags].filter((name) => !Object.hasOwn(tags, name));
  document.tags = [
    ...described.map(([name, description]) => ({ name, description })),
    ...undescribed.map((name) => ({ name })),
  ];
  return document;
}

type Content = Record<string, { schema?: Schema; example?: unknown; examples?: unknown }>;
type OperationPart = {
  tags?: string[];
  requestBody?: { content?: Content };
  responses?: Record<string, { content?: Content }>;
};

function addExample(part: { content?: Content } | undefined, schemas: Record<string, Schema>): void {
  const media = part?.content?.['application/json'];
  if (!media?.schema || media.example !== undefined || media.examples !== undefined) return;
  media.example = JSON.parse(
    withWholeIds(
      JSON.stringify(
        exampleOf(media.schema, schemas, '', { fields: fieldValues, components: componentValues }),
      ),
    ),
  );
}

/** Property classes as ranges. Surrogates are absent: no body with a lone one is read, whatever its pattern. */
const propertyClasses = {
  '\\P{Cc}': '[^\\u0000-\\u001f\\u007f-\\u009f]',
  '\\p{Cc}': '\\u0000-\\u001f\\u007f-\\u009f',
  '\\p{Cs}': '',
};

/**
 * Returns a pattern without the flags that the generator writes after it: JSON Schema implies `u`. Not every validator
 * sets it, so property classes become ranges, which mean the same without it.
 */
function plainPattern(key: string, value: unknown): unknown {
  if (key !== 'pattern' || typeof value !== 'string') return value;
  const flags = /\/([a-z]*)$/.exec(value)?.[1] ?? '';
  if (flags !== '' && flags !== 'u') throw new Error(`JSON Schema has no flag for the pattern ${value}`);
  const pattern = Object.entries(propertyClasses).reduce(
    (text, [name, range]) => text.replaceAll(name, range),
    value.replace(/\/u?$/, ''),
  );
  if (/\\p\{/i.test(pattern))
    throw new Error(`no range is known for a property class of the pattern ${value}`);
  return pattern;
}
