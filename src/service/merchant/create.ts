import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Store } from '../../sqlite/store.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import type { Merchant, MerchantStore, Platform } from './merchant-store.ts';

/** Creates a merchant with one platform. The merchant is not approved for offline collections yet. */
export function createMerchant(deps: { store: Store; merchants: MerchantStore; clock: Clock; ids: Ids }) {
  return async (
    { name }: { name: string },
    extraWrites: ExtraWrites<Merchant> = noExtraWrites,
  ): Promise<Merchant> => {
    const createdAt = deps.clock.now();
    const row: Merchant = { id: deps.ids.next('mch'), name, offlineApprovedAt: null, createdAt };
    const platform: Platform = { id: deps.ids.next('plt'), merchantId: row.id, name, createdAt };
    const writes = [deps.merchants.insert(row), deps.merchants.insertPlatform(platform), ...extraWrites(row)];
    if (!(await deps.store.apply(writes)))
      throw new Error(`the identifier ${row.id} of a new merchant is already in use`);
    return row;
  };
}
