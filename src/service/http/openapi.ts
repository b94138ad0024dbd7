import { type OpenAPIHono, z } from '@hono/zod-openapi';
import { eventIdHeader, eventTypes, failedEvent, paidEvent, reviewEvent } from '../../contract/event.ts';
import { apiErrors } from '../api-error.ts';
import type { Env } from './app.ts';
import { responseHeaders } from './describe-operation.ts';
import { exampleOf, type Schema } from './example.ts';
import { type DeliverySettings, guide, headerTitle } from './guide.ts';

/** The OpenAPI 3.1 document. */
export type ApiDocument = ReturnType<OpenAPIHono['getOpenAPI31Document']>;

/** Every tag with what it is about, in the order in which one meets them. */
const tags: Readonly<Record<string, string>> = {
  'One-time codes': 'A code by SMS proves that the payer holds the number. Optional, for web mode.',
  Sessions: 'A payment from its creation to its end.',
  Events: 'What was sent to your webhook URL, to be read again.',
  'Simulated phone': "The payer's side of test sessions: prompts and messages. Nothing here needs a key.",
  Merchants: 'Back office: who collects, and who may do so offline.',
  Platforms: "Back office: a merchant's shops, each with keys and webhook URLs of its own.",
  Keys: 'Back office: secret keys, shown once.',
  Fees: 'Back office: what a channel costs, for all and for one merchant.',
  Senders: 'Back office: the names under which a merchant may send OTPs.',
  Webhooks: 'Back office: webhook URLs, their secrets, and every delivery with its attempts.',
  Reviews: 'Back office: money that arrived and does not fit its session.',
  'Back office sessions': 'Back office: sessions of every merchant.',
  Audit: 'Back office: what was done there, and when.',
  Sandbox: "Back office: the sandbox's clock, which can be advanced.",
  Service: 'The service about itself.',
};

type EventName = keyof typeof eventTypes;

const events: Readonly<Record<EventName, { id: string; summary: string; shape: z.ZodType }>> = {
  paid: { id: 'onSessionPaid', summary: 'A session is paid', shape: paidEvent },
  failed: { id: 'onSessionFailed', summary: 'A session failed or expired', shape: failedEvent },
  reviewAmountMismatch: {
    id: 'onReviewAmountMismatch',
    summary: 'Money arrived that does not fit its session',
    shape: reviewEvent,
  },
};

/**
 * Describes the API as it is mounted on the app; nothing is made before the first call.
 *
 * @param delivering how webhooks are sent, which the document tells their receivers.
 */
export function describeApi(app: OpenAPIHono<Env>, delivering: DeliverySettings): () => ApiDocument {
  let document: ApiDocument | undefined;
  registerSecurity(app);
  registerAnswers(app);
  for (const name of Object.keys(events) as EventName[]) registerEvent(app, name, delivering);
  return () => {
    document ??= completed(
      app.getOpenAPI31Document({
        openapi: '3.1.0',
        info: { title: 'Payment Collection Service', version: '1', description: guide(delivering) },
        servers: [{ url: '/' }],
      }),
    );
    return document;
  };
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
    description: 'The admin token of the back office.',
  });
}

/** What operations refer to: the headers of their answers, and an example for each code. */
function registerAnswers(app: OpenAPIHono<Env>): void {
  for (const [name, header] of Object.entries(responseHeaders)) {
    app.openAPIRegistry.registerComponent('headers', name, header);
  }
  for (const [code, { message }] of Object.entries(apiErrors)) {
    app.openAPIRegistry.registerComponent('examples', code, {
      value: { error: { code, message }, request_id: 'req_01k5n8' },
    });
  }
}

function registerEvent(app: OpenAPIHono<Env>, name: EventName, { headerName }: DeliverySettings): void {
  const { id, summary, shape } = events[name];
  app.openAPIRegistry.registerWebhook({
    method: 'post',
    path: eventTypes[name],
    operationId: id,
    summary,
    security: [],
    request: {
      headers: z.object({
        [headerTitle(headerName)]: z.string().meta({
          description: '`t=<unix seconds>,v1=<hex>`, with one `v1` for each secret that is valid.',
          example: 't=1772787607,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
        }),
        [headerTitle(eventIdHeader)]: z
          .string()
          .meta({ description: "The body's `id`: the same for every attempt.", example: 'evt_01k5n8c0' }),
      }),
      body: { required: true, content: { 'application/json': { schema: shape } } },
    },
    responses: {
      '2XX': {
        description: 'Received. The body is not read.',
        content: {
          'application/json': { schema: { type: 'object' }, example: { received: true } },
        },
      },
      default: { description: 'Anything else, a redirect too, is a failure; the event is sent again.' },
    },
  });
}

/** Finishes what the generator leaves: regular expressions, examples, and the tags in their order. */
function completed(raw: ApiDocument): ApiDocument {
  const document: ApiDocument = JSON.parse(JSON.stringify(raw), plainPattern);
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  const used = new Set<string>();
  for (const item of [...Object.values(document.paths ?? {}), ...Object.values(document.webhooks ?? {})]) {
    for (const operation of Object.values(item) as OperationPart[]) {
      for (const tag of operation.tags ?? []) used.add(tag);
      fillExample(operation.requestBody, schemas);
      for (const response of Object.values(operation.responses ?? {})) fillExample(response, schemas);
    }
  }
  const known = Object.entries(tags).filter(([name]) => used.has(name));
  const unknown = [...used].filter((name) => !Object.hasOwn(tags, name));
  document.tags = [
    ...known.map(([name, description]) => ({ name, description })),
    ...unknown.map((name) => ({ name })),
  ];
  return document;
}

type Content = Record<string, { schema?: Schema; example?: unknown; examples?: unknown }>;
type OperationPart = {
  tags?: string[];
  requestBody?: { content?: Content };
  responses?: Record<string, { content?: Content }>;
};

function fillExample(part: { content?: Content } | undefined, schemas: Record<string, Schema>): void {
  const media = part?.content?.['application/json'];
  if (!media?.schema || media.example !== undefined || media.examples !== undefined) return;
  media.example = exampleOf(media.schema, schemas);
}

/** The generator writes a regular expression with its flags. JSON Schema reads every pattern as with `u`. */
function plainPattern(key: string, value: unknown): unknown {
  if (key !== 'pattern' || typeof value !== 'string') return value;
  const flags = /\/([a-z]*)$/.exec(value)?.[1] ?? '';
  if (flags !== '' && flags !== 'u') throw new Error(`JSON Schema has no flag for the pattern ${value}`);
  return value.replace(/\/u?$/, '');
}
