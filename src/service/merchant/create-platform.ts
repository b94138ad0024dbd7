import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Store } from '../../sqlite/store.ts';
import { type ApiError, apiError } from '../api-error.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import type { MerchantStore, Platform } from './merchant-store.ts';

/** Creates another platform of a merchant, such as a website, with keys and a webhook URL of its own. */
export function createPlatform(deps: { store: Store; merchants: MerchantStore; clock: Clock; ids: Ids }) {
  return async (
    request: { merchantId: string; name: string },
    extraWrites: ExtraWrites<Platform> = noExtraWrites,
  ): Promise<(Platform & { kind: 'platform' }) | ApiError> => {
    if (!(await deps.merchants.find(request.merchantId))) return apiError('merchant_not_found');
    const row: Platform = { id: deps.ids.next('plt'), ...request, createdAt: deps.clock.now() };
    if (!(await deps.store.apply([deps.merchants.insertPlatform(row), ...extraWrites(row)]))) {
      throw new Error(`the identifier ${row.id} of a new platform is already in use`);
    }
    return { kind: 'platform', ...row };
  };
}
