import { showShortReference } from '../../shared/short-reference.ts';
import { afterPayment } from '../state/start-menu.ts';
import type { Intent, MenuContext, PaymentSummary, Step } from '../state/state.ts';
import { paymentTemplateValues } from '../text/messages.ts';
import { offerKeys } from './keys.ts';
import { offersOf, retryOperator } from './payment-offers.ts';
import { changeRequests } from './requests.ts';
import type { ScreenInput } from './screen-input.ts';
import { close, endLost, nextPageOf, rejectInput } from './show.ts';

/** Handles an offer of the payment screen. */
export function applyPaymentOffer(input: ScreenInput): Step {
  const { menu, context, state, typed } = input;
  const { payment, ...rest } = state.callerHistory ?? {};
  if (payment === undefined) return endLost(menu, state);
  const offers = offersOf(payment, context);
  const offer = offers[offerKeys(offers.length, state, context).indexOf(typed)];
  switch (offer) {
    case 'howToApprove': {
      const values = paymentTemplateValues(menu, state.language, payment, context);
      return close(menu, state, { endState: 'closed', message: 'approve', values });
    }
    case 'sendPromptAgain': {
      // The payer can only repeat a payment whose text was shown completely.
      if (nextPageOf(input) !== undefined) break;
      const operator = retryOperator(payment, context);
      const values = {
        ...paymentTemplateValues(
          menu,
          state.language,
          { ...payment, ...(operator && { operator }) },
          context,
        ),
        // The new collection has a short reference of its own.
        short_reference: showShortReference(context.shortReference()),
      };
      const step = close(menu, state, { endState: 'closed', message: 'promptSentAgain', values });
      return { ...step, intent: retryIntent(payment, context) };
    }
    case 'newPayment':
      return afterPayment(menu, rest, context, typed);
    case 'blockRequests':
      return changeRequests(menu, state, true);
    default:
  }
  return rejectInput(menu, state, context, 'invalidOption');
}

/** Returns the intent that repeats a final, unpaid collection with the total that the screen names. */
export function retryIntent(payment: PaymentSummary, context: MenuContext): Intent {
  const { payer, amountMinor, reference, id, chargeMinor } = payment;
  const shownTotalMinor = payment.shownTotalMinor ?? (chargeMinor > amountMinor ? chargeMinor : undefined);
  const operatorHint = retryOperator(payment, context);
  return {
    payer,
    amountMinor,
    reference,
    shortReference: context.shortReference(),
    retryOf: id,
    ...(operatorHint === undefined ? {} : { operatorHint }),
    ...(shownTotalMinor === undefined ? {} : { shownTotalMinor }),
  };
}
