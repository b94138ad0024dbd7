import type { Menu } from '../schema.ts';
import type { BuiltInScreenName } from '../screens/screen.ts';
import { show } from '../screens/show.ts';
import { enter } from './enter.ts';
import type { CallerHistory, MenuContext, MenuState, Step } from './state.ts';

/** Past a collection that was shown: what was cut off is offered. */
export function afterPayment(
  menu: Menu,
  arrival: CallerHistory,
  context: MenuContext,
  lastInput?: string,
): Step {
  const { interrupted: cutOff, suffix = [] } = arrival;
  if (cutOff === undefined || suffix.length > 0) return afterResume(menu, arrival, context, lastInput);
  return show(menu, builtInScreenState(menu, '(resume)', arrival, lastInput), context);
}

/** Past that: a language is asked for, and the menu begins. */
export function afterResume(
  menu: Menu,
  arrival: CallerHistory,
  context: MenuContext,
  lastInput?: string,
): Step {
  const { language, suffix = [] } = arrival;
  const isAsked = menu.askLanguage ?? menu.languages.length > 1;
  // What was dialled along answers the menu's own screens.
  if (isAsked && languageOf(menu, language) === undefined && suffix.length === 0) {
    return show(menu, builtInScreenState(menu, '(language)', arrival, lastInput), context);
  }
  return startMenu(menu, languageOf(menu, language) ?? menu.languages[0], context, { lastInput, suffix });
}

/** The menu's first screen; what was dialled along is still to be typed there. */
export function startMenu(
  menu: Menu,
  language: string,
  context: MenuContext,
  { lastInput, suffix = [] }: { lastInput?: string | undefined; suffix?: readonly string[] } = {},
): Step {
  const state = {
    screen: menu.start,
    language,
    answers: {},
    invalidInputs: 0,
    ...(lastInput === undefined ? {} : { lastInput }),
    ...(suffix.length === 0 ? {} : { pendingInputs: suffix }),
  };
  return enter(menu, state, context);
}

/** The state on one of the gateway's own screens. */
export function builtInScreenState(
  menu: Menu,
  screen: BuiltInScreenName,
  arrival: CallerHistory,
  lastInput?: string,
): MenuState {
  const language = languageOf(menu, arrival.language) ?? menu.languages[0];
  return {
    screen,
    language,
    answers: {},
    invalidInputs: 0,
    callerHistory: arrival,
    ...(lastInput === undefined ? {} : { lastInput }),
  };
}

function languageOf(menu: Menu, language: string | undefined): string | undefined {
  return language !== undefined && menu.languages.includes(language) ? language : undefined;
}
