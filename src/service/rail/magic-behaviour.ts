import type { MagicName } from '../../contract/simulated-phone.ts';
import { unreachable } from '../../shared/errors.ts';
import type { Prompt, PromptEnd } from './prompt-store.ts';
import { pushTimeoutMs, resultGraceMs } from './rail.ts';

/** Times of the rail as far as magic numbers need them. */
export type MagicTimes = {
  /** Time after which a magic payer acts. */
  magicDelayMs: number;
  /** Time that the slow rail takes to accept a push. */
  magicAcceptDelayMs: number;
  /** Time after which an unanswered prompt is over. */
  promptLifetimeMs: number;
};

/** How long after the push a magic payer acts; `null` when never. */
export function magicDelayMs(magic: MagicName, times: MagicTimes): number | null {
  const { magicDelayMs, promptLifetimeMs } = times;
  switch (magic) {
    case 'paid':
    case 'declined':
    case 'no_funds':
    case 'paid_short':
    case 'rail_slow':
      return magicDelayMs;
    case 'rail_lost':
      return pushTimeoutMs + magicDelayMs;
    case 'paid_late':
      return pushTimeoutMs + promptLifetimeMs + resultGraceMs + magicDelayMs;
    case 'no_answer':
    case 'rail_down':
      return null;
    default:
      return unreachable(magic);
  }
}

/** What a magic payer does when the time has come. */
export function magicEnd(magic: MagicName, { amountMinor }: Pick<Prompt, 'amountMinor'>): PromptEnd {
  switch (magic) {
    case 'declined':
      return { status: 'declined', failure: null, chargedMinor: 0 };
    case 'no_funds':
      return { status: 'failed', failure: 'insufficient_funds', chargedMinor: 0 };
    case 'paid_short':
      return { status: 'approved', failure: null, chargedMinor: Math.ceil(amountMinor / 2) };
    case 'paid':
    case 'paid_late':
    case 'rail_slow':
    case 'rail_lost':
      return { status: 'approved', failure: null, chargedMinor: amountMinor };
    case 'no_answer':
    case 'rail_down':
      return { status: 'expired', failure: null, chargedMinor: 0 };
    default:
      return unreachable(magic);
  }
}
