import { z } from 'zod';
import { merchantApiPath, merchantError } from '../../contract/merchant-api.ts';
import { payment } from '../../contract/notification.ts';
import { version } from '../../shared/version.ts';
import { type MerchantRoute, merchantRoutes } from './routes.ts';

type Json = Readonly<Record<string, unknown>>;

const errors = {
  400: 'The request is not valid. The message names the field.',
  401: 'The key is missing, wrong or revoked.',
  403: 'The key does not have the scope.',
  404: 'The merchant has no such payment.',
  429: 'Too many requests. `retry-after` has the seconds to wait.',
} as const;

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

function parametersOf({ path, query }: MerchantRoute): Json[] {
  const inPath = path.includes('{id}')
    ? [
        {
          name: 'id',
          in: 'path',
          required: true,
          description: 'The id of a payment.',
          schema: { type: 'string' },
        },
      ]
    : [];
  const inQuery = Object.entries(query.shape).map(([name, field]) => {
    const { description, ...schema } = schemaOf(field as z.ZodType, 'input');
    return { name, in: 'query', required: false, ...(description ? { description } : {}), schema };
  });
  return [...inPath, ...inQuery];
}

function operationOf(route: MerchantRoute): Json {
  const json = (name: string) => ({ 'application/json': { schema: ref(name) } });
  const codes = [400, 401, 403, ...(route.path.includes('{id}') ? [404 as const] : []), 429] as const;
  const failures = codes.map((code) => [code, { description: errors[code], content: json('Error') }]);
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: `${route.summary} The key needs the scope \`${route.scope}\`.`,
    tags: ['payments'],
    parameters: parametersOf(route),
    responses: {
      200: { description: 'The result.', content: json(route.answer.name) },
      ...Object.fromEntries(failures),
    },
  };
}

/** Returns the OpenAPI document of the API for merchants' own systems, from its routes and schemas. */
export function merchantDocument(): Json {
  const answers = merchantRoutes.map(({ answer }) => [answer.name, schemaOf(answer.schema)] as const);
  return {
    openapi: '3.1.0',
    info: {
      title: 'dialtill merchant API',
      version,
      description: "Payments of one merchant, for the merchant's own system.",
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      contact: { name: 'The operator of the gateway', url: 'https://gateway.example' },
    },
    servers: [{ url: `https://gateway.example${merchantApiPath}`, description: 'The gateway.' }],
    tags: [{ name: 'payments', description: 'Payments and their events.' }],
    security: [{ key: [] }],
    paths: Object.fromEntries(merchantRoutes.map((route) => [route.path, { get: operationOf(route) }])),
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'A key, `dk_test_…` or `dk_live_…`.' },
      },
      schemas: { ...Object.fromEntries(answers), Error: schemaOf(merchantError) },
    },
  };
}
