import type { Menu } from '../schema.ts';
import { show } from '../screens/show.ts';
import { afterPayment, builtInScreenState } from './begin.ts';
import type { CallerHistory, MenuContext, Step } from './state.ts';
import { dialAlong } from './step.ts';

/**
 * The first screen of a dialogue, for a dialler of whom something is known: a collection that is open or recent is
 * shown first, then a dialogue that was cut off is offered, then a language is asked for, then the menu begins. Pure.
 */
export function startDialogue(menu: Menu, arrival: CallerHistory, context: MenuContext): Step {
  const { lastInput, ...known } = arrival;
  const { payment: standing, suffix = [] } = known;
  // Attendants dial along what they want to know, between two customers.
  const isInHurry = context.isAttendant && suffix.length > 0;
  if (standing === undefined || isInHurry) {
    return dialAlong(menu, afterPayment(menu, known, context), context);
  }
  // A copy of the last yes, that comes after the redial, must not send the prompt again.
  const copied = standing.state === 'failed' ? lastInput : undefined;
  return show(menu, builtInScreenState(menu, '(payment)', known, copied), context);
}
