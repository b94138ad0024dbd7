import type { Store } from '../../db/store.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import { type Refused, refuse } from '../refusal.ts';
import { drawKey, type MadeKey } from './create.ts';
import type { KeyStore } from './key-store.ts';

/**
 * Makes a key with the same rights in the place of another, which goes on working for `overlapMs`. The answer is
 * the only place where the new key is ever seen.
 */
export function rotateKey(deps: { store: Store; keys: KeyStore; clock: Clock; ids: Ids }) {
  return async (keyId: string, overlapMs: number): Promise<MadeKey | Refused> => {
    const old = await deps.keys.find(keyId);
    if (!old) return refuse('key_not_found');
    const { merchantId, platformId, livemode, scopes } = old;
    const { key, row } = drawKey(deps, { merchantId, platformId, livemode, scopes });
    const writes = [deps.keys.expire(keyId, deps.clock.now() + overlapMs), deps.keys.insert(row)];
    if (!(await deps.store.apply(writes))) return refuse('key_revoked');
    return { kind: 'key', id: row.id, key };
  };
}
