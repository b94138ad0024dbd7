import type { MagicName } from '../../contract/simulated-phone.ts';
import { unreachable } from '../../shared/errors.ts';
import type { Prompt, PromptEnd } from './prompt-store.ts';
import { pushTimeoutMs } from './rail.ts';

/** The times of the rail that magic numbers depend on. */
export type MagicTimes = {
  /** How long the payer takes to answer. */
  magicDelayMs: number;
  /** How long the slow rail takes to accept a push. */
  magicAcceptDelayMs: number;
  /** When a session without a result expires. */
  longStopMs: number;
};

/** What the over-payer is charged above the amount, in pesewas. */
const overpaymentMinor = 100;

/** Returns the time from the push to the answer of a magic number; `null` when it never answers. */
export function magicDelayMs(magic: MagicName, { magicDelayMs, longStopMs }: MagicTimes): number | null {
  switch (magic) {
    case 'rail_lost':
      return pushTimeoutMs + magicDelayMs;
    case 'paid_late':
      return longStopMs + magicDelayMs;
    case 'no_answer':
    case 'rail_down':
      return null;
    default:
      return magicDelayMs;
  }
}

const approved = (chargedMinor: number): PromptEnd => ({ status: 'approved', failure: null, chargedMinor });
const failed = (failure: PromptEnd['failure']): PromptEnd => ({ status: 'failed', failure, chargedMinor: 0 });
const expired: PromptEnd = { status: 'expired', failure: null, chargedMinor: 0 };

/** Returns how the prompt of a magic number ends. */
export function magicEnd(magic: MagicName, { amountMinor }: Pick<Prompt, 'amountMinor'>): PromptEnd {
  switch (magic) {
    case 'declined':
      return { status: 'declined', failure: null, chargedMinor: 0 };
    case 'no_funds':
      return failed('insufficient_funds');
    case 'not_registered':
      return failed('wallet_not_registered');
    case 'limit':
      return failed('limit_exceeded');
    case 'pin_limit':
    case 'cancelled':
    case 'network_down':
      return failed(magic);
    case 'paid_short':
      return approved(Math.ceil(amountMinor / 2));
    case 'paid_over':
      return approved(amountMinor + overpaymentMinor);
    case 'paid':
    case 'paid_late':
    case 'rail_slow':
    case 'rail_lost':
    case 'charged_twice':
    case 'event_twice':
    case 'events_reversed':
    case 'report_lost':
      return approved(amountMinor);
    case 'no_answer':
    case 'rail_down':
    case 'timed_out':
      return expired;
    default:
      return unreachable(magic);
  }
}

/** Whether the payer is charged a second time. */
export const isChargedAgain = (magic: MagicName): boolean =>
  magic === 'charged_twice' || magic === 'events_reversed';

/** Whether the rail never reports the end of an unanswered prompt, nor answers an inquiry about it. */
export const isSilent = (magic: MagicName | null): boolean => magic === 'no_answer' || magic === 'paid_late';

/** How the events of a magic number are delivered: `repeats` more times, and the paid event after a delay. */
export function magicDelivery(
  magic: MagicName | undefined,
  { isPaid, magicDelayMs }: { isPaid: boolean; magicDelayMs: number },
): { repeats: number; delayMs: number } {
  return {
    repeats: magic === 'event_twice' ? 1 : 0,
    delayMs: magic === 'events_reversed' && isPaid ? 2 * magicDelayMs : 0,
  };
}
