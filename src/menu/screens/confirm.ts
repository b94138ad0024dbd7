import { intentOf, quoteFor } from '../effects/quote.ts';
import type { ConfirmScreen, Menu } from '../schema.ts';
import { leave } from '../state/enter.ts';
import type { Intent, MenuContext, MenuState, Step } from '../state/state.ts';
import { confirmKeys } from './draw.ts';
import { close, endLost, rejectInput, show } from './show.ts';

export function takeDecision(
  menu: Menu,
  screen: ConfirmScreen,
  state: MenuState,
  typed: string,
  unseen: () => number,
  context: MenuContext,
): Step {
  const intent = intentOf(state.answers, context, quoteFor(state, context));
  if (intent === undefined) return endLost(menu, state);
  const keys = confirmKeys(state);
  if (typed === keys.no) return close(menu, state, 'cancelled', 'cancelled');
  // Nobody agrees to what was not shown yet.
  if (typed !== keys.yes || unseen() > 0) return rejectInput(menu, state, context, 'invalidOption');
  const twin = context.duplicateOf(intent);
  if (twin === undefined) return agree(menu, screen, state, intent, context);
  const { language, answers } = state;
  const again = leave(state, { screen: '(duplicate)', language, answers, lastInput: typed });
  const { lastInput: previousInput } = state;
  return show(
    menu,
    { ...again, duplicate: twin, ...(previousInput === undefined ? {} : { previousInput }) },
    context,
  );
}

/** The last screen of a payer's yes, and what it asks for. */
export function agree(
  menu: Menu,
  screen: ConfirmScreen,
  state: MenuState,
  intent: Intent,
  context: MenuContext,
): Step {
  const { page: _, ...rest } = state;
  const { reply, state: ended } = show(menu, { ...rest, screen: screen.to, invalidInputs: 0 }, context);
  return reply.kind === 'end' ? { state: ended, reply, intent } : endLost(menu, state);
}
