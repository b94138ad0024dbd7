import type { Store } from '../../sqlite/store.ts';
import { type ApiError, apiError } from '../api-error.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import type { MerchantStore } from './merchant-store.ts';

type Removed = { kind: 'removed'; name: string };

/** Withdraws the approval of an SMS sender for future OTP requests. A name without an approval is not an error. */
export function removeSender(deps: { store: Store; merchants: MerchantStore }) {
  return async (
    merchantId: string,
    name: string,
    extraWrites: ExtraWrites<Removed> = noExtraWrites,
  ): Promise<Removed | ApiError> => {
    if (!(await deps.merchants.find(merchantId))) return apiError('merchant_not_found');
    const removed: Removed = { kind: 'removed', name };
    await deps.store.apply([deps.merchants.removeSender(merchantId, name), ...extraWrites(removed)]);
    return removed;
  };
}
