import type { Clock } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import { type ApiError, apiError } from '../api-error.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import type { MerchantStore, Sender } from './merchant-store.ts';

/** The senders that networks show: 3 to 11 letters, digits and inner spaces, with at least one letter. */
const senderPattern = /^(?=.*[A-Za-z])[A-Za-z0-9][A-Za-z0-9 ]{1,9}[A-Za-z0-9]$/;

/** Approves an SMS sender for a merchant. A second approval does not change the time of the first. */
export function approveSender(deps: { store: Store; merchants: MerchantStore; clock: Clock }) {
  const { store, merchants, clock } = deps;
  return async (
    merchantId: string,
    name: string,
    extraWrites: ExtraWrites<Sender> = noExtraWrites,
  ): Promise<(Sender & { kind: 'sender' }) | ApiError> => {
    if (!(await merchants.find(merchantId))) return apiError('merchant_not_found');
    if (!senderPattern.test(name)) return apiError('invalid_sender', { param: 'name' });
    const approved = await merchants.findSender(merchantId, name);
    const sender = approved ?? { merchantId, name, approvedAt: clock.now() };
    await store.apply([merchants.approveSender(sender), ...extraWrites(sender)]);
    return { kind: 'sender', ...sender };
  };
}
