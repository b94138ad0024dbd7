import { unreachable } from '../../shared/errors.ts';
import type { Menu } from '../schema.ts';
import {
  applyLanguage,
  applyPaymentOffer,
  applyRequestsChoice,
  applyResumeChoice,
  applyShortReference,
} from '../screens/built-in.ts';
import {
  applyAnswer,
  applyConfirmation,
  applyDuplicateConfirmation,
  applyOption,
  applyProxyInput,
} from '../screens/questions.ts';
import { findScreen, isBuiltInScreen, type MenuScreen, type ScreenInput } from '../screens/screen.ts';
import { endLost, findNextPage, forgetInput, isAnswer, show } from '../screens/show.ts';
import { contextAtStart, keepStart } from './condition.ts';
import { enter } from './enter.ts';
import { afterPayment, builtInState, startMenu } from './start-menu.ts';
import type { Answers, CallerHistory, MenuContext, MenuState, Step } from './state.ts';

/** Returns the first step: an open or recent payment, an interrupted dialogue, a language, or the menu, in this order. */
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

/** A USSD string has at most 160 octets, which are 182 septets. */
const maxInputLength = 182;

/**
 * Returns the step for one input. Never throws, for any input and state. A dialogue that is over, and a state whose
 * screen the menu no longer has, get an END screen without an intent.
 */
export function step(menu: Menu, before: MenuState, input: string, context: MenuContext): Step {
  const { pendingInputs: _, ...state } = before;
  const atStart = contextAtStart(state, context);
  const next = applyPendingInputs(menu, applyInput(menu, state, input, atStart), atStart);
  return keepStart(menu, next, atStart);
}

function applyInput(menu: Menu, before: MenuState, raw: string, context: MenuContext): Step {
  const { notice: _, turnsAgain: __, ...state } = before;
  const screen = findScreen(menu, state.screen);
  if (screen === undefined || screen.kind === 'end' || screen.kind === 'lookup') return endLost(menu, state);
  if (screen.kind === 'proxy' && state.proxied === undefined) return endLost(menu, state);
  const input: ScreenInput = {
    menu,
    context,
    screen,
    before,
    state,
    typed: withoutHash(screen, raw.trim().slice(0, maxInputLength), state.answers),
  };
  return navigate(input) ?? applyToScreen(input, screen);
}

/** Drops the `#` with which people end an input, as they end a dialled code, unless it is a part of the answer. */
function withoutHash(screen: MenuScreen, text: string, answers: Answers): string {
  const isPart = screen.kind === 'proxy' || isAnswer(screen, text, answers);
  return (isPart ? '' : text.replace(/\s*#+$/, '')) || text;
}

function applyToScreen(input: ScreenInput, screen: Exclude<MenuScreen, { kind: 'end' | 'lookup' }>): Step {
  const { menu, context, state } = input;
  // The keys of these screens are never the input that led to them, so a repeat cannot confirm anything.
  if (screen.kind === 'confirm') return applyConfirmation(input, screen);
  if (screen.kind === 'duplicate') return applyDuplicateConfirmation(input);
  if (isPossibleRepeat(input)) {
    // The keys of a built-in screen depend on the last input and must stay the same.
    const kept = isBuiltInScreen(state.screen) ? state : forgetInput(state);
    return show(menu, kept, context, 'typeAgain');
  }
  switch (screen.kind) {
    case 'choose':
      return applyOption(input, screen);
    case 'ask':
      return applyAnswer(input, screen);
    case 'proxy':
      return applyProxyInput(input, screen);
    case 'status':
      return applyShortReference(input);
    case 'requests':
      return applyRequestsChoice(input);
    case 'language':
      return applyLanguage(input);
    case 'resume':
      return applyResumeChoice(input);
    case 'payment':
      return applyPaymentOffer(input);
    default:
      return unreachable(screen);
  }
}

/**
 * Turns the page, or goes back or home, when the input is the key for it; otherwise `undefined`. An input that the
 * screen takes as an answer is not a key. A late repeat of a key turns one more page at worst, and answers nothing.
 */
function navigate(input: ScreenInput): Step | undefined {
  const { menu, context, screen, typed } = input;
  const { page = 0, ...state } = input.state;
  const { back, home, more } = menu.keys;
  if (isAnswer(screen, typed, state.answers)) return undefined;
  // `lastInput` is kept: a repeat of the input that led to the screen can still arrive.
  const turnTo = (next: number): Step => {
    const shown = show(menu, { ...state, invalidInputs: 0, page: next }, context);
    const isKey = more.includes(typed)
      ? findNextPage({ ...input, before: shown.state, state: shown.state }) !== undefined
      : shown.state.page !== undefined;
    return isKey ? { ...shown, state: { ...shown.state, turnsAgain: true } } : shown;
  };
  if (more.includes(typed)) {
    const next = findNextPage(input);
    if (next !== undefined) return turnTo(next);
  }
  if (typed === back && page > 0) return turnTo(page - 1);
  const { language, lookedUp, history = [] } = state;
  const previous = history.at(-1);
  if (!previous) return undefined;
  if (typed === home) return startMenu(menu, language, context);
  if (typed !== back) return undefined;
  const returned: MenuState = {
    ...previous,
    language,
    invalidInputs: 0,
    lastInput: typed,
    history: history.slice(0, -1),
    ...(lookedUp && { lookedUp }),
  };
  return enter(menu, returned, context);
}

/** Without a sequence, a repeated request has the same input as the request that led here (scenario S02). */
function isPossibleRepeat({ state, typed, context }: ScreenInput): boolean {
  return !context.sequenced && typed === state.lastInput;
}

/**
 * Applies the answers of the dialled suffix, screen by screen, until none is left, an effect comes first, or an answer is
 * invalid. A confirmation needs a screen that the payer has seen, so it is never taken from a suffix.
 */
export function applyPendingInputs(menu: Menu, first: Step, context: MenuContext): Step {
  if (first.state.pendingInputs === undefined) return first;
  // All answers arrived in one request, so equal ones are not repeats.
  const sequenced = { ...context, sequenced: true };
  let current = first;
  for (;;) {
    const { pendingInputs = [], ...state } = current.state;
    const [input, ...rest] = pendingInputs;
    if (input === undefined || current.effect || current.reply.kind === 'end') return current;
    const next = applyInput(menu, state, input, sequenced);
    if (next.intent) return { ...current, state };
    const continues = next.reply.kind === 'continue' && next.state.invalidInputs === 0;
    const withRest = continues || next.effect ? withPendingInputs(next, rest) : next;
    current = withPreferences(withRest, current.preferences);
  }
}

function withPendingInputs(step: Step, pendingInputs: readonly string[]): Step {
  if (pendingInputs.length === 0) return step;
  const { effect } = step;
  return {
    ...step,
    state: { ...step.state, pendingInputs },
    ...(effect && { effect: { ...effect, state: { ...effect.state, pendingInputs } } }),
  };
}

function withPreferences(step: Step, earlier: Step['preferences']): Step {
  return earlier === undefined ? step : { ...step, preferences: [...earlier, ...(step.preferences ?? [])] };
}
