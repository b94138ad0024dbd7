import { readShortReference } from '../../shared/short-reference.ts';
import type { Menu } from '../schema.ts';
import type { MenuContext, MenuState, Step } from '../state/state.ts';
import { close, forgetInput, rejectInput } from './show.ts';

export function takeShortReference(menu: Menu, state: MenuState, typed: string, context: MenuContext): Step {
  if (!context.isAttendant) return close(menu, state, 'closed', 'attendantsOnly');
  const shortReference = readShortReference(typed);
  if (shortReference === undefined)
    return rejectInput(menu, forgetInput(state), context, 'invalidShortReference');
  // Only the ledger knows; nothing is said of a payment that nobody could look up.
  const without = close(menu, state, 'closed', 'statusUnavailable');
  return { ...without, effect: { kind: 'status', at: state, shortReference } };
}
