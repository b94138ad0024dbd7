import type { MagicName } from '../../contract/service/magic-numbers.ts';
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

/** Pesewas that the over-payer is charged above the amount. */
const overpaymentMinor = 100;

/** Returns the time from the push to the answer of a magic number; `null` when it never answers. */
export function magicDelayMs(magic: MagicName, { magicDelayMs, longStopMs }: MagicTimes): number | null {
  switch (magic) {
    case 'rail_unknown':
      return pushTimeoutMs + magicDelayMs;
    case 'late_approval':
      return longStopMs + magicDelayMs;
    case 'no_result':
    case 'rail_refused':
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
    case 'insufficient_funds':
    case 'wallet_not_registered':
    case 'limit_exceeded':
    case 'pin_limit':
    case 'cancelled':
    case 'network_down':
      return failed(magic);
    case 'paid_short':
      return approved(Math.ceil(amountMinor / 2));
    case 'paid_over':
      return approved(amountMinor + overpaymentMinor);
    case 'paid':
    case 'late_approval':
    case 'rail_slow':
    case 'rail_unknown':
    case 'second_charge':
    case 'event_twice':
    case 'events_reversed':
    case 'report_lost':
      return approved(amountMinor);
    case 'no_result':
    case 'rail_refused':
    case 'prompt_expired':
      return expired;
    default:
      return unreachable(magic);
  }
}

/** True when the payer is charged a second time. */
export const isChargedAgain = (magic: MagicName): boolean =>
  magic === 'second_charge' || magic === 'events_reversed';

/** True when the rail never reports the end of an unanswered prompt, nor answers an inquiry about it. */
export const isSilent = (magic: MagicName | null): boolean =>
  magic === 'no_result' || magic === 'late_approval';

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
