import { defaultScopes, scopes } from '../../contract/service/admin.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { type ApiError, apiError, isApiError } from '../api-error.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import { sha256 } from '../http/access.ts';
import { type MerchantStore, resolvePlatform } from '../merchant/merchant-store.ts';
import type { Livemode } from '../schema.ts';
import { keyHandle } from './authenticate.ts';
import type { ApiKey, KeyStore } from './key-store.ts';

export type NewKey = {
  merchantId: string;
  /** The merchant's first platform by default. */
  platformId?: string | undefined;
  livemode: boolean;
  /** By default `collections:offline`, the scope that the interface names, and in test mode `collections:web`. */
  scopes?: readonly string[] | undefined;
};

export type CreatedKey = { kind: 'key'; id: string; key: string };

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

/** Creates a secret key. Only the result contains the key itself. */
export function createSecretKey(deps: {
  store: Store;
  merchants: MerchantStore;
  keys: KeyStore;
  clock: Clock;
  ids: Ids;
  sandbox: boolean;
}) {
  return async (
    request: NewKey,
    extraWrites: ExtraWrites<CreatedKey> = noExtraWrites,
  ): Promise<CreatedKey | ApiError> => {
    if (request.livemode && deps.sandbox) return apiError('live_mode_off', { param: 'livemode' });
    const unknownScope = request.scopes?.find((scope) => !scopes.some((known) => known === scope));
    if (unknownScope !== undefined)
      return apiError('invalid_scope', { param: 'scopes', detail: `The scopes are ${scopes.join(', ')}.` });
    const platform = await resolvePlatform(deps.merchants, request);
    if (isApiError(platform)) return platform;
    const { key, row } = generateKey(deps, {
      merchantId: request.merchantId,
      platformId: platform.id,
      livemode: (request.livemode ? 1 : 0) satisfies Livemode,
      scopes: JSON.stringify(request.scopes ?? defaultScopes(request.livemode)),
    });
    const created: CreatedKey = { kind: 'key', id: row.id, key };
    if (!(await deps.store.apply([deps.keys.insert(row), ...extraWrites(created)]))) {
      throw new Error(`the identifier ${row.id} of a new key is already in use`);
    }
    return created;
  };
}

/** A new key, and when the key that it replaces expires. */
export type RotatedKey = CreatedKey & { oldExpiresAt: EpochMs };

/**
 * Creates a key with the rights of another one, which then expires after `overlapMs`, or at its own expiry if that is
 * earlier. Only the result contains the new key itself.
 *
 * Returns `key_not_found`, or `key_revoked` for a key that is revoked or expired.
 */
export function rotateSecretKey(deps: { store: Store; keys: KeyStore; clock: Clock; ids: Ids }) {
  return async (
    keyId: string,
    overlapMs: number,
    extraWrites: ExtraWrites<RotatedKey> = noExtraWrites,
  ): Promise<RotatedKey | ApiError> => {
    const old = await deps.keys.find(keyId);
    if (!old) return apiError('key_not_found');
    const now = deps.clock.now();
    if (old.revokedAt !== null || (old.expiresAt !== null && old.expiresAt <= now)) {
      return apiError('key_revoked');
    }
    const { merchantId, platformId, livemode, scopes } = old;
    const { key, row } = generateKey(deps, { merchantId, platformId, livemode, scopes });
    const oldExpiresAt = Math.min(old.expiresAt ?? Number.POSITIVE_INFINITY, now + overlapMs);
    const rotated: RotatedKey = { kind: 'key', id: row.id, key, oldExpiresAt };
    const writes = [deps.keys.expire(keyId, oldExpiresAt), deps.keys.insert(row), ...extraWrites(rotated)];
    if (!(await deps.store.apply(writes))) return apiError('key_revoked');
    return rotated;
  };
}

/** Revokes a key at once. A second revocation does not change the time of the first. */
export function revokeSecretKey(deps: { store: Store; keys: KeyStore; clock: Clock }) {
  return async (
    keyId: string,
    extraWrites: () => readonly Write[] = () => [],
  ): Promise<{ kind: 'revoked' } | ApiError> => {
    if (!(await deps.keys.find(keyId))) return apiError('key_not_found');
    await deps.store.apply([deps.keys.revoke(keyId, deps.clock.now()), ...extraWrites()]);
    return { kind: 'revoked' };
  };
}
