import { z } from 'zod';
import {
  createdKey,
  fee,
  feePage,
  feeSchedule,
  keyPage,
  livemode,
  merchant,
  merchantPage,
  platform,
  platformPage,
  removedSender,
  revokedKey,
  rotatedKey,
  scopes,
  sender,
  senderPage,
} from './admin.ts';
import { pageQuery } from './field.ts';
import { idParam, merchantParam, operation, platformIdField } from './operation.ts';
import { channels } from './session.ts';

/* The operations of the admin API on merchants: their platforms, keys, fees and senders. */

const keyParam = idParam('The key.', 'key_01k5n8c0');

const feeParams = merchantParam.extend({
  channel: z.enum(channels).meta({ description: '`ussd` for offline sessions, `web` for web sessions.' }),
});

const senderParams = merchantParam.extend({
  name: z.string().meta({
    description: '3 to 11 letters, digits and inner spaces, at least one letter.',
    example: 'ABENA',
  }),
});

const dayS = 24 * 3_600;

const nameField = z
  .string()
  // Before the blanks are cut off: some control characters count as blanks.
  .regex(/^\P{Cc}*$/u)
  .trim()
  .min(1)
  .max(100)
  .meta({ description: 'A display name, 1 to 100 characters on one line.' });

export const listMerchants = operation({
  method: 'get',
  path: '/backoffice/merchants',
  id: 'listMerchants',
  tag: 'Merchants',
  summary: 'List merchants, newest first',
  description: 'Returns all merchants of the service, page by page.',
  access: 'admin',
  query: z.strictObject(pageQuery),
  success: { status: 200, description: 'A page of merchants.', schema: merchantPage },
});

export const createMerchant = operation({
  method: 'post',
  path: '/backoffice/merchants',
  id: 'createMerchant',
  tag: 'Merchants',
  summary: 'Create a merchant',
  description: 'Creates the merchant with a first platform. Approve it before it collects offline.',
  access: 'admin',
  body: z.strictObject({ name: nameField }).meta({ id: 'NewMerchant' }),
  examples: { merchant: { name: 'Abena Stores' } },
  idempotency: 'honoured',
  success: {
    status: 201,
    description: 'The merchant, with a first platform and without approval for offline collections.',
    schema: merchant,
  },
});

export const getMerchant = operation({
  method: 'get',
  path: '/backoffice/merchants/{id}',
  id: 'getMerchant',
  tag: 'Merchants',
  summary: 'Get a merchant',
  description: 'Returns the merchant, and since when it is approved for offline collections.',
  access: 'admin',
  params: merchantParam,
  success: { status: 200, description: 'The merchant.', schema: merchant },
  errors: ['merchant_not_found'],
});

export const approveOffline = operation({
  method: 'post',
  path: '/backoffice/merchants/{id}/approve-offline',
  id: 'approveOffline',
  tag: 'Merchants',
  summary: 'Approve a merchant for offline collections',
  description: 'Applies to test and live sessions. A second approval keeps the time of the first.',
  access: 'admin',
  params: merchantParam,
  idempotency: 'honoured',
  success: { status: 200, description: 'The merchant.', schema: merchant },
  errors: ['merchant_not_found'],
});

export const withdrawOffline = operation({
  method: 'post',
  path: '/backoffice/merchants/{id}/withdraw-offline',
  id: 'withdrawOffline',
  tag: 'Merchants',
  summary: 'Withdraw the approval for offline collections',
  description: 'New offline sessions are rejected from now on. Open sessions continue.',
  access: 'admin',
  params: merchantParam,
  idempotency: 'honoured',
  success: { status: 200, description: 'The merchant.', schema: merchant },
  errors: ['merchant_not_found'],
});

export const listPlatforms = operation({
  method: 'get',
  path: '/backoffice/merchants/{id}/platforms',
  id: 'listPlatforms',
  tag: 'Platforms',
  summary: "List a merchant's platforms, oldest first",
  description: "The first platform is the merchant's default.",
  access: 'admin',
  params: merchantParam,
  query: z.strictObject(pageQuery),
  success: { status: 200, description: 'A page of platforms.', schema: platformPage },
  errors: ['merchant_not_found'],
});

export const createPlatform = operation({
  method: 'post',
  path: '/backoffice/merchants/{id}/platforms',
  id: 'createPlatform',
  tag: 'Platforms',
  summary: 'Create another platform',
  description: 'A site, an app or a till. Keys, webhook URLs and signing secrets belong to one platform.',
  access: 'admin',
  params: merchantParam,
  body: z.strictObject({ name: nameField }).meta({ id: 'NewPlatform' }),
  examples: { platform: { name: 'Till at Osu' } },
  idempotency: 'honoured',
  success: { status: 201, description: 'The platform.', schema: platform },
  errors: ['merchant_not_found'],
});

