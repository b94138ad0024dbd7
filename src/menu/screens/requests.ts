import type { Menu } from '../schema.ts';
import type { MenuContext, MenuState, Step } from '../state/state.ts';
import { close, forgetInput, rejectInput } from './show.ts';

export function takeRequests(menu: Menu, state: MenuState, typed: string, context: MenuContext): Step {
  if (typed === '2') return close(menu, state, 'closed', 'unchanged');
  if (typed !== '1') return rejectInput(menu, forgetInput(state), context, 'invalidOption');
  return changeRequests(menu, state, !context.blocksRequests, context);
}

/** Ends the dialogue with the number open to requests from other phones, or closed. */
export function changeRequests(menu: Menu, state: MenuState, isClosed: boolean, context: MenuContext): Step {
  const name = isClosed ? 'requestsBlocked' : 'requestsAllowed';
  const ended = close(menu, state, 'closed', name, { merchant: context.merchant });
  return { ...ended, preferences: [{ kind: 'requests', isClosed }] };
}
