import type { Store } from '../../db/store.ts';
import type { Clock } from '../../shared/clock.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { Merchant, MerchantStore } from './merchant-store.ts';

type Result = (Merchant & { kind: 'merchant' }) | Refused;

/** Approves a merchant for offline collections. Done twice, the first time stays. */
export function approveOffline(deps: { store: Store; merchants: MerchantStore; clock: Clock }) {
  return async (merchantId: string): Promise<Result> => {
    await deps.store.apply([deps.merchants.approve(merchantId, deps.clock.now())]);
    const merchant = await deps.merchants.find(merchantId);
    return merchant ? { kind: 'merchant', ...merchant } : refuse('merchant_not_found');
  };
}

/** Takes the approval back: new offline sessions are refused, open ones go on. */
export function withdrawOffline(deps: { store: Store; merchants: MerchantStore }) {
  return async (merchantId: string): Promise<Result> => {
    await deps.store.apply([deps.merchants.withdraw(merchantId)]);
    const merchant = await deps.merchants.find(merchantId);
    return merchant ? { kind: 'merchant', ...merchant } : refuse('merchant_not_found');
  };
}
