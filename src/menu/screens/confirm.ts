import { intentOf, quoteFor } from '../effects/quote.ts';
import type { ConfirmScreen, Menu } from '../schema.ts';
import { paymentAnswersOf } from '../state/payment-answers.ts';
import type { Intent, MenuContext, MenuState, Step } from '../state/state.ts';
import { confirmKeys } from './draw.ts';
import type { ScreenInput } from './screen-input.ts';
import { close, endLost, nextPageOf, rejectInput, show } from './show.ts';

/** Handles yes and no on a confirm screen. A yes becomes an intent after the duplicate check. */
export function applyConfirmation(input: ScreenInput, screen: ConfirmScreen): Step {
  const { menu, context, state, typed } = input;
  const intent = intentOf(state.answers, context, quoteFor(state, context));
  if (intent === undefined) return endLost(menu, state);
  const keys = confirmKeys(state);
  if (typed === keys.no) return close(menu, state, { endState: 'cancelled', message: 'cancelled' });
  // A payer can only confirm a text that was shown completely.
  const isComplete = typed === keys.yes && nextPageOf(input) === undefined;
  if (!isComplete) return rejectInput(menu, state, context, 'invalidOption');
  const confirmed = confirmedStep(menu, state, context, { screen, intent });
  return confirmed.intent ? { ...confirmed, effect: { kind: 'duplicate', state, intent } } : confirmed;
}

/** The end screen after a confirm screen, with the intent and its answers. */
export function confirmedStep(
  menu: Menu,
  { page: _, ...state }: MenuState,
  context: MenuContext,
  { screen, intent }: { screen: ConfirmScreen; intent: Intent },
): Step {
  const { reply, state: ended } = show(menu, { ...state, screen: screen.to, invalidInputs: 0 }, context);
  if (reply.kind !== 'end') return endLost(menu, state);
  const answers = paymentAnswersOf(menu, state.answers);
  return { state: ended, reply, intent: answers.length === 0 ? intent : { ...intent, answers } };
}
