import { z } from 'zod';
import { merchantApiPath, merchantError } from '../../contract/merchant-api.ts';
import { payment } from '../../contract/notification.ts';
import { version } from '../../shared/version.ts';
import type { MerchantRoute } from './define-route.ts';
import { merchantRoutes } from './routes.ts';

type Json = Readonly<Record<string, unknown>>;

type ErrorAnswer = {
  description: string;
  /** An example message for each code. */
  codes: Readonly<Record<string, string>>;
  headers?: Json;
};

const wait = {
  description: 'Seconds to wait before the next request.',
  schema: { type: 'integer', minimum: 1 },
};

/** The errors by their status. */
const errors = {
  400: {
    description: 'The request is not valid. The message names the field.',
    codes: {
      invalid_request: 'limit: Too big: expected number to be <=100',
      idempotency_key_required: 'expected the header Idempotency-Key',
    },
  },
  401: {
    description: 'The key is missing, wrong or revoked.',
    codes: { invalid_api_key: 'expected a key of this merchant as a bearer token' },
    headers: { 'WWW-Authenticate': { description: 'Bearer', schema: { type: 'string' } } },
  },
  403: {
    description: 'The key does not have the scope.',
    codes: { scope_required: 'the key needs the scope payments:read' },
  },
  404: { description: 'The merchant has no such object.', codes: { not_found: 'no payment col_01example' } },
  409: {
    description: 'The state of the object does not allow it, or the same request is being carried out.',
    codes: {
      conflict: 'the endpoint is disabled',
      in_progress: 'this request is being carried out, or was interrupted',
    },
  },
  413: { description: 'The body is too long.', codes: { body_too_large: 'expected at most 16384 bytes' } },
  422: {
    description: 'The `Idempotency-Key` belongs to another request.',
    codes: { idempotency_key_reused: 'the Idempotency-Key belongs to another request: choose a new one' },
  },
  429: {
    description: 'Too many requests.',
    codes: {
      too_many_requests: 'try again after 1 seconds',
      too_many_actions: 'you have done as much as one person or key can do in 24 hours: continue tomorrow',
      too_early: 'the service was just asked: check again after 2026-03-06T09:00:10.000Z',
    },
    headers: { 'Retry-After': wait },
  },
  503: {
    description: 'Too many reads of all merchants and people wait, or the gateway is restarting.',
    codes: { busy: 'too many reads wait: try again after 5 seconds' },
    headers: { 'Retry-After': wait },
  },
  504: {
    description: 'The read took too long. A smaller one succeeds.',
    codes: {
      too_slow: 'the read took too long: narrow it with "from" and "to", or with fewer rows ("limit")',
    },
  },
} as const satisfies Readonly<Record<number, ErrorAnswer>>;

/** The meaning of each error code, with its status. */
export const merchantErrors: Readonly<Record<string, { status: number; message: string }>> =
  Object.fromEntries(
    Object.entries(errors).flatMap(([status, { description, codes }]) =>
      Object.keys(codes).map((code) => [code, { status: Number(status), message: description }]),
    ),
  );

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Returns the schema of a value that is sent, without the parts that only a validator needs. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output' = 'output'): Json {
  const isPayment = (one: unknown) => one !== schema && one === payment;
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override({ zodSchema, jsonSchema }) {
      if (isPayment(zodSchema)) {
        for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
        Object.assign(jsonSchema, ref('Payment'));
      }
    },
  });
  return json;
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description:
    'Identifies the request, such as a UUID. A repeat within three days gets the same answer and changes nothing.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function parametersOf({ method, path, query }: MerchantRoute): Json[] {
  const inPath = path.includes('{id}')
    ? [
        {
          name: 'id',
          in: 'path',
          required: true,
          description: path.startsWith('/days') ? 'A day in UTC.' : 'The id.',
          schema: { type: 'string' },
        },
      ]
    : [];
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, field]) => {
    const { description, ...schema } = schemaOf(field as z.ZodType, 'input');
    const required = !(field as z.ZodType).safeParse(undefined).success;
    return { name, in: 'query', required, ...(description ? { description } : {}), schema };
  });
  return [...inPath, ...inQuery, ...(method === 'POST' ? [idempotencyKey] : [])];
}

