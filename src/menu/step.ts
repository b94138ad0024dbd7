import { unreachable } from '../shared/errors.ts';
import { septets } from '../shared/screen-text.ts';
import { readAnswer } from './answer.ts';
import { message, sessionLostText } from './messages.ts';
import { pagesOf } from './pages.ts';
import { fill, knownOperator, likelyOperator, pick, questionValues, valuesOf } from './render.ts';
import type {
  AskScreen,
  ChooseScreen,
  ConfirmScreen,
  Menu,
  MessageName,
  Preset,
  Screen,
  Text,
} from './schema.ts';
import { type Answers, closings, type MenuContext, type MenuState, type Step } from './state.ts';

/** A USSD string has 160 octets, 182 septets: nobody types more. */
const longestInput = 182;
const mostMistakes = 3;

/** Screens that a payer can go back to; more than any menu needs. */
const longestTrail = 20;

/** The first screen of a dialogue. Pure, as `step` is. */
export function start(menu: Menu, context: MenuContext): Step {
  return begin(menu, menu.languages[0], context);
}

function begin(menu: Menu, language: string, context: MenuContext): Step {
  return show(menu, { screen: menu.start, language, answers: {}, mistakes: 0 }, context);
}

/**
 * The next screen for one input. Never throws for any input or state; a dialogue that is over, or that stands
 * on a screen which the menu no longer has, is answered with END and never with an intent.
 */
export function step(menu: Menu, before: MenuState, input: string, context: MenuContext): Step {
  const typed = input.trim().slice(0, longestInput);
  const { notice: _, ...state } = before;
  const screen = screenOf(menu, state.screen);
  if (screen === undefined || screen.kind === 'end') return lose(menu, state);
  const unseen = () => pages(menu, screen, before, context).length - 1 - (state.page ?? 0);
  const turned = turn(menu, screen, state, typed, unseen, context);
  if (turned) return turned;
  switch (screen.kind) {
    case 'choose':
      return isPossibleRepeat(state, typed, context)
        ? holdBack(menu, state, context)
        : choose(menu, screen, state, typed, context);
    case 'ask':
      return isPossibleRepeat(state, typed, context)
        ? holdBack(menu, state, context)
        : answer(menu, screen, state, typed, context);
    case 'confirm':
      return decide(menu, screen, state, typed, unseen, context);
    default:
      return unreachable(screen);
  }
}

/**
 * Turns the page, or goes back or home, where the input is the key for it; `undefined` where it is not, or where
 * there is nothing there. What the screen itself takes as an answer is no key. A repeat of a key that arrives late can
 * at worst turn once more: it never answers anything.
 */
function turn(
  menu: Menu,
  screen: Screen,
  { page = 0, ...state }: MenuState,
  typed: string,
  unseen: () => number,
  context: MenuContext,
): Step | undefined {
  const { back, home, more } = menu.keys;
  if (takes(screen, typed, state.answers)) return undefined;
  // The input that led to the screen stays remembered: a repeat of it can still arrive.
  const turnTo = (next: number) =>
    show(menu, { ...state, mistakes: 0, ...(next > 0 && { page: next }) }, context);
  if (more.includes(typed) && unseen() > 0) return turnTo(page + 1);
  if (typed === back && page > 0) return turnTo(page - 1);
  const stop = state.trail?.at(-1);
  if (!stop) return undefined;
  if (typed === home) return begin(menu, state.language, context);
  if (typed !== back) return undefined;
  const trail = state.trail?.slice(0, -1) ?? [];
  return show(menu, { ...stop, language: state.language, mistakes: 0, lastInput: typed, trail }, context);
}

/** True for an input that is an answer to the screen's own question. */
function takes(screen: Screen, typed: string, answers: Answers): boolean {
  return screen.kind === 'ask' && readAnswer(screen, typed, answers).ok;
}

/** The state on the next screen: what was on this one is left behind on the trail. */
function leave(
  { screen, answers, trail = [] }: MenuState,
  to: Pick<MenuState, 'screen' | 'language' | 'answers' | 'lastInput'>,
): MenuState {
  const behind = to.screen === screen ? trail : [...trail, { screen, answers }].slice(-longestTrail);
  return { ...to, mistakes: 0, ...(behind.length > 0 && { trail: behind }) };
}

/**
 * Without a sequence a repeated request looks like the payer's next answer, so the input that led here is not
 * taken on trust (scenario S02).
 */
function isPossibleRepeat(state: MenuState, typed: string, context: MenuContext): boolean {
  return !context.sequenced && typed === state.lastInput;
}

function holdBack(menu: Menu, state: MenuState, context: MenuContext): Step {
  return show(menu, forgetInput(state), context, 'typedAgain');
}

function choose(
  menu: Menu,
  screen: ChooseScreen,
  state: MenuState,
  typed: string,
  context: MenuContext,
): Step {
  const option = /^[1-9]$/.test(typed) ? screen.options[Number(typed) - 1] : undefined;
  if (option === undefined) return mistake(menu, forgetInput(state), context, 'badChoice');
  const answers = applyPreset(option.set ?? {}, state.answers);
  const language = languageAfter(menu, option.language, state.language);
  return show(menu, leave(state, { screen: option.to, language, answers, lastInput: typed }), context);
}

function applyPreset({ payer, amount, reference, operator }: Preset, answers: Answers): Answers {
  const { payer: _other, operator: _named, ...own } = answers;
  return {
    ...(payer === 'own' ? own : answers),
    ...(amount === undefined ? {} : { amountMinor: amount }),
    ...(reference === undefined ? {} : { reference }),
    ...(operator === undefined ? {} : { operator }),
  };
}

