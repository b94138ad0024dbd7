import { defaultScopes, scopes } from '../../contract/service/admin.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { ServiceContext } from '../context.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import { type ApiError, apiError, isApiError } from '../http/response.ts';
import { resolvePlatform } from '../merchant/merchant-store.ts';
import { keyHandle, sha256 } from './authenticate.ts';
import type { ApiKey } from './key-store.ts';

export type NewKey = {
  merchantId: string;
  /** The merchant's first platform by default. */
  platformId?: string | undefined;
  livemode: boolean;
  /** By default `collections:offline`, the scope that the interface names, and in test mode `collections:web`. */
  scopes?: readonly string[] | undefined;
};

export type CreatedKey = { id: string; key: string };

/** Generates a secret key and its row, which contains only the digest. */
function generateKey(
  { ids, clock }: { ids: Ids; clock: Clock },
  rights: Pick<ApiKey, 'merchantId' | 'platformId' | 'livemode' | 'scopes'>,
): { key: string; row: ApiKey } {
  const key = `sk_${rights.livemode ? 'live' : 'test'}_${ids.secret()}`;
  const digest = sha256(key);
  const row = {
    ...rights,
    id: ids.next('key'),
    handle: keyHandle(digest),
    digest,
    ending: key.slice(-4),
    createdAt: clock.now(),
    revokedAt: null,
    expiresAt: null,
    lastUsedAt: null,
  };
  return { key, row };
}

/** A new key, and when the key that it replaces expires. */
export type RotatedKey = CreatedKey & { oldExpiresAt: EpochMs };

/** Creates the operations on secret keys. Only their results contain a key itself. */
export function createKeyOperations(
  deps: Pick<ServiceContext, 'store' | 'merchants' | 'keys' | 'clock' | 'ids' | 'sandbox'>,
) {
  const { store, merchants, keys, clock, sandbox } = deps;
  return {
    async createKey(
      request: NewKey,
      extraWrites: ExtraWrites<CreatedKey> = noExtraWrites,
    ): Promise<CreatedKey | ApiError> {
      if (request.livemode && sandbox) return apiError('live_mode_off', { param: 'livemode' });
      const unknownScope = request.scopes?.find((scope) => !scopes.some((known) => known === scope));
      if (unknownScope !== undefined)
        return apiError('invalid_scope', { param: 'scopes', detail: `The scopes are ${scopes.join(', ')}.` });
      const platform = await resolvePlatform(merchants, request);
      if (isApiError(platform)) return platform;
      const { key, row } = generateKey(deps, {
        merchantId: request.merchantId,
        platformId: platform.id,
        livemode: request.livemode ? 1 : 0,
        scopes: JSON.stringify(request.scopes ?? defaultScopes(request.livemode)),
      });
      const created: CreatedKey = { id: row.id, key };
      if (await store.apply([keys.insert(row), ...extraWrites(created)])) return created;
      throw new Error(`the identifier ${row.id} of a new key is already in use`);
    },
    /**
     * Creates a key with the rights of another one, which then expires after `overlapMs`, or at its own expiry if that is earlier.
     *
     * Returns `key_not_found`, or `key_revoked` for a key that is revoked or expired.
     */
    async rotateKey(
      keyId: string,
      overlapMs: number,
      extraWrites: ExtraWrites<RotatedKey> = noExtraWrites,
    ): Promise<RotatedKey | ApiError> {
      const old = await keys.find(keyId);
      if (!old) return apiError('key_not_found');
      const now = clock.now();
      if (old.revokedAt !== null || (old.expiresAt !== null && old.expiresAt <= now))
        return apiError('key_revoked');
      const { merchantId, platformId, livemode, scopes } = old;
      const { key, row } = generateKey(deps, { merchantId, platformId, livemode, scopes });
      const oldExpiresAt = Math.min(old.expiresAt ?? Number.POSITIVE_INFINITY, now + overlapMs);
      const rotated: RotatedKey = { id: row.id, key, oldExpiresAt };
      const expire = keys.expire({ id: keyId, at: oldExpiresAt });
      const applied = await store.apply([expire, keys.insert(row), ...extraWrites(rotated)]);
      return applied ? rotated : apiError('key_revoked');
    },
    /** Revokes a key at once, and returns its id. A second revocation does not change the time of the first. */
    async revokeKey(
      id: string,
      extraWrites: ExtraWrites<string> = noExtraWrites,
    ): Promise<string | ApiError> {
      if (!(await keys.find(id))) return apiError('key_not_found');
      await store.apply([keys.revoke({ id, at: clock.now() }), ...extraWrites(id)]);
      return id;
    },
  };
}
