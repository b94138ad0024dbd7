import type { Menu } from '../schema.ts';
import { show } from '../screens/show.ts';
import { afterPayment, builtInState } from './start-menu.ts';
import type { CallerHistory, MenuContext, Step } from './state.ts';
import { applyPendingInputs } from './step.ts';
import { keepStart } from './time-condition.ts';

/**
 * Returns the first step of a dialogue. In this order: an open or recent payment is shown, an interrupted dialogue is
 * offered, a language is asked for, the menu starts.
 */
export function startDialogue(menu: Menu, history: CallerHistory, context: MenuContext): Step {
  return keepStart(menu, firstStep(menu, history, context), context);
}

function firstStep(menu: Menu, history: CallerHistory, context: MenuContext): Step {
  const { lastInput, ...callerHistory } = history;
  const { payment, suffix = [] } = callerHistory;
  // An attendant who dials a suffix enters the menu directly.
  const skipsPayment = context.isAttendant && suffix.length > 0;
  if (payment === undefined || skipsPayment) {
    return applyPendingInputs(menu, afterPayment(menu, callerHistory, context), context);
  }
  // A late repeat of the last confirmation must not send the prompt again.
  const avoided = payment.state === 'failed' ? lastInput : undefined;
  return show(menu, builtInState(menu, '(payment)', callerHistory, avoided), context);
}
