import { localForm } from '../../shared/msisdn.ts';
import { countSeptets } from '../../shared/screen-text.ts';
import type { Menu, MessageName } from '../schema.ts';
import { readAnswer } from '../state/answer.ts';
import { type Answers, endStates, type MenuContext, type MenuState, type Step } from '../state/state.ts';
import { message, sessionLostText } from '../text/messages.ts';
import { fill, pick, questionTemplateValues, type TemplateValues } from '../text/render.ts';
import { draw } from './draw.ts';
import { splitPages, withoutLongUnits } from './pages.ts';
import { findScreen, type MenuScreen, type ScreenInput } from './screen.ts';

/** Invalid inputs in a row that end a dialogue. */
export const maxInvalidInputs = 3;

/** Shows the current page of the state's screen. `notice` is a message above it. */
export function show(menu: Menu, before: MenuState, context: MenuContext, notice?: MessageName): Step {
  const screen = findScreen(menu, before.screen);
  if (screen === undefined) return endLost(menu, before);
  const state = notice === undefined ? before : { ...before, notice };
  const pages = pagesOn(menu, screen, state, context);
  // The notice takes room, so there may have been more pages with it than without it.
  const page = Math.min(state.page ?? 0, pages.length - 1);
  const { page: _, ...onFirstPage } = state;
  return {
    state: page > 0 ? { ...onFirstPage, page } : onFirstPage,
    reply: { kind: screen.kind === 'end' ? 'end' : 'continue', text: pages[page] ?? '' },
  };
}

/**
 * Returns the page after the one that is shown; `undefined` on the last one. A page with a notice above it has less room: the
 * page that follows is the same one without the notice, where lines would be left out otherwise.
 */
export function findNextPage({ menu, screen, before, state, context }: ScreenInput): number | undefined {
  const { page = 0, notice } = before;
  const shown = pagesOn(menu, screen, before, context);
  if (page >= shown.length - 1) return undefined;
  if (notice === undefined) return page + 1;
  const withoutNotice = pagesOn(menu, screen, state, context);
  return shown[page]?.endsWith(withoutNotice[page] ?? '') ? page + 1 : page;
}

/** The pages of a screen in this state. An END screen has one page, because it takes no key. */
function pagesOn(menu: Menu, screen: MenuScreen, state: MenuState, context: MenuContext): string[] {
  const { language, history = [] } = state;
  const { limit, alphabet, lineBreak } = context;
  const units = draw(menu, screen, state, context).filter((unit) => unit !== '');
  if (screen.kind === 'end') return [units.join('\n')];
  const notice = noticeText(menu, screen, state);
  const { back, more } = menu.keys;
  const canGoBack = back !== false && history.length > 0 && !isAnswer(screen, back, state.answers);
  const content = {
    units,
    more: `${more[0]}. ${message(menu, language, 'more')}`,
    back: canGoBack ? `${back}. ${message(menu, language, 'back')}` : undefined,
  };
  const above = notice === '' ? '' : `${notice}\n`;
  const fits = (page: string) => countSeptets(above + page, alphabet, lineBreak) <= limit;
  // The lines of the merchant's system have no proof that they fit.
  const fitting = screen.kind === 'proxy' ? withoutLongUnits(content, fits) : content;
  return splitPages(fitting, fits).map((page) => above + page);
}

/** The notice above the screen. The `error` text of a question replaces the message for an invalid answer. */
export function noticeText(menu: Menu, screen: MenuScreen, { language, notice, answers }: MenuState): string {
  if (notice === undefined) return '';
  const values = screen.kind === 'ask' ? questionTemplateValues(screen, answers) : {};
  const error = screen.kind === 'ask' && notice !== 'typeAgain' ? screen.error : undefined;
  return error === undefined ? message(menu, language, notice, values) : fill(pick(error, language), values);
}

/** True for an input that the screen takes as the answer to its question. */
export function isAnswer(screen: MenuScreen, typed: string, answers: Answers): boolean {
  return screen.kind === 'ask' && readAnswer(screen, typed, answers).ok;
}

/** Counts an invalid input and shows the screen again; the third in a row ends the dialogue. */
export function rejectInput(menu: Menu, state: MenuState, context: MenuContext, notice: MessageName): Step {
  const invalidInputs = state.invalidInputs + 1;
  if (invalidInputs < maxInvalidInputs) return show(menu, { ...state, invalidInputs }, context, notice);
  const name = isBeforePayment(menu, state) ? 'tooManyInvalidInputsNotPaid' : 'tooManyInvalidInputs';
  return close(menu, state, { endState: 'invalidInputs', message: name });
}

/** False for screens about an earlier payment or a setting, where "nothing was paid" would be misleading. */
function isBeforePayment(menu: Menu, { screen: name }: MenuState): boolean {
  const kind = findScreen(menu, name)?.kind;
  return kind !== 'status' && kind !== 'requests' && kind !== 'payment' && kind !== 'duplicate';
}

/** Ends a dialogue whose state has no screen that can be shown. */
export function endLost(menu: Menu, state: MenuState): Step {
  const reply = { kind: 'end' as const, text: sessionLostText(menu, state.language) };
  return { state: { ...state, screen: endStates.lost }, reply };
}

/** How a dialogue ends without an end screen of the menu. */
export type Closing = {
  readonly endState: keyof typeof endStates;
  readonly message: MessageName;
  readonly values?: TemplateValues;
};

/** Ends the dialogue with a message. */
export function close(menu: Menu, state: MenuState, { endState, message: name, values = {} }: Closing): Step {
  const reply = { kind: 'end' as const, text: message(menu, state.language, name, values) };
  return { state: { ...state, screen: endStates[endState] }, reply };
}

/** Ends the dialogue before a payment that cannot be made, instead of a confirm screen. */
export function rejectPayment(
  menu: Menu,
  state: MenuState,
  { merchant, dialler }: MenuContext,
  name: 'paymentNotPossible' | 'networkNotOffered',
): Step {
  const values = { merchant, payer: localForm(state.answers.payer ?? dialler) };
  return close(menu, state, { endState: 'closed', message: name, values });
}

/** After another input on the same screen, the input that led to it can no longer be a repeat. */
export function forgetInput({ lastInput: _, ...state }: MenuState): MenuState {
  return state;
}
