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

/** The operations of the admin API on merchants: their platforms, keys, fees and senders. */
export const merchantOperations = {
  listMerchants: operation('get /backoffice/merchants', 'Merchants', {
    summary: 'List merchants, newest first',
    description: 'Returns all merchants of the service, page by page.',
    query: z.strictObject(pageQuery),
    success: { description: 'A page of merchants.', schema: merchantPage },
  }),
  createMerchant: operation('post /backoffice/merchants', 'Merchants', {
    summary: 'Create a merchant',
    description: 'Creates the merchant with a first platform. Approve it before it collects offline.',
    body: z.strictObject({ name: nameField }).meta({ id: 'NewMerchant' }),
    examples: { merchant: { name: 'Abena Stores' } },
    success: {
      status: 201,
      description: 'The merchant, with a first platform and without approval for offline collections.',
      schema: merchant,
    },
  }),
  getMerchant: operation('get /backoffice/merchants/{id}', 'Merchants', {
    summary: 'Get a merchant',
    description: 'Returns the merchant, and since when it is approved for offline collections.',
    params: merchantParam,
    success: { description: 'The merchant.', schema: merchant },
    errors: ['merchant_not_found'],
  }),
  approveOffline: operation('post /backoffice/merchants/{id}/approve-offline', 'Merchants', {
    summary: 'Approve a merchant for offline collections',
    description: 'Applies to test and live sessions. A second approval keeps the time of the first.',
    params: merchantParam,
    success: { description: 'The merchant.', schema: merchant },
    errors: ['merchant_not_found'],
  }),
  withdrawOffline: operation('post /backoffice/merchants/{id}/withdraw-offline', 'Merchants', {
    summary: 'Withdraw the approval for offline collections',
    description: 'New offline sessions are rejected from now on. Open sessions continue.',
    params: merchantParam,
    success: { description: 'The merchant.', schema: merchant },
    errors: ['merchant_not_found'],
  }),
  listPlatforms: operation('get /backoffice/merchants/{id}/platforms', 'Platforms', {
    summary: "List a merchant's platforms, oldest first",
    description: "The first platform is the merchant's default.",
    params: merchantParam,
    query: z.strictObject(pageQuery),
    success: { description: 'A page of platforms.', schema: platformPage },
    errors: ['merchant_not_found'],
  }),
  createPlatform: operation('post /backoffice/merchants/{id}/platforms', 'Platforms', {
    summary: 'Create another platform',
    description: 'A site, an app or a till. Keys, webhook URLs and signing secrets belong to one platform.',
    params: merchantParam,
    body: z.strictObject({ name: nameField }).meta({ id: 'NewPlatform' }),
    examples: { platform: { name: 'Till at Osu' } },
    success: { status: 201, description: 'The platform.', schema: platform },
    errors: ['merchant_not_found'],
  }),
  listKeys: operation('get /backoffice/merchants/{id}/keys', 'Keys', {
    summary: "List a merchant's keys, newest first",
    description: 'Returns keys of both modes, also revoked ones, without their secrets.',
    params: merchantParam,
    query: z.strictObject(pageQuery),
    success: { description: 'A page of keys, without their secrets.', schema: keyPage },
    errors: ['merchant_not_found'],
  }),
  createKey: operation('post /backoffice/merchants/{id}/keys', 'Keys', {
    summary: 'Create a secret key',
    description: 'Only this response shows the key.',
    params: merchantParam,
    body: z
      .strictObject({
        livemode,
        platform_id: platformIdField,
        scopes: z.array(z.enum(scopes)).max(16).optional().meta({
          description: 'Default: `collections:offline`, and for a test key also `collections:web`.',
        }),
      })
      .meta({ id: 'NewKey' }),
    examples: {
      test: { livemode: false },
      reading: { livemode: false, scopes: ['sessions:read', 'events:read'] },
    },
    fieldErrors: { scopes: 'invalid_scope' },
    secretResponse: true,
    success: { status: 201, description: 'The key.', schema: createdKey },
    errors: ['merchant_not_found', 'platform_not_found', 'live_mode_off'],
  }),
  rotateKey: operation('post /backoffice/keys/{id}/rotate', 'Keys', {
    summary: 'Replace a key by a new one',
    description:
      'The new key has the same merchant, platform, mode and scopes. Only this response shows it. The old key works ' +
      'until the overlap ends, so that programs can be changed without an interruption.',
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
    secretResponse: true,
    success: {
      status: 201,
      description: 'The new key, and when the old key expires.',
      schema: rotatedKey,
    },
    errors: ['key_not_found', 'key_revoked'],
  }),
  revokeKey: operation('post /backoffice/keys/{id}/revoke', 'Keys', {
    summary: 'Revoke a key immediately',
    description: 'Applies to the next call. A second revocation changes nothing.',
    params: keyParam,
    success: { description: 'Calls with the key are rejected from now on.', schema: revokedKey },
    errors: ['key_not_found'],
  }),
  listFees: operation('get /backoffice/merchants/{id}/fees', 'Fees', {
    summary: "List a merchant's fee schedules, one per channel",
    description: 'Returns the schedules that apply to sessions created now, in one page.',
    params: merchantParam,
    success: {
      description: "The current schedules: the merchant's own, or the service's default.",
      schema: feePage,
    },
    errors: ['merchant_not_found'],
  }),
  setFee: operation('put /backoffice/merchants/{id}/fees/{channel}', 'Fees', {
    summary: 'Set a fee schedule for one merchant',
    description: 'Applies to sessions that are created from now on. Earlier quotes do not change.',
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
    success: { description: 'The current schedule.', schema: fee },
    errors: ['merchant_not_found', 'not_found'],
  }),
  clearFee: operation('delete /backoffice/merchants/{id}/fees/{channel}', 'Fees', {
    summary: "Return to the service's default schedule",
    description: 'Applies to sessions that are created from now on. Without an own schedule nothing changes.',
    params: feeParams,
    success: { description: 'The current schedule.', schema: fee },
    errors: ['merchant_not_found', 'not_found'],
  }),
  listSenders: operation('get /backoffice/merchants/{id}/senders', 'Senders', {
    summary: "List a merchant's approved sender names for SMS",
    description: 'Returns the names in alphabetical order, page by page.',
    params: merchantParam,
    query: z.strictObject(pageQuery),
    success: { description: 'A page of senders, by name.', schema: senderPage },
    errors: ['merchant_not_found'],
  }),
  approveSender: operation('put /backoffice/merchants/{id}/senders/{name}', 'Senders', {
    summary: 'Approve a sender name for SMS',
    description: 'A second approval keeps the time of the first.',
    params: senderParams,
    success: { description: 'The sender.', schema: sender },
    errors: ['merchant_not_found', 'invalid_sender'],
  }),
  removeSender: operation('delete /backoffice/merchants/{id}/senders/{name}', 'Senders', {
    summary: 'Remove a sender name',
    description: 'Applies to SMS that are requested from now on. Removing an unknown name is not an error.',
    params: senderParams,
    success: { description: 'The name is not approved.', schema: removedSender },
    errors: ['merchant_not_found'],
  }),
};
