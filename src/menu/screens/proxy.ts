import type { ProxyScreen } from '../schema.ts';
import { nextTurn } from '../state/enter.ts';
import type { Step } from '../state/state.ts';
import type { ScreenInput } from './screen-input.ts';
import { forgetInput, rejectInput } from './show.ts';

/** Passes an input to the merchant's system. The keys of the menu never reach it, also where they lead nowhere. */
export function applyProxyInput({ menu, context, state, typed }: ScreenInput, screen: ProxyScreen): Step {
  const { back, home, more } = menu.keys;
  if (typed === '' || [back, home, ...more].includes(typed)) {
    return rejectInput(menu, forgetInput(state), context, 'invalidOption');
  }
  return nextTurn({ menu, context, screen, state }, typed);
}
