import type { Store } from '../../db/store.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import { sha256 } from '../http/bearer.ts';
import type { MerchantStore } from '../merchant/merchant-store.ts';
import { type Refused, refuse } from '../refusal.ts';
import { handleOf, offlineScope } from './authenticate.ts';

export type NewKey = {
  merchantId: string;
  livemode: boolean;
  /** `collections:offline` when left out. */
  scopes?: readonly string[];
};

/** Creates a secret key. The answer is the only place where the key itself is ever seen. */
export function createKey(deps: { store: Store; merchants: MerchantStore; clock: Clock; ids: Ids }) {
  return async (asked: NewKey): Promise<{ kind: 'key'; id: string; key: string } | Refused> => {
    if (!(await deps.merchants.find(asked.merchantId))) return refuse('merchant_not_found');
    const id = deps.ids.next('key');
    const key = `sk_${asked.livemode ? 'live' : 'test'}_${deps.ids.secret()}`;
    const digest = sha256(key);
    const row = {
      id,
      merchantId: asked.merchantId,
      livemode: asked.livemode ? (1 as const) : (0 as const),
      handle: handleOf(digest),
      digest,
      ending: key.slice(-4),
      scopes: JSON.stringify(asked.scopes ?? [offlineScope]),
      createdAt: deps.clock.now(),
      revokedAt: null,
    };
    if (!(await deps.store.apply([deps.merchants.insertKey(row)]))) {
      throw new Error('a new key found its identifier taken');
    }
    return { kind: 'key', id, key };
  };
}
