import type { Store } from '../../db/store.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Merchant, MerchantStore } from './merchant-store.ts';

/** Creates a merchant, not yet approved for offline collections. */
export function createMerchant(deps: { store: Store; merchants: MerchantStore; clock: Clock; ids: Ids }) {
  return async ({ name }: { name: string }): Promise<Merchant> => {
    const row: Merchant = {
      id: deps.ids.next('mch'),
      name,
      offlineApprovedAt: null,
      createdAt: deps.clock.now(),
    };
    if (!(await deps.store.apply([deps.merchants.insert(row)]))) {
      throw new Error('a new merchant found its identifier taken');
    }
    return row;
  };
}
