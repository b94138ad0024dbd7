import { z } from 'zod';
import {
  type Key,
  type Merchant as MerchantView,
  type Platform as PlatformView,
  scopes,
} from '../../contract/service/admin.ts';
import { isoTime, isoTimeOrNull } from '../http/time.ts';
import type { ApiKey } from '../key/key-store.ts';
import type { Merchant, Platform } from '../merchant/merchant-store.ts';

/* Rows of the database as the admin API returns them. */

export function merchantView(merchant: Merchant): MerchantView {
  return {
    id: merchant.id,
    name: merchant.name,
    offline_approved_at: isoTimeOrNull(merchant.offlineApprovedAt),
    created_at: isoTime(merchant.createdAt),
  };
}

export function platformView(platform: Platform): PlatformView {
  return {
    id: platform.id,
    merchant_id: platform.merchantId,
    name: platform.name,
    created_at: isoTime(platform.createdAt),
  };
}

const scopeList = z.array(z.enum(scopes));

export function keyView(key: ApiKey): Key {
  return {
    id: key.id,
    platform_id: key.platformId,
    livemode: key.livemode === 1,
    ending: key.ending,
    scopes: scopeList.parse(JSON.parse(key.scopes)),
    created_at: isoTime(key.createdAt),
    last_used_at: isoTimeOrNull(key.lastUsedAt),
    expires_at: isoTimeOrNull(key.expiresAt),
    revoked_at: isoTimeOrNull(key.revokedAt),
  };
}
