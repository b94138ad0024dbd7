import type { MessageName } from '../schema.ts';
import type { MenuContext, PaymentSummary } from '../state/state.ts';

/** What a payer can do about a collection, in the order in which it is offered. */
export type Offer = 'howToApprove' | 'sendPromptAgain' | 'newPayment' | 'blockRequests';

/**
 * What the state of a collection allows. It is asked for again only when it is final and unpaid, and only by who asked
 * for it: what another phone wanted is nobody's own payment. Where the fee is another by now, the payer must read it.
 */
export function offersOf(
  standing: PaymentSummary,
  { dialler, blocksRequests: isClosed }: MenuContext,
): Offer[] {
  const { state, payer, isFeeChanged } = standing;
  const isOwn = standing.dialler === dialler;
  const offers: Offer[] = [];
  if (state === 'waiting' || state === 'unknown') offers.push('howToApprove');
  if (state === 'failed' && isOwn && !isFeeChanged) offers.push('sendPromptAgain');
  offers.push('newPayment');
  if (payer === dialler && !isOwn && !isClosed) offers.push('blockRequests');
  return offers;
}

export const paymentMessages: Readonly<Record<PaymentSummary['state'], MessageName>> = {
  waiting: 'paymentWaiting',
  paid: 'paymentPaid',
  failed: 'paymentFailed',
  unknown: 'paymentUnknown',
};

/** What attendants read; that nothing has the reference is an answer too. */
export const statusMessages: Readonly<Record<PaymentSummary['state'], MessageName>> = {
  waiting: 'statusWaiting',
  paid: 'statusPaid',
  failed: 'statusFailed',
  unknown: 'statusUnknown',
};
