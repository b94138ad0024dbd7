import type { Menu } from '../schema.ts';
import { afterResume } from '../state/begin.ts';
import { enter } from '../state/enter.ts';
import type { MenuContext, MenuState, Step } from '../state/state.ts';
import { offerKeys } from './keys.ts';
import { rejectInput } from './show.ts';

export function takeResume(menu: Menu, state: MenuState, typed: string, context: MenuContext): Step {
  const { callerHistory: arrival = {} } = state;
  const { interrupted: cutOff } = arrival;
  const [goOn, startOver] = offerKeys(2, state, context);
  if (typed === goOn && cutOff) {
    // The dialogue before may still come back to life and agree: its quote is its own.
    const { notice: _, page: _page, quoted: _quoted, ...where } = beforeAgain(cutOff);
    return enter(menu, { ...where, invalidInputs: 0, lastInput: typed }, context);
  }
  if (typed === startOver) {
    const { interrupted: _, ...rest } = arrival;
    return afterResume(menu, rest, context, typed);
  }
  return rejectInput(menu, state, context, 'invalidOption');
}

/** The screen that asks whether to pay the same once more begins with the one that it came from, and what it costs. */
function beforeAgain(cutOff: MenuState): MenuState {
  const stop = cutOff.history?.at(-1);
  if (cutOff.screen !== '(duplicate)' || stop === undefined) return cutOff;
  const { duplicate: _, previousInput: _before, history: trail = [], ...where } = cutOff;
  return { ...where, ...stop, history: trail.slice(0, -1) };
}
