import type { Menu } from '../schema.ts';
import type { MenuState, Step } from '../state/state.ts';
import type { ScreenInput } from './screen-input.ts';
import { close, forgetInput, rejectInput } from './show.ts';

/** Handles the choice whether other phones may request payments from the dialler's number. */
export function applyRequestsChoice({ menu, context, state, typed }: ScreenInput): Step {
  if (typed === '2') return close(menu, state, { endState: 'closed', message: 'unchanged' });
  if (typed !== '1') return rejectInput(menu, forgetInput(state), context, 'invalidOption');
  return changeRequests(menu, state, !context.blocksRequests);
}

/** Ends the dialogue and blocks or allows requests from other phones. */
export function changeRequests(menu: Menu, state: MenuState, blocksRequests: boolean): Step {
  const message = blocksRequests ? 'requestsBlocked' : 'requestsAllowed';
  const step = close(menu, state, { endState: 'closed', message });
  return { ...step, preferences: [{ kind: 'requests', blocksRequests }] };
}
