import type { Menu } from '../schema.ts';
import { pastResume } from '../state/begin.ts';
import { enter } from '../state/enter.ts';
import type { MenuContext, MenuState, Step } from '../state/state.ts';
import { offerKeys } from './keys.ts';
import { mistake } from './show.ts';

export function takeResume(menu: Menu, state: MenuState, typed: string, context: MenuContext): Step {
  const { arrival = {} } = state;
  const { cutOff } = arrival;
  const [goOn, startOver] = offerKeys(2, state, context);
  if (typed === goOn && cutOff) {
    // The dialogue before may still come back to life and agree: its quote is its own.
    const { notice: _, page: _page, quoted: _quoted, ...where } = beforeAgain(cutOff);
    return enter(menu, { ...where, mistakes: 0, lastInput: typed }, context);
  }
  if (typed === startOver) {
    const { cutOff: _, ...rest } = arrival;
    return pastResume(menu, rest, context, typed);
  }
  return mistake(menu, state, context, 'badChoice');
}

/** The screen that asks whether to pay the same once more begins with the one that it came from, and what it costs. */
function beforeAgain(cutOff: MenuState): MenuState {
  const stop = cutOff.trail?.at(-1);
  if (cutOff.screen !== '(again)' || stop === undefined) return cutOff;
  const { twin: _, inputBefore: _before, trail = [], ...where } = cutOff;
  return { ...where, ...stop, trail: trail.slice(0, -1) };
}
