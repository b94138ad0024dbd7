import type { Store } from '../../sqlite/store.ts';
import { type ApiError, apiError } from '../api-error.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import type { Merchant, MerchantStore } from './merchant-store.ts';

/** Withdraws a merchant's approval for offline collections. New sessions are rejected; open ones continue. */
export function withdrawOffline(deps: { store: Store; merchants: MerchantStore }) {
  return async (
    merchantId: string,
    extraWrites: ExtraWrites<Merchant> = noExtraWrites,
  ): Promise<(Merchant & { kind: 'merchant' }) | ApiError> => {
    const found = await deps.merchants.find(merchantId);
    if (!found) return apiError('merchant_not_found');
    const merchant = { ...found, offlineApprovedAt: null };
    await deps.store.apply([deps.merchants.withdraw(merchantId), ...extraWrites(merchant)]);
    return { kind: 'merchant', ...merchant };
  };
}
