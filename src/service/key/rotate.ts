import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Store } from '../../sqlite/store.ts';
import { type ApiError, apiError } from '../api-error.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import { type CreatedKey, generateKey } from './create.ts';
import type { KeyStore } from './key-store.ts';

/** A new key, and when the key that it replaces expires. */
export type RotatedKey = CreatedKey & { oldExpiresAt: EpochMs };

/**
 * Creates a key with the rights of another one, which then expires after `overlapMs`, or at its own expiry if that is
 * earlier. Only the result contains the new key itself.
 *
 * Returns `key_not_found`, or `key_revoked` for a key that is revoked or expired.
 */
export function rotateKey(deps: { store: Store; keys: KeyStore; clock: Clock; ids: Ids }) {
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
