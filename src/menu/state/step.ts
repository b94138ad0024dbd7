import { unreachable } from '../../shared/errors.ts';
import type { Menu } from '../schema.ts';
import { takeAgain } from '../screens/again.ts';
import { takeAnswer } from '../screens/ask.ts';
import { takeChoice } from '../screens/choose.ts';
import { takeDecision } from '../screens/confirm.ts';
import { takeLanguage } from '../screens/language.ts';
import { takeOffer } from '../screens/payment.ts';
import { takeRequests } from '../screens/requests.ts';
import { takeResume } from '../screens/resume.ts';
import { isBuiltInScreen, type MenuScreen, screenOf } from '../screens/screen.ts';
import { endLost, forgetInput, pagesUnseen, show, takes } from '../screens/show.ts';
import { takeShortReference } from '../screens/status.ts';
import { startMenu } from './begin.ts';
import { enter } from './enter.ts';
import type { MenuContext, MenuState, Step } from './state.ts';

/** A USSD string has 160 octets, 182 septets: nobody types more. */
const maxInputLength = 182;

/** The first screen of a dialogue of whose dialler nothing is known, without being asked for a language. Pure. */
export function start(menu: Menu, context: MenuContext): Step {
  return startMenu(menu, menu.languages[0], context);
}

/**
 * The next screen for one input. Never throws for any input or state; a dialogue that is over, or that stands
 * on a screen which the menu no longer has, is answered with END and never with an intent.
 */
export function step(menu: Menu, before: MenuState, input: string, context: MenuContext): Step {
  const { pendingInputs: _, ...state } = before;
  return dialAlong(menu, take(menu, state, input, context), context);
}

function take(menu: Menu, before: MenuState, input: string, context: MenuContext): Step {
  const typed = input.trim().slice(0, maxInputLength);
  const { notice: _, ...state } = before;
  const screen = screenOf(menu, state.screen);
  if (screen === undefined || screen.kind === 'end' || screen.kind === 'lookup') return endLost(menu, state);
  const unseen = () => pagesUnseen(menu, screen, before, context);
  const turned = turn(menu, screen, state, typed, unseen, context);
  if (turned) return turned;
  // The keys of a screen that asks for money are never what led to it; everywhere else a repeat is held back.
  if (screen.kind === 'confirm') return takeDecision(menu, screen, state, typed, unseen, context);
  if (screen.kind === 'duplicate') return takeAgain(menu, state, typed, unseen, context);
  if (isPossibleRepeat(state, typed, context)) {
    // The gateway's own screens have no key that was typed just before, and keep the keys that they have.
    const held = isBuiltInScreen(state.screen) ? state : forgetInput(state);
    return show(menu, held, context, 'typeAgain');
  }
  switch (screen.kind) {
    case 'choose':
      return takeChoice(menu, screen, state, typed, context);
    case 'ask':
      return takeAnswer(menu, screen, state, typed, context);
    case 'status':
      return takeShortReference(menu, state, typed, context);
    case 'requests':
      return takeRequests(menu, state, typed, context);
    case 'language':
      return takeLanguage(menu, state, typed, context);
    case 'resume':
      return takeResume(menu, state, typed, context);
    case 'payment':
      return takeOffer(menu, state, typed, unseen, context);
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
  screen: MenuScreen,
  { page = 0, ...state }: MenuState,
  typed: string,
  unseen: () => number,
  context: MenuContext,
): Step | undefined {
  const { back, home, more } = menu.keys;
  if (takes(screen, typed, state.answers)) return undefined;
  // The input that led to the screen stays remembered: a repeat of it can still arrive.
  const turnTo = (next: number) =>
    show(menu, { ...state, invalidInputs: 0, ...(next > 0 && { page: next }) }, context);
  if (more.includes(typed) && unseen() > 0) return turnTo(page + 1);
  if (typed === back && page > 0) return turnTo(page - 1);
  const { language, lookedUp } = state;
  const stop = state.history?.at(-1);
  if (!stop) return undefined;
  if (typed === home) return startMenu(menu, language, context);
  if (typed !== back) return undefined;
  const trail = state.history?.slice(0, -1) ?? [];
  const known = lookedUp === undefined ? {} : { lookedUp };
  return enter(
    menu,
    { ...stop, language, invalidInputs: 0, lastInput: typed, history: trail, ...known },
    context,
  );
}

/**
 * Without a sequence a repeated request looks like the payer's next answer, so the input that led here is not
 * taken on trust (scenario S02).
 */
function isPossibleRepeat(state: MenuState, typed: string, context: MenuContext): boolean {
  return !context.sequenced && typed === state.lastInput;
}

/**
 * Types what was dialled along, screen by screen, until it is used up, something is wanted first, or an answer cannot be
 * used. Agreeing to pay needs a screen that was seen.
 */
export function dialAlong(menu: Menu, taken: Step, context: MenuContext): Step {
  // It all came in one request: equal answers in it are no repeats.
  const around = { ...context, sequenced: true };
  let current = taken;
  for (;;) {
    const { pendingInputs: ahead = [], ...state } = current.state;
    const [input, ...rest] = ahead;
    if (input === undefined || current.effect || current.reply.kind === 'end') return current;
    const next = take(menu, state, input, around);
    if (next.intent || next.state.screen === '(duplicate)') return { ...current, state };
    const goesOn = next.reply.kind === 'continue' && next.state.invalidInputs === 0 && rest.length > 0;
    const carried = goesOn || next.effect ? withAhead(next, rest) : next;
    current = withNotes(carried, current.preferences);
  }
}

function withAhead(taken: Step, ahead: readonly string[]): Step {
  if (ahead.length === 0) return taken;
  const { effect: want } = taken;
  return {
    ...taken,
    state: { ...taken.state, pendingInputs: ahead },
    ...(want && { effect: { ...want, at: { ...want.at, pendingInputs: ahead } } }),
  };
}

function withNotes(taken: Step, notes: Step['preferences']): Step {
  return notes === undefined ? taken : { ...taken, preferences: [...notes, ...(taken.preferences ?? [])] };
}
