import type { Menu, MessageName } from '../../schema.ts';
import { paymentMessages, statusMessages } from '../../screens/payment-offers.ts';
import { screenOf } from '../../screens/screen.ts';
import {
  type Effect,
  type EffectResult,
  endStates,
  type MenuContext,
  type MenuState,
  type Step,
} from '../../state/state.ts';
import { message } from '../../text/messages.ts';

/** The inputs and labelled assumptions that lead to a turn, as a list from the last one to the first. */
export type Path =
  | { readonly input: string; readonly previous: Path }
  | { readonly label: string; readonly previous: Path }
  | undefined;

/** One turn of the walk. */
export type Turn = {
  readonly step: Step;
  readonly path: Path;
  /** The state before the last input; `undefined` on the first screen. */
  readonly from: MenuState | undefined;
  /** The effect whose result led here; absent where no effect was requested, and for the step without a result. */
  readonly effect?: { readonly effect: Effect; readonly result: EffectResult };
  readonly context: MenuContext;
  /** The first screen of a dialler without a history. */
  readonly isFirst?: boolean;
};

/** Returns the inputs of a path in the order in which they are typed. */
export function inputsOf(path: Path): string[] {
  const inputs: string[] = [];
  for (let at = path; at; at = at.previous) if ('input' in at) inputs.push(at.input);
  return inputs.reverse();
}

/** Returns the labels of a path: the caller history and the effect results that it assumes, in order. */
export function assumptionsOf(path: Path): string[] {
  const labels: string[] = [];
  for (let at = path; at; at = at.previous) if ('label' in at) labels.push(at.label);
  return labels.reverse();
}

/** Returns the message that a turn shows, alone or with others; `undefined` for a screen of the menu. */
export function messageOf(menu: Menu, turn: Turn): MessageName | undefined {
  const { state } = turn.step;
  switch (state.screen) {
    case endStates.cancelled:
      return 'cancelled';
    case endStates.invalidInputs:
      return 'tooManyInvalidInputsNotPaid';
    case endStates.lost:
      return 'sessionLost';
    case endStates.closed:
      return closingMessage(menu, turn);
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

function closingMessage(menu: Menu, { step, from, effect, context }: Turn): MessageName {
  const { state, reply, intent, preferences = [] } = step;
  if (effect?.result.kind === 'status') {
    const { found } = effect.result;
    return found === undefined ? 'statusNotFound' : statusMessages[found.state];
  }
  if (step.effect?.kind === 'status') return 'statusUnavailable';
  const preference = preferences.find((one) => one.kind === 'requests');
  if (preference) return preference.blocksRequests ? 'requestsBlocked' : 'requestsAllowed';
  const kind = from && screenOf(menu, from.screen)?.kind;
  if (kind === 'requests') return 'unchanged';
  if (intent) return 'promptSentAgain';
  const failed = message(menu, state.language, 'lookupFailed', { merchant: context.merchant });
  if (reply.text === failed) return 'lookupFailed';
  return kind === 'payment' ? 'approve' : 'attendantsOnly';
}
