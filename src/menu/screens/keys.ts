import type { MenuContext, MenuState } from '../state/state.ts';

/** Keys in the order of how rarely the next screen of a menu uses them. */
const rarestKeysFirst = ['7', '8', '9', '4', '5', '6', '3', '2', '1'];

/**
 * The keys of the options of a built-in screen, numbered from 1. Where a channel cannot distinguish repeats, the keys are
 * neither the input that led here nor, as a rule, a key of the next screen, so that no payer has to type an input twice
 * (scenario S02).
 */
export function offerKeys(
  count: number,
  { lastInput }: Pick<MenuState, 'lastInput'>,
  { sequenced }: Pick<MenuContext, 'sequenced'>,
): string[] {
  const free = rarestKeysFirst.filter((key) => key !== lastInput);
  if (!sequenced && count <= free.length) return free.slice(0, count);
  return Array.from({ length: count }, (_, i) => String(i + 1));
}
