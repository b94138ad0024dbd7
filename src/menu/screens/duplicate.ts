import { intentOf, quoteFor } from '../effects/quote.ts';
import type { Menu } from '../schema.ts';
import { leave } from '../state/enter.ts';
import type { MenuContext, MenuState, PaymentSummary, Step } from '../state/state.ts';
import { confirmedStep } from './confirm.ts';
import { confirmKeys } from './draw.ts';
import { screenOf } from './screen.ts';
import type { ScreenInput } from './screen-input.ts';
import { close, endLost, nextPageOf, rejectInput, show } from './show.ts';

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
  const screen = screenOf(menu, state.history?.at(-1)?.screen ?? '');
  const intent = intentOf(state.answers, context, quoteFor(state, context));
  if (screen?.kind !== 'confirm' || intent === undefined) return endLost(menu, state);
  const keys = confirmKeys(state);
  if (typed === keys.no) return close(menu, state, { endState: 'cancelled', message: 'cancelled' });
  const isComplete = typed === keys.yes && nextPageOf(input) === undefined;
  if (!isComplete) return rejectInput(menu, state, context, 'invalidOption');
  const { duplicate: _, previousInput: _previous, ...rest } = state;
  return confirmedStep(menu, rest, context, { screen, intent });
}
