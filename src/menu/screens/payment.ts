import { showShortReference } from '../../shared/short-reference.ts';
import type { Menu } from '../schema.ts';
import { afterPayment } from '../state/begin.ts';
import type { Intent, MenuContext, MenuState, PaymentSummary, Step } from '../state/state.ts';
import { paymentTemplateValues } from '../text/messages.ts';
import { knownOperator } from '../text/render.ts';
import { offerKeys } from './keys.ts';
import { offersOf } from './payment-offers.ts';
import { changeRequests } from './requests.ts';
import { close, endLost, rejectInput } from './show.ts';

/** What a payer does about a collection that is open or recent. */
export function takeOffer(
  menu: Menu,
  state: MenuState,
  typed: string,
  unseen: () => number,
  context: MenuContext,
): Step {
  const { callerHistory: arrival = {} } = state;
  const { payment: standing } = arrival;
  if (standing === undefined) return endLost(menu, state);
  const offers = offersOf(standing, context);
  const offer = offers[offerKeys(offers.length, state, context).indexOf(typed)];
  switch (offer) {
    case 'howToApprove':
      return close(menu, state, 'closed', 'approve', paymentTemplateValues(standing, context));
    case 'sendPromptAgain': {
      // Nobody asks for money on a page that was not read to its end.
      if (unseen() > 0) break;
      const said = {
        ...paymentTemplateValues(standing, context),
        // Of the new one: the old one is over.
        short_reference: showShortReference(context.shortReference),
      };
      const ended = close(menu, state, 'closed', 'promptSentAgain', said);
      return { ...ended, intent: againIntent(standing, context) };
    }
    case 'newPayment': {
      const { payment: _, ...rest } = arrival;
      return afterPayment(menu, rest, context, typed);
    }
    case 'blockRequests':
      return changeRequests(menu, state, true, context);
    default:
  }
  return rejectInput(menu, state, context, 'invalidOption');
}

function againIntent(standing: PaymentSummary, context: MenuContext): Intent {
  const { payer, amountMinor, reference, id, chargeMinor } = standing;
  // What the last screen says will be asked for is what may be taken.
  const shownTotalMinor = standing.shownTotalMinor ?? (chargeMinor > amountMinor ? chargeMinor : undefined);
  const hint = standing.operator ?? knownOperator({ payer }, context);
  const { shortReference } = context;
  return {
    payer,
    amountMinor,
    reference,
    shortReference,
    retryOf: id,
    ...(hint === undefined ? {} : { operatorHint: hint }),
    ...(shownTotalMinor === undefined ? {} : { shownTotalMinor }),
  };
}
