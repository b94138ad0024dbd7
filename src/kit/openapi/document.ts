import { z } from 'zod';
import { errorBody } from '../../contract/error.ts';
import type { ErrorTable } from '../api.ts';
import { addSchema, createExample, type KnownValues, type Schema } from './json-schema.ts';

/** One route, as the document describes it. */
export type DocumentedRoute<Code extends string = string> = {
  method: string;
  /** The path, with `{name}` for each parameter. */
  path: string;
  id: string;
  tag?: string;
  summary: string;
  description?: string | undefined;
  /** The scheme that authenticates the caller, and the scopes that it must have. Absent for a route that needs nothing. */
  security?: Readonly<Record<string, readonly string[]>>;
  params?: z.ZodObject | undefined;
  query?: z.ZodObject | undefined;
  headers?: z.ZodObject | undefined;
  body?: z.ZodType | undefined;
  /** Examples of the body, by name. */
  examples?: Readonly<Record<string, unknown>> | undefined;
  success: { status: number; description: string; schema: z.ZodType; type?: string; example?: unknown };
  /** Descriptions of further answers without a body, by status. */
  others?: Readonly<Record<string, string>>;
  errors: readonly Code[];
  /** True when an answer may be that of an earlier request with the same idempotency key. */
  mayBeReplayed?: boolean;
};

/** A request that the API sends to the systems of its clients. */
export type DocumentedWebhook = Pick<DocumentedRoute, 'id' | 'summary'> & {
  /** The type of the event. */
  type: string;
  headers: z.ZodObject;
  body: z.ZodType;
};

export type DescribedApi<Code extends string = string> = {
  info: Json & { title: string; version: string; description: string };
  servers: readonly Json[];
  /** Descriptions of the tags, in reading order. Tags that no route has are left out. */
  tags: Readonly<Record<string, string>>;
  /** Descriptions of the schemes; each is a bearer token. */
  security: Readonly<Record<string, string>>;
  /** The header of each answer that identifies its request. */
  requestIdHeader: string;
  errors: ErrorTable<Code>;
  /** Codes of answers that may say when to call again. */
  retryable: ReadonlySet<Code>;
  routes: readonly DocumentedRoute<Code>[];
  webhooks?: readonly DocumentedWebhook[];
  /** The values of examples. Without them, bodies have the examples that their routes give. */
  examples?: KnownValues & {
    /** Changes the text of the whole document, such as the identifiers of examples. */
    finish(text: string): string;
  };
};

type Json = Readonly<Record<string, unknown>>;

/** The OpenAPI 3.1 document of an API. */
export type ApiDocument = {
  info: DescribedApi['info'];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Json & DocumentedOperation>>;
  webhooks?: Record<string, object>;
  components: { schemas: Record<string, Schema> } & Json;
} & Json;

export type DocumentedOperation = {
  operationId: string;
  tags?: string[];
  summary: string;
  security: Record<string, readonly string[]>[];
};

