import type { MenuContext, MenuState } from '../state/state.ts';

/** Where a repeat looks like the next answer: keys that menus seldom have on the screen that comes next. */
const seldom = ['7', '8', '9', '4', '5', '6', '3', '2', '1'];

/**
 * The keys of a screen of the gateway's own, one for each offer. Numbered from 1; where a channel cannot tell repeats,
 * they are neither the input that led here nor, as a rule, what leads on from the next screen, so that nobody is held
 * back (scenario S02).
 */
export function offerKeys(
  count: number,
  { lastInput }: Pick<MenuState, 'lastInput'>,
  { sequenced }: Pick<MenuContext, 'sequenced'>,
): string[] {
  const free = seldom.filter((key) => key !== lastInput);
  if (!sequenced && count <= free.length) return free.slice(0, count);
  return Array.from({ length: count }, (_, i) => String(i + 1));
}
