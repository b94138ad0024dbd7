import { z } from '@hono/zod-openapi';
import { isoTime } from '../http/time.ts';
import type { ApiKey } from '../key/key-store.ts';
import { scopes } from '../key/scope.ts';
import type { Merchant, Platform } from '../merchant/merchant-store.ts';
import { time } from '../session/schemas.ts';

/** What the back office shows of a row, beside the shape in which the API document describes it. */

export const merchantShape = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    offline_approved_at: time.nullable(),
    created_at: time,
  })
  .meta({ id: 'Merchant' });

export function merchantView(merchant: Merchant): z.infer<typeof merchantShape> {
  return {
    id: merchant.id,
    name: merchant.name,
    offline_approved_at: maybeTime(merchant.offlineApprovedAt),
    created_at: isoTime(merchant.createdAt),
  };
}

export const platformShape = z
  .strictObject({ id: z.string(), merchant_id: z.string(), name: z.string(), created_at: time })
  .meta({ id: 'Platform' });

export function platformView(platform: Platform): z.infer<typeof platformShape> {
  return {
    id: platform.id,
    merchant_id: platform.merchantId,
    name: platform.name,
    created_at: isoTime(platform.createdAt),
  };
}

export const keyShape = z
  .strictObject({
    id: z.string(),
    platform_id: z.string(),
    livemode: z.boolean(),
    ending: z.string().meta({ description: 'The last four characters of the key.' }),
    scopes: z.array(z.enum(scopes)),
    created_at: time,
    last_used_at: time.nullable(),
    expires_at: time.nullable(),
    revoked_at: time.nullable(),
  })
  .meta({ id: 'Key' });

export function keyView(key: ApiKey): z.infer<typeof keyShape> {
  return {
    id: key.id,
    platform_id: key.platformId,
    livemode: key.livemode === 1,
    ending: key.ending,
    scopes: z.array(z.enum(scopes)).parse(JSON.parse(key.scopes)),
    created_at: isoTime(key.createdAt),
    last_used_at: maybeTime(key.lastUsedAt),
    expires_at: maybeTime(key.expiresAt),
    revoked_at: maybeTime(key.revokedAt),
  };
}

export function maybeTime(at: number | null): string | null {
  return at === null ? null : isoTime(at);
}
