import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Store } from '../../sqlite/store.ts';
import { type ApiError, apiError } from '../api-error.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import type { MerchantStore, Platform } from './merchant-store.ts';

/** Creates a further platform of a merchant: a site or a till with keys and a webhook URL of its own. */
export function createPlatform(deps: { store: Store; merchants: MerchantStore; clock: Clock; ids: Ids }) {
  return async (
    asked: { merchantId: string; name: string },
    extraWrites: ExtraWrites<Platform> = noExtraWrites,
  ): Promise<(Platform & { kind: 'platform' }) | ApiError> => {
    if (!(await deps.merchants.find(asked.merchantId))) return apiError('merchant_not_found');
    const row: Platform = { id: deps.ids.next('plt'), ...asked, createdAt: deps.clock.now() };
    if (!(await deps.store.apply([deps.merchants.insertPlatform(row), ...extraWrites(row)]))) {
      throw new Error('a new platform found its identifier taken');
    }
    return { kind: 'platform', ...row };
  };
}
