import { z } from 'zod';
import { merchantApiPath } from '../../contract/merchant/merchant-api.ts';
import { blockWords } from '../../contract/staff/staff.ts';
import { splitName } from '../../kit/define-route.ts';
import { idempotencyKeyPattern } from '../../kit/idempotency.ts';
import { createDocument, type DocumentedRoute } from '../../kit/openapi/document.ts';
import { version } from '../../shared/version.ts';
import { type MerchantApiRoute, type MerchantErrorCode, merchantErrors } from './define-route.ts';
import { merchantApiRoutes } from './routes.ts';

const description = `
Payments of one merchant, for the merchant's own system: whether money arrived, what became of a payment, and the endpoints that
are notified. It creates no payments: a payer agrees on a handset.

## First call

The operator of the gateway creates the key: \`dialtill merchant keys create <merchant>\`. It is shown once.

\`\`\`sh
GATEWAY=https://gateway.example KEY=dk_test_…
curl -sS -H "Authorization: Bearer $KEY" "$GATEWAY${merchantApiPath}/payments?limit=3"
\`\`\`

Amounts are in pesewas, times in ISO 8601 and UTC. A list has pages: ask with \`after\` and the \`next\` of the page before.
`.trim();

const idempotencyKey = z.object({
  'Idempotency-Key': z.string().regex(idempotencyKeyPattern).meta({
    description:
      'Identifies the request, such as a UUID. A repeat within three days gets the same answer and changes nothing.',
  }),
});

/** Returns the OpenAPI document of the API for merchants' own systems, from its routes and schemas. */
export function merchantDocument() {
  return createDocument({
    info: {
      title: 'dialtill merchant API',
      version,
      description,
      contact: { name: 'The operator of the gateway', url: 'https://gateway.example' },
    },
    servers: [{ url: `https://gateway.example${merchantApiPath}`, description: 'The gateway.' }],
    tags: {
      payments: 'Payments, their events and days, and money that no payment explains.',
      endpoints: 'Endpoints that get notifications, and what was sent to them.',
      blocks: `Numbers that ${blockWords.dialler}, or ${blockWords.payer}.`,
    },
    security: { key: 'A key, `dk_test_…` or `dk_live_…`.' },
    requestIdHeader: 'X-Request-Id',
    errors: merchantErrors,
    retryable: new Set<MerchantErrorCode>(['too_many_requests', 'too_early', 'busy']),
    routes: merchantApiRoutes.map(describe),
  });
}

function describe(route: MerchantApiRoute): DocumentedRoute<MerchantErrorCode> {
  const { name, operationId, tag, summary, needs, query, body, answer } = route;
  const [method, path] = splitName(name);
  const hasId = path.includes(':id');
  const meaning = path.startsWith('/days') ? 'A day in UTC.' : 'The id.';
  return {
    ...{ method, path: path.replace(':id', '{id}'), id: operationId, tag, summary, query, body },
    description: `${summary} The key needs the scope \`${needs}\`.`,
    security: { key: [needs] },
    params: hasId ? z.object({ id: z.string().meta({ description: meaning }) }) : undefined,
    headers: method === 'POST' ? idempotencyKey : undefined,
    success: { status: 200, description: 'The result.', schema: answer },
    errors: listErrorCodes(route, method, hasId),
  };
}

function listErrorCodes(
  { name, query, body, tag }: MerchantApiRoute,
  method: string,
  hasId: boolean,
): MerchantErrorCode[] {
  const isRead = method === 'GET';
  const codes: MerchantErrorCode[] = ['invalid_request', 'invalid_api_key', 'scope_required'];
  codes.push('too_many_requests');
  if (hasId || method === 'POST' || query?.shape.endpoint) codes.push('not_found');
  // Without notifications in the configuration, there are no endpoints.
  if (!isRead || tag === 'endpoints') codes.push('conflict');
  if (body) codes.push('body_too_large');
  if (method === 'POST') codes.push('idempotency_key_required', 'in_progress', 'idempotency_key_reused');
  codes.push(...(isRead ? (['busy', 'too_slow'] as const) : (['too_many_actions'] as const)));
  if (name === 'POST /payments/:id/check') codes.push('too_early');
  return codes;
}
