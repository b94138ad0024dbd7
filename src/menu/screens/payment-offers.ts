import type { MessageName } from '../schema.ts';
import type { MenuContext, PaymentSummary } from '../state/state.ts';
import { likelyOperator } from '../text/render.ts';

/** An option of the payment screen. */
export type Offer = 'howToApprove' | 'sendPromptAgain' | 'newPayment' | 'blockRequests';

/**
 * The options for a payment, in the order of the screen. A prompt is sent again only for a payment that is final and
 * unpaid, only by the dialler who requested it, and only where it can end otherwise: after a changed fee, the payer must
 * read the new one first, and the service must offer the network.
 */
export function offersOf(payment: PaymentSummary, context: MenuContext): Offer[] {
  const { dialler, blocksRequests, networks } = context;
  const { state, payer, isRetryExcluded } = payment;
  const isRequester = payment.dialler === dialler;
  const offers: Offer[] = [];
  if (state === 'waiting' || state === 'unknown') offers.push('howToApprove');
  const operator = payment.operator ?? likelyOperator({ payer }, context);
  const canSucceed = !isRetryExcluded && networks[operator] !== null;
  if (state === 'failed' && isRequester && canSucceed) offers.push('sendPromptAgain');
  offers.push('newPayment');
  if (payer === dialler && !isRequester && !blocksRequests) offers.push('blockRequests');
  return offers;
}

/** The message of the payment screen for each state. */
export const paymentMessages: Readonly<Record<PaymentSummary['state'], MessageName>> = {
  waiting: 'paymentWaiting',
  confirming: 'paymentConfirming',
  paid: 'paymentPaid',
  failed: 'paymentFailed',
  unknown: 'paymentUnknown',
};

/** The message that answers an attendant's status request for each state. */
export const statusMessages: Readonly<Record<PaymentSummary['state'], MessageName>> = {
  waiting: 'statusWaiting',
  confirming: 'statusConfirming',
  paid: 'statusPaid',
  failed: 'statusFailed',
  unknown: 'statusUnknown',
};
