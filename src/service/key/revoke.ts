import type { Store } from '../../db/store.ts';
import type { Clock } from '../../shared/clock.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { KeyStore } from './key-store.ts';

/** Ends a key at once. Done twice, the first time stays. */
export function revokeKey(deps: { store: Store; keys: KeyStore; clock: Clock }) {
  return async (keyId: string): Promise<{ kind: 'revoked' } | Refused> =>
    (await deps.store.apply([deps.keys.revoke(keyId, deps.clock.now())]))
      ? { kind: 'revoked' }
      : refuse('key_not_found');
}
