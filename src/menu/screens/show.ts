import { takes as room } from '../../shared/screen-text.ts';
import type { Menu, MessageName } from '../schema.ts';
import { readAnswer } from '../state/answer.ts';
import { type Answers, endStates, type MenuContext, type MenuState, type Step } from '../state/state.ts';
import { message, sessionLostText } from '../text/messages.ts';
import { fill, pick, questionTemplateValues, type TemplateValues } from '../text/render.ts';
import { draw } from './draw.ts';
import { pagesOf } from './pages.ts';
import { type MenuScreen, screenOf } from './screen.ts';

/** Unusable inputs in a row that end a dialogue. */
export const maxInvalidInputs = 3;

/** Draws the page of the state's screen, with the reason why it is shown again on top. */
export function show(menu: Menu, state: MenuState, context: MenuContext, reason?: MessageName): Step {
  const screen = screenOf(menu, state.screen);
  if (screen === undefined) return endLost(menu, state);
  const noted = reason === undefined ? state : { ...state, notice: reason };
  const drawn = pages(menu, screen, noted, context);
  // With a notice on top there may have been more pages than there are without.
  const page = Math.min(state.page ?? 0, drawn.length - 1);
  const { page: _, ...first } = noted;
  const shown = page > 0 ? { ...first, page } : first;
  return {
    state: shown,
    reply: { kind: screen.kind === 'end' ? 'end' : 'continue', text: drawn[page] ?? '' },
  };
}

/** How many pages of the screen come after the one that is shown. */
export function pagesUnseen(menu: Menu, screen: MenuScreen, state: MenuState, context: MenuContext): number {
  return pages(menu, screen, state, context).length - 1 - (state.page ?? 0);
}

/** The pages of a screen as this state has it. An END is one page: nobody can turn it. */
function pages(menu: Menu, screen: MenuScreen, state: MenuState, context: MenuContext): string[] {
  const { language, history: trail = [] } = state;
  const { limit, alphabet } = context;
  const units = draw(menu, screen, state, context).filter((unit) => unit !== '');
  if (screen.kind === 'end') return [units.join('\n')];
  const why = noticeOf(menu, screen, state);
  const { back, more } = menu.keys;
  const canGoBack = back !== false && trail.length > 0 && !takes(screen, back, state.answers);
  const content = {
    units,
    more: `${more[0]}. ${message(menu, language, 'more')}`,
    back: canGoBack ? `${back}. ${message(menu, language, 'back')}` : undefined,
  };
  const fits = (page: string) => room(page, alphabet) <= limit;
  if (why === '') return pagesOf(content, fits);
  return pagesOf(content, (page) => fits(`${why}\n${page}`)).map((page) => `${why}\n${page}`);
}

/** Why the screen is shown again: in its own words where it has any for an answer that cannot be used. */
function noticeOf(menu: Menu, screen: MenuScreen, { language, notice }: MenuState): string {
  if (notice === undefined) return '';
  const templateValues = screen.kind === 'ask' ? questionTemplateValues(screen) : {};
  const own = screen.kind === 'ask' && notice !== 'typeAgain' ? screen.error : undefined;
  return own === undefined
    ? message(menu, language, notice, templateValues)
    : fill(pick(own, language), templateValues);
}

/** True for an input that is an answer to the screen's own question. */
export function takes(screen: MenuScreen, typed: string, answers: Answers): boolean {
  return screen.kind === 'ask' && readAnswer(screen, typed, answers).ok;
}

/** Counts an input that the screen cannot use, and shows the screen again; the third in a row ends the dialogue. */
export function rejectInput(menu: Menu, state: MenuState, context: MenuContext, reason: MessageName): Step {
  const mistakes = state.invalidInputs + 1;
  return mistakes >= maxInvalidInputs
    ? close(
        menu,
        state,
        'invalidInputs',
        asksToPay(menu, state) ? 'tooManyInvalidInputsNotPaid' : 'tooManyInvalidInputs',
      )
    : show(menu, { ...state, invalidInputs: mistakes }, context, reason);
}

/** Where a screen is about what was paid before, nobody is told that nothing was. */
function asksToPay(menu: Menu, { screen: name }: MenuState): boolean {
  const kind = screenOf(menu, name)?.kind;
  return kind !== 'status' && kind !== 'requests' && kind !== 'payment' && kind !== 'duplicate';
}

/** Ends a dialogue that stands where nothing can be shown. */
export function endLost(menu: Menu, state: MenuState): Step {
  const reply = { kind: 'end' as const, text: sessionLostText(menu, state.language) };
  return { state: { ...state, screen: endStates.lost }, reply };
}

/** Ends the dialogue with a message. */
export function close(
  menu: Menu,
  state: MenuState,
  closing: keyof typeof endStates,
  name: MessageName,
  templateValues: TemplateValues = {},
): Step {
  const reply = { kind: 'end' as const, text: message(menu, state.language, name, templateValues) };
  return { state: { ...state, screen: endStates[closing] }, reply };
}

/** Once anything else was typed on a screen, the input that led to it can no longer be a repeat. */
export function forgetInput({ lastInput: _, ...state }: MenuState): MenuState {
  return state;
}
