import type { Clock } from '../../shared/clock.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { type Refused, refuse } from '../api-error.ts';
import type { KeyStore } from './key-store.ts';

/** Ends a key at once. Done twice, the first time stays. */
export function revokeKey(deps: { store: Store; keys: KeyStore; clock: Clock }) {
  return async (
    keyId: string,
    along: () => readonly Write[] = () => [],
  ): Promise<{ kind: 'revoked' } | Refused> => {
    if (!(await deps.keys.find(keyId))) return refuse('key_not_found');
    await deps.store.apply([deps.keys.revoke(keyId, deps.clock.now()), ...along()]);
    return { kind: 'revoked' };
  };
}
