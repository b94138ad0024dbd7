import type { Menu } from '../schema.ts';
import type { BuiltInScreenName } from '../screens/screen.ts';
import { show } from '../screens/show.ts';
import { resolveRoute } from './condition.ts';
import { enter } from './enter.ts';
import type { CallerHistory, MenuContext, MenuState, Step } from './state.ts';

/** The step after the payment screen: offers to resume an interrupted dialogue. */
export function afterPayment(
  menu: Menu,
  callerHistory: CallerHistory,
  context: MenuContext,
  lastInput?: string,
): Step {
  const { interrupted, suffix = [] } = callerHistory;
  if (interrupted === undefined || suffix.length > 0) {
    return afterResume(menu, callerHistory, context, lastInput);
  }
  return show(menu, builtInState(menu, '(resume)', callerHistory, lastInput), context);
}

/** The step after the resume screen: asks for a language, then starts the menu. */
export function afterResume(
  menu: Menu,
  callerHistory: CallerHistory,
  context: MenuContext,
  lastInput?: string,
): Step {
  const { suffix = [] } = callerHistory;
  const language = knownLanguage(menu, callerHistory);
  const asksLanguage = menu.askLanguage ?? menu.languages.length > 1;
  // A dialled suffix answers screens of the menu, so no built-in screen may come before them.
  if (asksLanguage && language === undefined && suffix.length === 0) {
    return show(menu, builtInState(menu, '(language)', callerHistory, lastInput), context);
  }
  return startMenu(menu, language ?? menu.languages[0], context, { lastInput, suffix });
}

/** Enters the first screen of the menu. The dialled suffix becomes the pending inputs. */
export function startMenu(
  menu: Menu,
  language: string,
  context: MenuContext,
  { lastInput, suffix = [] }: { lastInput?: string | undefined; suffix?: readonly string[] } = {},
): Step {
  const state = {
    screen: resolveRoute(menu.start, { answers: {}, language }, context),
    language,
    answers: {},
    invalidInputs: 0,
    ...(lastInput === undefined ? {} : { lastInput }),
    ...(suffix.length === 0 ? {} : { pendingInputs: suffix }),
  };
  return enter(menu, state, context);
}

/** The state on a built-in screen that a dialogue starts with. */
export function builtInState(
  menu: Menu,
  screen: BuiltInScreenName,
  callerHistory: CallerHistory,
  lastInput?: string,
): MenuState {
  return {
    screen,
    language: knownLanguage(menu, callerHistory) ?? menu.languages[0],
    answers: {},
    invalidInputs: 0,
    callerHistory,
    ...(lastInput === undefined ? {} : { lastInput }),
  };
}

function knownLanguage(menu: Menu, { language }: CallerHistory): string | undefined {
  return menu.languages.find((one) => one === language);
}
