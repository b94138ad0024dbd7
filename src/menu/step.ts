import { unreachable } from '../shared/errors.ts';
import { readAnswer } from './answer.ts';
import { message, sessionLostText } from './messages.ts';
import { fill, knownOperator, likelyOperator, pick, questionValues, valuesOf } from './render.ts';
import type { AskScreen, ChooseScreen, ConfirmScreen, Menu, MessageName, Preset, Screen } from './schema.ts';
import { type Answers, closings, type MenuContext, type MenuState, type Step } from './state.ts';

/** A USSD string has 160 octets, 182 septets: nobody types more. */
const longestInput = 182;
const mostMistakes = 3;

/** The first screen of a dialogue. Pure, as `step` is. */
export function start(menu: Menu, context: MenuContext): Step {
  const state: MenuState = { screen: menu.start, language: menu.languages[0], answers: {}, mistakes: 0 };
  return show(menu, state, context);
}

/**
 * The next screen for one input. Never throws for any input or state; a dialogue that is over, or that stands
 * on a screen which the menu no longer has, is answered with END and never with an intent.
 */
export function step(menu: Menu, state: MenuState, input: string, context: MenuContext): Step {
  const typed = input.trim().slice(0, longestInput);
  const screen = screenOf(menu, state.screen);
  if (screen === undefined || screen.kind === 'end') return lose(menu, state);
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
      return decide(menu, screen, state, typed, context);
    default:
      return unreachable(screen);
  }
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
  return show(menu, { screen: option.to, language, answers, mistakes: 0, lastInput: typed }, context);
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
  return show(
    menu,
    { screen: screen.to, language: state.language, answers, mistakes: 0, lastInput: typed },
    context,
  );
}

function decide(
  menu: Menu,
  screen: ConfirmScreen,
  state: MenuState,
  typed: string,
  context: MenuContext,
): Step {
  const { amountMinor, payer = context.dialler, reference } = state.answers;
  if (amountMinor === undefined) return lose(menu, state);
  const keys = confirmKeys(state);
  if (typed === keys.no) return close(menu, state, 'cancelled', 'cancelled');
  if (typed !== keys.yes) return mistake(menu, state, context, 'badChoice');
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

/** Draws the state's screen, with the reason why it is shown again on top. */
function show(menu: Menu, state: MenuState, context: MenuContext, reason?: MessageName): Step {
  const screen = screenOf(menu, state.screen);
  if (screen === undefined) return lose(menu, state);
  const lines = draw(menu, screen, state, context);
  if (reason !== undefined) {
    const values = screen.kind === 'ask' ? questionValues(screen) : {};
    lines.unshift(message(menu, state.language, reason, values));
  }
  const text = lines.filter((line) => line !== '').join('\n');
  return { state, reply: { kind: screen.kind === 'end' ? 'end' : 'continue', text } };
}

function draw(menu: Menu, screen: Screen, state: MenuState, context: MenuContext): string[] {
  const { language, answers } = state;
  const values = valuesOf(answers, context);
  switch (screen.kind) {
    case 'choose': {
      const options = screen.options.map(
        ({ label }, i) => `${i + 1}. ${fill(pick(label, language), values)}`,
      );
      return [fill(pick(screen.text, language), values), ...options];
    }
    case 'ask':
      return [fill(pick(screen.text, language), { ...values, ...questionValues(screen) })];
    case 'confirm': {
      const keys = confirmKeys(state);
      return [
        fill(pick(screen.text, language), values),
        `${keys.yes}. ${message(menu, language, 'yes')}`,
        `${keys.no}. ${message(menu, language, 'no')}`,
      ];
    }
    case 'end': {
      const text = screen.operators[likelyOperator(answers, context)] ?? screen.text;
      return [fill(pick(text, language), values)];
    }
    default:
      return unreachable(screen);
  }
}

function screenOf(menu: Menu, name: string): Screen | undefined {
  return Object.hasOwn(menu.screens, name) ? menu.screens[name] : undefined;
}
