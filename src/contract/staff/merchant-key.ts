import { z } from 'zod';
import { merchantScopes } from '../merchant/merchant-api.ts';

/*
 * The keys of merchants' own systems in the gateway's API for support staff. Times are RFC 3339.
 */

const scopes = z
  .array(z.enum(merchantScopes, `expected some of ${merchantScopes.join(', ')}`))
  .min(1, 'expected at least one scope');

export const createKeyInput = z.strictObject({
  merchantId: z.string('expected the id of a merchant').min(1).max(64),
  scopes,
});

export const merchantKeyView = z.object({
  id: z.string(),
  merchantId: z.string(),
  scopes: z.array(z.string()),
  createdAt: z.iso.datetime(),
  /** To the minute; null before the first use. */
  lastUsedAt: z.iso.datetime().nullable(),
  revokedAt: z.iso.datetime().nullable(),
});

export type MerchantKeyView = z.infer<typeof merchantKeyView>;

/** Complete: a merchant has a few keys. */
export const merchantKeyList = z.object({ data: z.array(merchantKeyView), total: z.int(), next: z.null() });
export type MerchantKeyList = z.infer<typeof merchantKeyList>;

/** The key is shown once. */
export const merchantKeySecret = z.object({ key: merchantKeyView, secret: z.string() });
