import type { Menu, MessageName } from '../schema.ts';
import { paymentMessages, statusMessages } from '../screens/payment-offers.ts';
import { screenOf } from '../screens/screen.ts';
import { type Effect, endStates, type MenuContext, type MenuState, type Step } from '../state/state.ts';
import { message } from '../text/messages.ts';
import type { Answered } from './effect-results.ts';

/** What was typed, or what a look-up or the like answered, the last first. */
export type Way =
  | { readonly input: string; readonly before: Way }
  | { readonly said: string; readonly before: Way }
  | undefined;

/** One turn of the walk: what was shown, and how it came to it. */
export type Turn = {
  readonly shown: Step;
  readonly way: Way;
  /** The state that the last input was typed in; absent on the first screen. */
  readonly from: MenuState | undefined;
  /** What was wanted, and came; absent where nothing was, and for what is shown without. */
  readonly came?: { readonly want: Effect; readonly answered: Answered };
  readonly context: MenuContext;
  /** What those see first of whom nothing is known. */
  readonly isFirst?: boolean;
};

/** The inputs in the order in which they are typed. */
export function inputsAlong(way: Way): string[] {
  const inputs: string[] = [];
  for (let at = way; at; at = at.before) if ('input' in at) inputs.push(at.input);
  return inputs.reverse();
}

/** What was answered on the way, in order. */
export function answersAlong(way: Way): string[] {
  const answers: string[] = [];
  for (let at = way; at; at = at.before) if ('said' in at) answers.push(at.said);
  return answers.reverse();
}

/** The message that a turn shows, alone or among others; `undefined` for a screen of the menu. */
export function messageOf(menu: Menu, turn: Turn): MessageName | undefined {
  const { state } = turn.shown;
  switch (state.screen) {
    case endStates.cancelled:
      return 'cancelled';
    case endStates.invalidInputs:
      return 'tooManyInvalidInputsNotPaid';
    case endStates.lost:
      return 'sessionLost';
    case endStates.closed:
      return toldIn(menu, turn);
    case '(payment)':
      return state.callerHistory?.payment && paymentMessages[state.callerHistory.payment.state];
    case '(duplicate)':
      return 'duplicate';
    case '(resume)':
      return 'resume';
    default:
      return undefined;
  }
}

function toldIn(menu: Menu, { shown, from, came, context }: Turn): MessageName {
  const { state, reply, effect: want, intent, preferences: notes = [] } = shown;
  if (came?.answered.got.kind === 'status') {
    const { found } = came.answered.got;
    return found === undefined ? 'statusNotFound' : statusMessages[found.state];
  }
  if (want?.kind === 'status') return 'statusUnavailable';
  const note = notes.find((one) => one.kind === 'requests');
  if (note) return note.isClosed ? 'requestsBlocked' : 'requestsAllowed';
  const kind = from && screenOf(menu, from.screen)?.kind;
  if (kind === 'requests') return 'unchanged';
  if (intent) return 'promptSentAgain';
  const isFailed =
    reply.text === message(menu, state.language, 'lookupFailed', { merchant: context.merchant });
  if (isFailed) return 'lookupFailed';
  return kind === 'payment' ? 'approve' : 'attendantsOnly';
}
