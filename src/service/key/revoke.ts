import type { Clock } from '../../shared/clock.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { type ApiError, apiError } from '../api-error.ts';
import type { KeyStore } from './key-store.ts';

/** Revokes a key at once. A second revocation does not change the time of the first. */
export function revokeKey(deps: { store: Store; keys: KeyStore; clock: Clock }) {
  return async (
    keyId: string,
    extraWrites: () => readonly Write[] = () => [],
  ): Promise<{ kind: 'revoked' } | ApiError> => {
    if (!(await deps.keys.find(keyId))) return apiError('key_not_found');
    await deps.store.apply([deps.keys.revoke(keyId, deps.clock.now()), ...extraWrites()]);
    return { kind: 'revoked' };
  };
}
