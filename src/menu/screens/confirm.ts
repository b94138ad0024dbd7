import { createIntent, quoteFor } from '../effects/quote.ts';
import type { ConfirmScreen, Menu } from '../schema.ts';
import { leave } from '../state/enter.ts';
import { listPaymentAnswers } from '../state/payment-answers.ts';
import type { Intent, MenuContext, MenuState, PaymentSummary, Step } from '../state/state.ts';
import { confirmKeys } from './draw.ts';
import { findScreen, type ScreenInput } from './screen.ts';
import { close, endLost, findNextPage, rejectInput, show } from './show.ts';

/** Handles yes and no on a confirm screen. A yes becomes an intent after the duplicate check. */
export function applyConfirmation(input: ScreenInput, screen: ConfirmScreen): Step {
  const { menu, context, state, typed } = input;
  const intent = createIntent(state.answers, context, quoteFor(state, context));
  if (intent === undefined) return endLost(menu, state);
  const keys = confirmKeys(state);
  if (typed === keys.no) return close(menu, state, { endState: 'cancelled', message: 'cancelled' });
  // A payer can only confirm a text that was shown completely.
  const isComplete = typed === keys.yes && findNextPage(input) === undefined;
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
  const answers = listPaymentAnswers(menu, state.answers);
  return { state: ended, reply, intent: answers.length === 0 ? intent : { ...intent, answers } };
}

/** Shows the duplicate screen after a confirmation on the confirm screen of `state`. */
export function showDuplicate(
  menu: Menu,
  state: MenuState,
  context: MenuContext,
  duplicate: PaymentSummary,
): Step {
  const { language, answers, lastInput: previousInput } = state;
  const { yes: lastInput } = confirmKeys(state);
  const next = leave(state, { screen: '(duplicate)', language, answers, lastInput });
  return show(
    menu,
    { ...next, duplicate, ...(previousInput === undefined ? {} : { previousInput }) },
    context,
  );
}

/** Handles yes and no on the duplicate screen: only this second confirmation pays the same again. */
export function applyDuplicateConfirmation(input: ScreenInput): Step {
  const { menu, context, state, typed } = input;
  const screen = findScreen(menu, state.history?.at(-1)?.screen ?? '');
  const intent = createIntent(state.answers, context, quoteFor(state, context));
  if (screen?.kind !== 'confirm' || intent === undefined) return endLost(menu, state);
  const keys = confirmKeys(state);
  if (typed === keys.no) return close(menu, state, { endState: 'cancelled', message: 'cancelled' });
  const isComplete = typed === keys.yes && findNextPage(input) === undefined;
  if (!isComplete) return rejectInput(menu, state, context, 'invalidOption');
  const { duplicate: _, previousInput: _previous, ...rest } = state;
  return confirmedStep(menu, rest, context, { screen, intent });
}
