import { z } from '@hono/zod-openapi';
import { apiError, isApiError } from '../api-error.ts';
import { answer } from '../http/answer.ts';
import type { Endpoints } from '../http/endpoint.ts';
import { idParam, operation } from '../http/operation.ts';
import { isoTime } from '../http/time.ts';
import type { CreatedKey } from '../key/create.ts';
import type { RotatedKey } from '../key/rotate.ts';
import { scopes } from '../key/scope.ts';
import { time } from '../session/schemas.ts';
import type { BackOffice } from './operations.ts';
import { listLimit, livemodeField, merchantParam, platformIdField } from './params.ts';
import { keyShape, keyView } from './schemas.ts';

const tag = 'Keys';
const keyParam = idParam('The key.', 'key_01k5n8c0');

const dayS = 24 * 3_600;

const list = operation({
  method: 'get',
  path: '/backoffice/merchants/{id}/keys',
  id: 'listKeys',
  tag,
  summary: 'List the newest 100 keys',
  access: 'admin',
  params: merchantParam,
  success: {
    status: 200,
    description: 'Never the keys themselves.',
    schema: z.strictObject({ keys: z.array(keyShape) }).meta({ id: 'Keys' }),
  },
  errors: ['merchant_not_found'],
});

const secretKey = z.string().meta({ description: 'Shown this once.', example: 'sk_test_…' });

const create = operation({
  method: 'post',
  path: '/backoffice/merchants/{id}/keys',
  id: 'createKey',
  tag,
  summary: 'Create a secret key',
  description: 'The key is shown in this answer and never again.',
  access: 'admin',
  params: merchantParam,
  body: z
    .strictObject({
      livemode: livemodeField,
      platform_id: platformIdField,
      scopes: z.array(z.enum(scopes)).max(16).optional().meta({ description: 'Every scope when left out.' }),
    })
    .meta({ id: 'NewKey' }),
  examples: {
    test: { livemode: false },
    reading: { livemode: false, scopes: ['sessions:read', 'events:read'] },
  },
  codes: { scopes: 'invalid_scope' },
  idempotency: 'honoured',
  secretAnswer: true,
  success: {
    status: 201,
    description: 'The key.',
    schema: z.strictObject({ id: z.string(), key: secretKey }).meta({ id: 'MadeKey' }),
  },
  errors: ['merchant_not_found', 'platform_not_found', 'live_mode_off'],
});

const rotate = operation({
  method: 'post',
  path: '/backoffice/keys/{id}/rotate',
  id: 'rotateKey',
  tag,
  summary: 'Put a new key in the place of one',
  description:
    'The new key has the same merchant, platform, mode and scopes, and is shown in this answer and never again. ' +
    'The old one goes on working for the overlap, so that programs can be changed without a gap.',
  access: 'admin',
  params: keyParam,
  body: z
    .strictObject({
      overlap_seconds: z
        .int()
        .min(0)
        .max(7 * dayS)
        .optional()
        .meta({
          description: 'How long the old key goes on working: at most 7 days; 24 hours when left out.',
        }),
    })
    .meta({ id: 'KeyRotation' }),
  examples: { day: {}, at_once: { overlap_seconds: 0 } },
  idempotency: 'honoured',
  secretAnswer: true,
  success: {
    status: 201,
    description: 'The new key, and when the old one ends.',
    schema: z
      .strictObject({ id: z.string(), key: secretKey, old_key_expires_at: time })
      .meta({ id: 'RotatedKey' }),
  },
  errors: ['key_not_found', 'key_revoked'],
});

const revoke = operation({
  method: 'post',
  path: '/backoffice/keys/{id}/revoke',
  id: 'revokeKey',
  tag,
  summary: 'Revoke a key at once',
  access: 'admin',
  params: keyParam,
  idempotency: 'honoured',
  success: {
    status: 200,
    description: 'It is refused from now on.',
    schema: z.strictObject({ id: z.string(), revoked: z.literal(true) }).meta({ id: 'RevokedKey' }),
  },
  errors: ['key_not_found'],
});

export function keyRoutes(serve: Endpoints, verbs: BackOffice): void {
  const created = ({ id, key }: CreatedKey) => answer(201, { id, key });
  const rotated = ({ id, key, oldExpiresAt }: RotatedKey) =>
    answer(201, { id, key, old_key_expires_at: isoTime(oldExpiresAt) });

  serve.admin(list, async ({ params: { id } }) => {
    if (!(await verbs.findMerchant(id))) return apiError('merchant_not_found');
    return answer(200, { keys: (await verbs.listKeys(id, listLimit)).map(keyView) });
  });
  serve.admin(create, async ({ params: { id: merchantId }, body, extraWrites }) => {
    const { livemode, platform_id: platformId, scopes } = body;
    const asked = { merchantId, platformId, livemode, scopes };
    const key = await verbs.createKey(asked, (one) => extraWrites(created(one)));
    return isApiError(key) ? key : created(key);
  });
  serve.admin(rotate, async ({ params: { id }, body: { overlap_seconds = dayS }, extraWrites }) => {
    const key = await verbs.rotateKey(id, overlap_seconds * 1_000, (one) => extraWrites(rotated(one)));
    return isApiError(key) ? key : rotated(key);
  });
  serve.admin(revoke, async ({ params: { id }, extraWrites }) => {
    const done = answer(200, { id, revoked: true });
    const outcome = await verbs.revokeKey(id, () => extraWrites(done));
    return isApiError(outcome) ? outcome : done;
  });
}
