import { z } from 'zod';
import {
  createdKey,
  keyPage,
  livemode,
  revokedKey,
  rotatedKey,
  scopes,
} from '../../contract/service/admin.ts';
import { pageQuery } from '../../contract/service/field.ts';
import { apiError, isApiError } from '../api-error.ts';
import { idParam, operation } from '../http/operation.ts';
import { defaultPageSize, toPage } from '../http/page.ts';
import { jsonResponse } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import { isoTime } from '../http/time.ts';
import type { CreatedKey, RotatedKey } from '../key/key-operations.ts';
import type { AdminOperations } from './operations.ts';
import { merchantParam, platformIdField } from './params.ts';
import { keyView } from './views.ts';

const tag = 'Keys';
const keyParam = idParam('The key.', 'key_01k5n8c0');

const dayS = 24 * 3_600;

const list = operation({
  method: 'get',
  path: '/backoffice/merchants/{id}/keys',
  id: 'listKeys',
  tag,
  summary: "List a merchant's keys, newest first",
  description: 'Returns keys of both modes, also revoked ones, without their secrets.',
  access: 'admin',
  params: merchantParam,
  query: z.strictObject(pageQuery),
  success: { status: 200, description: 'A page of keys, without their secrets.', schema: keyPage },
  errors: ['merchant_not_found'],
});

const create = operation({
  method: 'post',
  path: '/backoffice/merchants/{id}/keys',
  id: 'createKey',
  tag,
  summary: 'Create a secret key',
  description: 'Only this response shows the key.',
  access: 'admin',
  params: merchantParam,
  body: z
    .strictObject({
      livemode,
      platform_id: platformIdField,
      scopes: z
        .array(z.enum(scopes))
        .max(16)
        .optional()
        .meta({ description: 'Default: `collections:offline`, and for a test key also `collections:web`.' }),
    })
    .meta({ id: 'NewKey' }),
  examples: {
    test: { livemode: false },
    reading: { livemode: false, scopes: ['sessions:read', 'events:read'] },
  },
  fieldErrors: { scopes: 'invalid_scope' },
  idempotency: 'honoured',
  secretResponse: true,
  success: { status: 201, description: 'The key.', schema: createdKey },
  errors: ['merchant_not_found', 'platform_not_found', 'live_mode_off'],
});

const rotate = operation({
  method: 'post',
  path: '/backoffice/keys/{id}/rotate',
  id: 'rotateKey',
  tag,
  summary: 'Replace a key by a new one',
  description:
    'The new key has the same merchant, platform, mode and scopes. Only this response shows it. The old key works ' +
    'until the overlap ends, so that programs can be changed without an interruption.',
  access: 'admin',
  params: keyParam,
  body: z
    .strictObject({
      overlap_seconds: z
        .int()
        .min(0)
        .max(7 * dayS)
        .optional()
        .meta({ description: 'How long the old key still works, at most 7 days. Default: 24 hours.' }),
    })
    .meta({ id: 'KeyRotation' }),
  examples: { day: {}, at_once: { overlap_seconds: 0 } },
  idempotency: 'honoured',
  secretResponse: true,
  success: {
    status: 201,
    description: 'The new key, and when the old key expires.',
    schema: rotatedKey,
  },
  errors: ['key_not_found', 'key_revoked'],
});

const revoke = operation({
  method: 'post',
  path: '/backoffice/keys/{id}/revoke',
  id: 'revokeKey',
  tag,
  summary: 'Revoke a key immediately',
  description: 'Applies to the next call. A second revocation changes nothing.',
  access: 'admin',
  params: keyParam,
  idempotency: 'honoured',
  success: { status: 200, description: 'Calls with the key are rejected from now on.', schema: revokedKey },
  errors: ['key_not_found'],
});

export function keyRoutes(router: Router, operations: AdminOperations): void {
  const created = ({ id, key }: CreatedKey) => jsonResponse(201, { id, key });
  const rotated = ({ id, key, oldExpiresAt }: RotatedKey) =>
    jsonResponse(201, { id, key, old_key_expires_at: isoTime(oldExpiresAt) });

  router.admin(list, async ({ params: { id }, query: { limit = defaultPageSize, cursor } }) => {
    if (!(await operations.findMerchant(id))) return apiError('merchant_not_found');
    return jsonResponse(200, toPage(await operations.listKeys(id, limit + 1, cursor), limit, keyView));
  });
  router.admin(create, async ({ params: { id: merchantId }, body, extraWrites }) => {
    const { livemode, platform_id: platformId, scopes } = body;
    const request = { merchantId, platformId, livemode, scopes };
    const key = await operations.createKey(request, (made) => extraWrites(created(made)));
    return isApiError(key) ? key : created(key);
  });
  router.admin(rotate, async ({ params: { id }, body: { overlap_seconds = dayS }, extraWrites }) => {
    const key = await operations.rotateKey(id, overlap_seconds * 1_000, (made) => extraWrites(rotated(made)));
    return isApiError(key) ? key : rotated(key);
  });
  router.admin(revoke, async ({ params: { id }, extraWrites }) => {
    const response = jsonResponse(200, { id, revoked: true });
    const outcome = await operations.revokeKey(id, () => extraWrites(response));
    return isApiError(outcome) ? outcome : response;
  });
}