function failureOf({ description, codes, headers }: ErrorAnswer): Json {
  const examples = Object.entries(codes).map(([code, message]) => [
    code,
    { value: { error: { code, message }, request_id: 'req_01example' } },
  ]);
  const content = { 'application/json': { schema: ref('Error'), examples: Object.fromEntries(examples) } };
  return { description, ...(headers && { headers }), content };
}

function operationOf(route: MerchantRoute): Json {
  const { method, body, path, query, tag } = route;
  const json = (name: string) => ({ 'application/json': { schema: ref(name) } });
  const finds = path.includes('{id}') || method === 'POST' || query?.shape.endpoint !== undefined;
  const statuses = [
    ...([400, 401, 403] as const),
    ...(finds ? [404 as const] : []),
    // Without notifications in the configuration, there are no endpoints.
    ...(method === 'GET' && tag !== 'endpoints' ? [] : [409 as const]),
    ...(body ? [413 as const] : []),
    ...(method === 'POST' ? [422 as const] : []),
    429 as const,
    ...(method === 'GET' ? ([503, 504] as const) : []),
  ];
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: `${route.summary} The key needs the scope \`${route.scope}\`.`,
    tags: [route.tag],
    security: [{ key: [route.scope] }],
    parameters: parametersOf(route),
    ...(body && {
      requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body, 'input') } } },
    }),
    responses: {
      200: { description: 'The result.', content: json(route.answer.name) },
      ...Object.fromEntries(statuses.map((status) => [status, failureOf(errors[status])])),
    },
  };
}

/** Returns the operations of each path. */
function pathsOf(routes: readonly MerchantRoute[]): Record<string, Record<string, Json>> {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const operations = paths[route.path] ?? {};
    operations[route.method.toLowerCase()] = operationOf(route);
    paths[route.path] = operations;
  }
  return paths;
}

/** Returns the OpenAPI document of the API for merchants' own systems, from its routes and schemas. */
export function merchantDocument() {
  const answers = merchantRoutes.map(({ answer }) => [answer.name, schemaOf(answer.schema)] as const);
  return {
    openapi: '3.1.0',
    info: {
      title: 'dialtill merchant API',
      version,
      description: [
        "Payments of one merchant, for the merchant's own system: whether money arrived, what became of a payment, and the endpoints that",
        'are notified. It creates no payments: a payer agrees on a handset.',
        '',
        '## First call',
        '',
        'The operator of the gateway creates the key: `dialtill merchant keys create <merchant>`. It is shown once.',
        '',
        '```sh',
        'GATEWAY=https://gateway.example KEY=dk_test_…',
        `curl -sS -H "Authorization: Bearer $KEY" "$GATEWAY${merchantApiPath}/payments?limit=3"`,
        '```',
        '',
        'Amounts are in pesewas, times in ISO 8601 and UTC. A list has pages: ask with `after` and the `next` of the page before.',
      ].join('\n'),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      contact: { name: 'The operator of the gateway', url: 'https://gateway.example' },
    },
    servers: [{ url: `https://gateway.example${merchantApiPath}`, description: 'The gateway.' }],
    tags: [
      {
        name: 'payments',
        description: 'Payments, their events and days, and money that no payment explains.',
      },
      { name: 'endpoints', description: 'Endpoints that get notifications, and what was sent to them.' },
      { name: 'blocks', description: 'Numbers that cannot request payments, or be asked to pay.' },
    ],
    security: [{ key: [] }],
    paths: pathsOf(merchantRoutes),
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'A key, `dk_test_…` or `dk_live_…`.' },
      },
      schemas: { ...Object.fromEntries(answers), Error: schemaOf(merchantError) },
    },
  };
}
