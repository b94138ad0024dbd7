import { readShortReference } from '../../shared/short-reference.ts';
import type { Step } from '../state/state.ts';
import type { ScreenInput } from './screen-input.ts';
import { close, forgetInput, rejectInput } from './show.ts';

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