function languageAfter(menu: Menu, wanted: string | undefined, current: string): string {
  if (wanted !== 'next') return wanted ?? current;
  const next = (menu.languages.indexOf(current) + 1) % menu.languages.length;
  return menu.languages[next] ?? menu.languages[0];
}

function answer(menu: Menu, screen: AskScreen, state: MenuState, typed: string, context: MenuContext): Step {
  const reading = readAnswer(screen, typed, state.answers);
  if (!reading.ok) return mistake(menu, forgetInput(state), context, reading.reason);
  const { answers } = reading;
  const to = { screen: screen.to, language: state.language, answers, lastInput: typed };
  return show(menu, leave(state, to), context);
}

function decide(
  menu: Menu,
  screen: ConfirmScreen,
  state: MenuState,
  typed: string,
  unseen: () => number,
  context: MenuContext,
): Step {
  const { amountMinor, payer = context.dialler, reference } = state.answers;
  if (amountMinor === undefined) return lose(menu, state);
  const keys = confirmKeys(state);
  if (typed === keys.no) return close(menu, state, 'cancelled', 'cancelled');
  // Nobody agrees to what was not shown yet.
  if (typed !== keys.yes || unseen() > 0) return mistake(menu, state, context, 'badChoice');
  const { reply, state: ended } = show(menu, { ...state, screen: screen.to, mistakes: 0 }, context);
  if (reply.kind !== 'end') return lose(menu, state);
  const hint = knownOperator(state.answers, context);
  const intent = { payer, amountMinor, reference, ...(hint === undefined ? {} : { operatorHint: hint }) };
  return { state: ended, reply, intent };
}

/**
 * The keys of a confirm screen are never the input that led to it: a repeat of that input must not say yes,
 * nor no (scenario S02). Mistakes on the screen leave them as they are.
 */
function confirmKeys({ lastInput }: MenuState): { yes: string; no: string } {
  return { yes: lastInput === '1' ? '7' : '1', no: lastInput === '2' ? '8' : '2' };
}

function mistake(menu: Menu, state: MenuState, context: MenuContext, reason: MessageName): Step {
  const mistakes = state.mistakes + 1;
  return mistakes >= mostMistakes
    ? close(menu, state, 'mistakes', 'tooManyMistakes')
    : show(menu, { ...state, mistakes }, context, reason);
}

function lose(menu: Menu, state: MenuState): Step {
  const reply = { kind: 'end' as const, text: sessionLostText(menu, state.language) };
  return { state: { ...state, screen: closings.lost }, reply };
}

function close(menu: Menu, state: MenuState, closing: keyof typeof closings, name: MessageName): Step {
  const reply = { kind: 'end' as const, text: message(menu, state.language, name) };
  return { state: { ...state, screen: closings[closing] }, reply };
}

/** Once anything else was typed on a screen, the input that led to it can no longer be a repeat. */
function forgetInput({ lastInput, ...state }: MenuState): MenuState {
  return state;
}

/** Draws the page of the state's screen, with the reason why it is shown again on top. */
function show(menu: Menu, state: MenuState, context: MenuContext, reason?: MessageName): Step {
  const screen = screenOf(menu, state.screen);
  if (screen === undefined) return lose(menu, state);
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

/** The pages of a screen as this state has it. An END is one page: nobody can turn it. */
function pages(menu: Menu, screen: Screen, state: MenuState, context: MenuContext): string[] {
  const { language, notice, trail = [] } = state;
  const units = draw(menu, screen, state, context).filter((unit) => unit !== '');
  if (screen.kind === 'end') return [units.join('\n')];
  const values = screen.kind === 'ask' ? questionValues(screen) : {};
  const why = notice === undefined ? '' : message(menu, language, notice, values);
  const { back, more } = menu.keys;
  const canGoBack = back !== false && trail.length > 0 && !takes(screen, back, state.answers);
  const content = {
    units,
    more: `${more[0]}. ${message(menu, language, 'more')}`,
    back: canGoBack ? `${back}. ${message(menu, language, 'back')}` : undefined,
  };
  if (why === '') return pagesOf(content, context.limit);
  return pagesOf(content, context.limit - septets(`${why}\n`)).map((page) => `${why}\n${page}`);
}

/** What a screen says: each line of its text, each option. */
function draw(menu: Menu, screen: Screen, state: MenuState, context: MenuContext): string[] {
  const { language, answers } = state;
  const values = valuesOf(answers, context);
  const lines = (text: Text, all = values) => fill(pick(text, language), all).split('\n');
  switch (screen.kind) {
    case 'choose': {
      const options = screen.options.map(
        ({ label }, i) => `${i + 1}. ${fill(pick(label, language), values)}`,
      );
      return [...lines(screen.text), ...options];
    }
    case 'ask':
      return lines(screen.text, { ...values, ...questionValues(screen) });
    case 'confirm': {
      const keys = confirmKeys(state);
      return [
        ...lines(screen.text),
        `${keys.yes}. ${message(menu, language, 'yes')}`,
        `${keys.no}. ${message(menu, language, 'no')}`,
      ];
    }
    case 'end':
      return lines(screen.operators[likelyOperator(answers, context)] ?? screen.text);
    default:
      return unreachable(screen);
  }
}

function screenOf(menu: Menu, name: string): Screen | undefined {
  return Object.hasOwn(menu.screens, name) ? menu.screens[name] : undefined;
}
