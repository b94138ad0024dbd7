import { localForm } from '../../shared/msisdn.ts';
import { countSeptets } from '../../shared/screen-text.ts';
import type { Menu, MessageName } from '../schema.ts';
import { readAnswer } from '../state/answer.ts';
import { type Answers, endStates, type MenuContext, type MenuState, type Step } from '../state/state.ts';
import { message, sessionLostText } from '../text/messages.ts';
import { fill, pick, questionTemplateValues, type TemplateValues } from '../text/render.ts';
import { draw } from './draw.ts';
import { findScreen, type MenuScreen, type ScreenInput } from './screen.ts';

/** Invalid inputs in a row that end a dialogue. */
export const maxInvalidInputs = 3;

/** Shows the current page of the state's screen. `notice` is a message above it. */
export function show(menu: Menu, before: MenuState, context: MenuContext, notice?: MessageName): Step {
  const screen = findScreen(menu, before.screen);
  if (screen === undefined) return endLost(menu, before);
  const state = notice === undefined ? before : { ...before, notice };
  const pages = pagesOn(menu, screen, state, context);
  // The notice takes a part of the page, so there may have been more pages with it than without it.
  const page = Math.min(state.page ?? 0, pages.length - 1);
  const { page: _, ...onFirstPage } = state;
  return {
    state: page > 0 ? { ...onFirstPage, page } : onFirstPage,
    reply: { kind: screen.kind === 'end' ? 'end' : 'continue', text: pages[page] ?? '' },
  };
}

/**
 * Returns the page after the one that is shown; `undefined` on the last one. A page with a notice above it holds fewer lines: the
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
  // The kind of the last refused input is counted.
  return close(menu, { ...state, notice }, { endState: 'invalidInputs', message: name });
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
type Closing = {
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

/** The content of a screen before it is divided into pages. */
type Content = {
  /** Lines and options, each kept whole. */
  readonly units: readonly string[];
  /** The line for the next page, on every page but the last. */
  readonly more: string;
  /** The line for the back key; the first line to be left out when the page is full. */
  readonly back: string | undefined;
};

/** Divides a screen into pages of whole units. A unit too long for any page has its own; the channel cuts it, the prover reports it. */
function splitPages({ units, more, back }: Content, fits: (page: string) => boolean): string[] {
  const whole = units.join('\n');
  if (fits(whole)) return [withBack(whole, back, fits)];
  const pages: string[] = [];
  let page = '';
  for (const unit of units) {
    const longer = page === '' ? unit : `${page}\n${unit}`;
    if (page !== '' && !fits(`${longer}\n${more}`)) {
      pages.push(`${page}\n${more}`);
      page = unit;
    } else {
      page = longer;
    }
  }
  return [...pages, withBack(page, back, fits)];
}

function withBack(page: string, back: string | undefined, fits: (page: string) => boolean): string {
  const longer = back === undefined ? page : `${page}\n${back}`;
  return fits(longer) ? longer : page;
}

/** Returns the content with the units that are too long for a page divided: after a word, or else within one. */
function withoutLongUnits(content: Content, fits: (page: string) => boolean): Content {
  const fitsOnPage = (unit: string) => fits(`${unit}\n${content.more}`);
  return { ...content, units: content.units.flatMap((unit) => divide(unit, fitsOnPage)) };
}

function divide(unit: string, fits: (part: string) => boolean): string[] {
  const parts: string[] = [];
  let rest = unit;
  while (!fits(rest)) {
    const head = maxHead(rest, fits);
    const lastBlank = head.lastIndexOf(' ');
    const part = lastBlank > head.length / 2 ? head.slice(0, lastBlank) : head;
    parts.push(part);
    rest = rest.slice(part.length).trimStart();
    // Where not even one character fits, nothing can be divided.
    if (rest === '') return parts;
  }
  return [...parts, rest];
}

/** The start of a text that fits, of at least one character. */
function maxHead(text: string, fits: (part: string) => boolean): string {
  const characters = Array.from(text);
  const head = (count: number) => characters.slice(0, count).join('');
  let fitting = 1;
  let tooLong = characters.length;
  while (tooLong - fitting > 1) {
    const middle = Math.floor((fitting + tooLong) / 2);
    if (fits(head(middle))) fitting = middle;
    else tooLong = middle;
  }
  return head(fitting);
}
