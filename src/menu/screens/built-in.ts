import { readShortReference, showShortReference } from '../../shared/short-reference.ts';
import type { Menu } from '../schema.ts';
import { contextAtStart } from '../state/condition.ts';
import { enter } from '../state/enter.ts';
import { afterPayment, afterResume, startMenu } from '../state/start-menu.ts';
import type { Intent, MenuContext, MenuState, PaymentSummary, Step } from '../state/state.ts';
import { paymentTemplateValues } from '../text/messages.ts';
import { listOffers, retryOperator } from './draw.ts';
import { offerKeys, type ScreenInput } from './screen.ts';
import { close, endLost, findNextPage, forgetInput, rejectInput } from './show.ts';

/** Starts the menu in the chosen language. */
export function applyLanguage({ menu, context, state, typed }: ScreenInput): Step {
  const { languages } = menu;
  const language = languages[offerKeys(languages.length, state, context).indexOf(typed)];
  if (language === undefined) return rejectInput(menu, state, context, 'invalidOption');
  const step = startMenu(menu, language, context, { lastInput: typed });
  return { ...step, preferences: [{ kind: 'language', language }] };
}

/** Continues the interrupted dialogue, or starts over. */
export function applyResumeChoice({ menu, context, state, typed }: ScreenInput): Step {
  const { callerHistory = {} } = state;
  const { interrupted, ...rest } = callerHistory;
  const [continueKey, startOverKey] = offerKeys(2, state, context);
  if (typed === continueKey && interrupted) {
    // The interrupted dialogue can still advance and use its quote, so the resumed one requests its own.
    const { notice: _, page: _page, quoted: _quoted, ...resumed } = beforeDuplicate(interrupted);
    return enter(
      menu,
      { ...resumed, invalidInputs: 0, lastInput: typed },
      contextAtStart(interrupted, context),
    );
  }
  if (typed === startOverKey) return afterResume(menu, rest, context, typed);
  return rejectInput(menu, state, context, 'invalidOption');
}

/** A dialogue that was interrupted on the duplicate screen resumes on the confirm screen, which names the total. */
function beforeDuplicate(interrupted: MenuState): MenuState {
  const confirm = interrupted.history?.at(-1);
  if (interrupted.screen !== '(duplicate)' || confirm === undefined) return interrupted;
  const { duplicate: _, previousInput: _previous, history = [], ...rest } = interrupted;
  return { ...rest, ...confirm, history: history.slice(0, -1) };
}

export function applyPaymentOffer(input: ScreenInput): Step {
  const { menu, context, state, typed } = input;
  const { payment, ...rest } = state.callerHistory ?? {};
  if (payment === undefined) return endLost(menu, state);
  const offers = listOffers(payment, context);
  const offer = offers[offerKeys(offers.length, state, context).indexOf(typed)];
  switch (offer) {
    case 'howToApprove': {
      const values = paymentTemplateValues(menu, state.language, payment, context);
      return close(menu, state, { endState: 'closed', message: 'approve', values });
    }
    case 'sendPromptAgain': {
      // The payer can only repeat a payment whose text was shown completely.
      if (findNextPage(input) !== undefined) break;
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

/** Handles the choice whether other phones may request payments from the dialler's number. */
export function applyRequestsChoice({ menu, context, state, typed }: ScreenInput): Step {
  if (typed === '2') return close(menu, state, { endState: 'closed', message: 'unchanged' });
  if (typed !== '1') return rejectInput(menu, forgetInput(state), context, 'invalidOption');
  return changeRequests(menu, state, !context.blocksRequests);
}

/** Ends the dialogue and blocks or allows requests from other phones. */
function changeRequests(menu: Menu, state: MenuState, blocksRequests: boolean): Step {
  const message = blocksRequests ? 'requestsBlocked' : 'requestsAllowed';
  const step = close(menu, state, { endState: 'closed', message });
  return { ...step, preferences: [{ kind: 'requests', blocksRequests }] };
}

/** Reads the short reference that an attendant typed, and requests the status of its payment. */
export function applyShortReference({ menu, context, state, typed }: ScreenInput): Step {
  if (!context.isAttendant) return close(menu, state, { endState: 'closed', message: 'attendantsOnly' });
  const shortReference = readShortReference(typed);
  if (shortReference === undefined) {
    return rejectInput(menu, forgetInput(state), context, 'invalidShortReference');
  }
  const step = close(menu, state, { endState: 'closed', message: 'statusUnavailable' });
  return { ...step, effect: { kind: 'status', state, shortReference } };
}
