import type { MagicName } from '../../contract/simulated-phone.ts';
import { unreachable } from '../../shared/errors.ts';
import type { Prompt, PromptEnd } from './prompt-store.ts';
import { pushTimeoutMs, resultGraceMs } from './rail.ts';

/** The times of the rail that magic numbers depend on. */
export type MagicTimes = {
  /** How long the payer takes to answer. */
  magicDelayMs: number;
  /** How long the slow rail takes to accept a push. */
  magicAcceptDelayMs: number;
  /** How long the payer can answer a prompt. */
  promptLifetimeMs: number;
};

/** Returns the time from the push to the answer of a magic number; `null` when it never answers. */
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

/** Returns how the prompt of a magic number ends. */
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
