import { intentOf, quoteFor } from '../effects/quote.ts';
import type { Menu } from '../schema.ts';
import type { MenuContext, MenuState, Step } from '../state/state.ts';
import { agree } from './confirm.ts';
import { confirmKeys } from './draw.ts';
import { screenOf } from './screen.ts';
import { close, endLost, rejectInput } from './show.ts';

/** The same payment was agreed to a short while ago: only a second yes, of its own, asks for it once more. */
export function takeAgain(
  menu: Menu,
  state: MenuState,
  typed: string,
  unseen: () => number,
  context: MenuContext,
): Step {
  const confirm = screenOf(menu, state.history?.at(-1)?.screen ?? '');
  const intent = intentOf(state.answers, context, quoteFor(state, context));
  if (confirm?.kind !== 'confirm' || intent === undefined) return endLost(menu, state);
  const keys = confirmKeys(state);
  if (typed === keys.no) return close(menu, state, 'cancelled', 'cancelled');
  if (typed !== keys.yes || unseen() > 0) return rejectInput(menu, state, context, 'invalidOption');
  const { duplicate: _, previousInput: _before, ...rest } = state;
  return agree(menu, confirm, rest, intent, context);
}