/** Writes the document of an API: its routes, its errors and the schemas that they use. */
export function createDocument<Code extends string>(api: DescribedApi<Code>): ApiDocument {
  const schemas: Record<string, Schema> = {};
  const usedErrors = new Set<Code>();
  const usedHeaders = new Set<string>();
  const code = z.enum(Object.keys(api.errors) as [Code, ...Code[]]);

  const getSchema = (schema: z.ZodType) => addSchema(schemas, schema);

  function parameters(location: 'path' | 'query' | 'header', object: z.ZodObject | undefined): Json[] {
    return Object.entries(object?.shape ?? {}).map(([name, field]) => {
      const schema = getSchema(field as z.ZodType);
      const required = location === 'path' || !(field as z.ZodType).safeParse(undefined).success;
      const { description } = schema;
      return { name, in: location, required, ...(description === undefined ? {} : { description }), schema };
    });
  }

  function content(type: string, schema: Schema, example?: unknown): Json {
    const value =
      example === undefined && api.examples && type === 'application/json'
        ? createExample(schema, schemas, '', api.examples)
        : example;
    return { [type]: { schema, ...(value === undefined ? {} : { example: value }) } };
  }

  function headers(route: DocumentedRoute<Code>, status: number, mayRetry = false): Json {
    const names = [
      api.requestIdHeader,
      ...(route.mayBeReplayed ? ['Idempotent-Replayed'] : []),
      ...(status === 401 ? ['WWW-Authenticate'] : []),
      ...(mayRetry ? ['Retry-After'] : []),
    ];
    for (const name of names) usedHeaders.add(name);
    return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
  }

  function toBody({ body, examples }: Pick<DocumentedRoute, 'body' | 'examples'>): Json {
    if (!body) return {};
    const named = Object.entries(examples ?? {}).map(([name, value]) => [name, { value }]);
    const schema = getSchema(body);
    const media = examples
      ? { 'application/json': { schema, examples: Object.fromEntries(named) } }
      : content('application/json', schema);
    return { requestBody: { required: !body.safeParse({}).success, content: media } };
  }

  function listSuccess(route: DocumentedRoute<Code>): Json {
    const { description, schema, status, type = 'application/json', example } = route.success;
    return {
      description,
      headers: headers(route, status),
      content: content(type, getSchema(schema), example),
    };
  }

  function failures(route: DocumentedRoute<Code>): Json {
    const byStatus = Map.groupBy(new Set(route.errors), (code) => api.errors[code].status);
    for (const code of route.errors) usedErrors.add(code);
    return Object.fromEntries(
      [...byStatus].map(([status, codes]) => [
        status,
        {
          description: codes.map((code) => `\`${code}\`: ${api.errors[code].message}`).join('  \n'),
          headers: headers(
            route,
            status,
            codes.some((code) => api.retryable.has(code)),
          ),
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/Error' },
              examples: Object.fromEntries(
                codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
              ),
            },
          },
        },
      ]),
    );
  }

  function getOperation(route: DocumentedRoute<Code>) {
    const { id, tag, summary, description, security, params, query, others = {} } = route;
    const described = Object.entries(others).map(([status, text]) => [status, { description: text }]);
    return {
      operationId: id,
      ...(tag === undefined ? {} : { tags: [tag] }),
      summary,
      ...(description === undefined ? {} : { description }),
      security: security ? [security] : [],
      parameters: [
        ...parameters('path', params),
        ...parameters('query', query),
        ...parameters('header', route.headers),
      ],
      ...toBody(route),
      responses: {
        [route.success.status]: listSuccess(route),
        ...Object.fromEntries(described),
        ...failures(route),
      },
    };
  }

  function getWebhook({ id, summary, headers, body }: DocumentedWebhook): Json {
    return {
      operationId: id,
      summary,
      security: [],
      parameters: parameters('header', headers),
      requestBody: { required: true, content: content('application/json', getSchema(body)) },
      responses: {
        '2XX': {
          description: 'The event is delivered. The body of the response is ignored.',
          content: { 'application/json': { schema: { type: 'object' }, example: { received: true } } },
        },
        default: {
          description: 'Any other response, including a redirect, is a failure. The event is sent again.',
        },
      },
    };
  }

  schemas.Error = getSchema(
    errorBody.required({ request_id: true }).extend({ error: errorBody.shape.error.extend({ code }) }),
  );
  const paths: ApiDocument['paths'] = {};
  for (const route of api.routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: getOperation(route) };
  }
  const webhooks = (api.webhooks ?? []).map((one) => [one.type, { post: getWebhook(one) }]);
  const usedTags = new Set(api.routes.map(({ tag }) => tag));
  const errorExample = (code: Code) => ({
    value: { error: { code, message: api.errors[code].message }, request_id: 'req_01k5n8c0' },
  });
  const document = {
    openapi: '3.1.0',
    info: { ...api.info, license: { name: 'MIT', identifier: 'MIT' } },
    servers: api.servers,
    tags: Object.entries(api.tags)
      .filter(([name]) => usedTags.has(name))
      .map(([name, description]) => ({ name, description })),
    paths,
    ...(webhooks.length === 0 ? {} : { webhooks: Object.fromEntries(webhooks) }),
    components: {
      securitySchemes: Object.fromEntries(
        Object.entries(api.security).map(([name, description]) => [
          name,
          { type: 'http', scheme: 'bearer', description },
        ]),
      ),
      headers: Object.fromEntries([...usedHeaders].map((name) => [name, responseHeaders[name] ?? requestId])),
      examples: Object.fromEntries([...usedErrors].map((code) => [code, errorExample(code)])),
      schemas,
    },
  };
  return api.examples ? JSON.parse(api.examples.finish(JSON.stringify(document))) : document;
}

const requestId = {
  description: 'Identifies this request. Quote it when you contact support.',
  schema: { type: 'string' },
};

const responseHeaders: Readonly<Record<string, Json>> = {
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
