import { type Operator, operatorByPrefix } from '../../shared/msisdn.ts';
import type { MessageName } from '../schema.ts';
import type { MenuContext, PaymentSummary, RejectionMessage } from '../state/state.ts';
import { knownOperator } from '../text/render.ts';

/** An option of the payment screen. */
export type Offer = 'howToApprove' | 'sendPromptAgain' | 'newPayment' | 'blockRequests';

/** The options for a payment, in the order of the screen. */
export function listOffers(payment: PaymentSummary, context: MenuContext): Offer[] {
  const { dialler, blocksRequests } = context;
  const { state, payer } = payment;
  const isRequester = payment.dialler === dialler;
  const offers: Offer[] = [];
  if (state === 'waiting' || state === 'unknown') offers.push('howToApprove');
  if (canRepeat(payment, context) && findRetryRejection(payment, context) === undefined)
    offers.push('sendPromptAgain');
  offers.push('newPayment');
  if (payer === dialler && !isRequester && !blocksRequests) offers.push('blockRequests');
  return offers;
}

/**
 * True when a prompt may be sent again: the payment is final and unpaid, the dialler requested it, and it can end otherwise. After a changed fee, the payer must read the new one first.
 */
export function canRepeat(
  { state, dialler, isRetryExcluded }: PaymentSummary,
  context: MenuContext,
): boolean {
  return state === 'failed' && dialler === context.dialler && !isRetryExcluded;
}

/** Returns why a payment that may be repeated cannot be repeated now; `undefined` when it can, or for any other payment. */
export function findRetryRejection(
  payment: PaymentSummary,
  context: MenuContext,
): RejectionMessage | undefined {
  if (!canRepeat(payment, context)) return undefined;
  const operator = retryOperator(payment, context) ?? operatorByPrefix(payment.payer);
  return context.networks[operator] === null ? 'networkNotOffered' : payment.retryRejection;
}

/** The payer's operator as the aggregator names it now: the earlier collection may have had a guess, or another phone's choice. */
export function retryOperator(
  { payer, operator }: PaymentSummary,
  context: MenuContext,
): Operator | undefined {
  return knownOperator({ payer }, context) ?? operator;
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
