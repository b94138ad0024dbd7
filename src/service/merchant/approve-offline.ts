import type { Clock } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import { type ApiError, apiError } from '../api-error.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import type { Merchant, MerchantStore } from './merchant-store.ts';

type Result = (Merchant & { kind: 'merchant' }) | ApiError;

/** Approves a merchant for offline collections. A second approval does not change the time of the first. */
export function approveOffline(deps: { store: Store; merchants: MerchantStore; clock: Clock }) {
  return async (merchantId: string, extraWrites: ExtraWrites<Merchant> = noExtraWrites): Promise<Result> => {
    const now = deps.clock.now();
    const found = await deps.merchants.find(merchantId);
    if (!found) return apiError('merchant_not_found');
    const merchant = { ...found, offlineApprovedAt: found.offlineApprovedAt ?? now };
    await deps.store.apply([deps.merchants.approve(merchantId, now), ...extraWrites(merchant)]);
    return { kind: 'merchant', ...merchant };
  };
}