export const listKeysOperation = operation({
  method: 'get',
  path: '/backoffice/merchants/{id}/keys',
  id: 'listKeys',
  tag: 'Keys',
  summary: "List a merchant's keys, newest first",
  description: 'Returns keys of both modes, also revoked ones, without their secrets.',
  access: 'admin',
  params: merchantParam,
  query: z.strictObject(pageQuery),
  success: { status: 200, description: 'A page of keys, without their secrets.', schema: keyPage },
  errors: ['merchant_not_found'],
});

export const createKeyOperation = operation({
  method: 'post',
  path: '/backoffice/merchants/{id}/keys',
  id: 'createKey',
  tag: 'Keys',
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

export const rotateKeyOperation = operation({
  method: 'post',
  path: '/backoffice/keys/{id}/rotate',
  id: 'rotateKey',
  tag: 'Keys',
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

export const revokeKeyOperation = operation({
  method: 'post',
  path: '/backoffice/keys/{id}/revoke',
  id: 'revokeKey',
  tag: 'Keys',
  summary: 'Revoke a key immediately',
  description: 'Applies to the next call. A second revocation changes nothing.',
  access: 'admin',
  params: keyParam,
  idempotency: 'honoured',
  success: { status: 200, description: 'Calls with the key are rejected from now on.', schema: revokedKey },
  errors: ['key_not_found'],
});

export const listFees = operation({
  method: 'get',
  path: '/backoffice/merchants/{id}/fees',
  id: 'listFees',
  tag: 'Fees',
  summary: "List a merchant's fee schedules, one per channel",
  description: 'Returns the schedules that apply to sessions created now, in one page.',
  access: 'admin',
  params: merchantParam,
  success: {
    status: 200,
    description: "The current schedules: the merchant's own, or the service's default.",
    schema: feePage,
  },
  errors: ['merchant_not_found'],
});

export const setFee = operation({
  method: 'put',
  path: '/backoffice/merchants/{id}/fees/{channel}',
  id: 'setFee',
  tag: 'Fees',
  summary: 'Set a fee schedule for one merchant',
  description: 'Applies to sessions that are created from now on. Earlier quotes do not change.',
  access: 'admin',
  params: feeParams,
  body: feeSchedule,
  examples: {
    percent: { basis_points: 150, floor_minor: 10, cap_minor: 1000 },
    bands: {
      basis_points: 75,
      bands: [
        { up_to_minor: 5000, basis_points: 0, fixed_minor: 25 },
        { up_to_minor: 100000, basis_points: 100, fixed_minor: 10 },
      ],
    },
  },
  fieldErrors: {
    basis_points: 'invalid_schedule',
    fixed_minor: 'invalid_schedule',
    floor_minor: 'invalid_schedule',
    cap_minor: 'invalid_schedule',
    bands: 'invalid_schedule',
  },
  success: { status: 200, description: 'The current schedule.', schema: fee },
  errors: ['merchant_not_found', 'not_found'],
});

export const clearFee = operation({
  method: 'delete',
  path: '/backoffice/merchants/{id}/fees/{channel}',
  id: 'clearFee',
  tag: 'Fees',
  summary: "Return to the service's default schedule",
  description: 'Applies to sessions that are created from now on. Without an own schedule nothing changes.',
  access: 'admin',
  params: feeParams,
  success: { status: 200, description: 'The current schedule.', schema: fee },
  errors: ['merchant_not_found', 'not_found'],
});

export const listSenders = operation({
  method: 'get',
  path: '/backoffice/merchants/{id}/senders',
  id: 'listSenders',
  tag: 'Senders',
  summary: "List a merchant's approved sender names for SMS",
  description: 'Returns the names in alphabetical order, page by page.',
  access: 'admin',
  params: merchantParam,
  query: z.strictObject(pageQuery),
  success: { status: 200, description: 'A page of senders, by name.', schema: senderPage },
  errors: ['merchant_not_found'],
});

export const approveSender = operation({
  method: 'put',
  path: '/backoffice/merchants/{id}/senders/{name}',
  id: 'approveSender',
  tag: 'Senders',
  summary: 'Approve a sender name for SMS',
  description: 'A second approval keeps the time of the first.',
  access: 'admin',
  params: senderParams,
  success: { status: 200, description: 'The sender.', schema: sender },
  errors: ['merchant_not_found', 'invalid_sender'],
});

export const removeSender = operation({
  method: 'delete',
  path: '/backoffice/merchants/{id}/senders/{name}',
  id: 'removeSender',
  tag: 'Senders',
  summary: 'Remove a sender name',
  description: 'Applies to SMS that are requested from now on. Removing an unknown name is not an error.',
  access: 'admin',
  params: senderParams,
  success: { status: 200, description: 'The name is not approved.', schema: removedSender },
  errors: ['merchant_not_found'],
});
