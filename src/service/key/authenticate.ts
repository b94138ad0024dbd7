import { z } from 'zod';
import { bearerToken, sameDigest, sha256 } from '../http/bearer.ts';
import type { MerchantStore } from '../merchant/merchant-store.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { Owner } from '../session/session-store.ts';

/** The scope without which a key creates no offline session. */
export const offlineScope = 'collections:offline';

/** Who calls, and what the key and the merchant allow. */
export type Caller = Owner & {
  kind: 'caller';
  merchantName: string;
  scopes: readonly string[];
  offlineApproved: boolean;
};

const handleLength = 16;

/** The part of a key's digest by which its row is found. */
export function handleOf(digest: string): string {
  return digest.slice(0, handleLength);
}

const scopesText = z.string().transform((text) => z.array(z.string()).parse(JSON.parse(text)));

/** Finds whose key an `Authorization` header holds. Unknown, revoked and missing keys are refused alike. */
export function authenticate(merchants: MerchantStore) {
  return async (header: string | undefined): Promise<Caller | Refused> => {
    const token = bearerToken(header);
    if (token === undefined || !/^sk_(test|live)_/.test(token)) return refuse('invalid_api_key');
    const digest = sha256(token);
    for (const { key, merchant } of await merchants.keysByHandle(handleOf(digest))) {
      if (!sameDigest(key.digest, digest)) continue;
      return {
        kind: 'caller',
        merchantId: merchant.id,
        livemode: key.livemode,
        merchantName: merchant.name,
        scopes: scopesText.parse(key.scopes),
        offlineApproved: merchant.offlineApprovedAt !== null,
      };
    }
    return refuse('invalid_api_key');
  };
}

/** What an offline create needs beyond a valid key. */
export function checkOffline(caller: Caller): Refused | undefined {
  if (!caller.scopes.includes(offlineScope)) return refuse('offline_scope_required');
  if (!caller.offlineApproved) return refuse('offline_mode_not_enabled');
  return undefined;
}
