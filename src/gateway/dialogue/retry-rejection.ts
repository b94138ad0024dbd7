import { retryIntent } from '../../menu/screens/payment.ts';
import { canRepeat } from '../../menu/screens/payment-offers.ts';
import type { MenuContext, PaymentSummary } from '../../menu/state/state.ts';
import { findRejectionMessage } from './open-collection.ts';
import { getRequestedBy } from './prepare-collection.ts';
import type { DialogueDeps, Turn } from './types.ts';

/**
 * Returns the payment with the reason why its repetition would be rejected now: an outage, or a guard of the insert. Only a payment
 * that may be repeated costs a query.
 *
 * An open collection of the payer is no reason here: only a phone that requests a payment, and is counted for it, may read from
 * the answer whether somebody else is paying at the moment.
 */
export async function withRetryRejection(
  {
    collections,
    health,
    settings,
    clock,
  }: Pick<DialogueDeps, 'collections' | 'health' | 'settings' | 'clock'>,
  turn: Turn,
  payment: PaymentSummary,
  context: MenuContext,
): Promise<PaymentSummary> {
  if (!canRepeat(payment, context)) return payment;
  const { merchant } = turn.channel;
  const { id: merchantId, livemode } = merchant;
  if (health.isRefusing(merchantId)) return { ...payment, retryRejection: 'paymentNotPossible' };
  const { dialler } = turn.request;
  const { payer, amountMinor: goodsMinor, shortReference, retryOf = null } = retryIntent(payment, context);
  const requestedBy = getRequestedBy(merchant, dialler, payer);
  const key = { merchantId, livemode, dialler, payer, requestedBy, retryOf, goodsMinor, shortReference };
  const rejection = await collections.findRejection(key, settings.limits, clock.now());
  if (rejection === undefined || rejection === 'open' || rejection === 'reference') return payment;
  const retryRejection = findRejectionMessage(turn, payment, rejection);
  return { ...payment, ...(retryRejection ? { retryRejection } : { isRetryExcluded: true }) };
}
