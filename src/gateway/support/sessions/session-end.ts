import { endStates } from '../../../menu/state/state.ts';
import type { Ending } from '../../../shared/ussd.ts';
import { getStoredState } from '../../dialogue/stored-state.ts';
import type { TurnRow } from '../collection-query.ts';

/**
 * How a dialogue ended. `unanswered`: its last screen waits for an input, and the aggregator reported no end. `closed`: the
 * menu showed an end screen, and no payment was confirmed. The others name the cause.
 */
export type SessionEnd =
  | 'confirmed'
  | 'cancelled'
  | 'rejected'
  | 'invalid_inputs'
  | 'lost'
  | 'closed'
  | 'unanswered'
  | `aggregator_${Ending}`;

const ends: Readonly<Record<string, SessionEnd>> = {
  [endStates.cancelled]: 'cancelled',
  [endStates.rejected]: 'rejected',
  [endStates.invalidInputs]: 'invalid_inputs',
  [endStates.lost]: 'lost',
};

/** Returns how a dialogue ended. @param turns in their order; at least one. */
export function getSessionEnd(turns: readonly TurnRow[], hasPayment: boolean): SessionEnd {
  if (hasPayment) return 'confirmed';
  const screens = turns.filter(({ ending }) => ending === null);
  const last = screens.at(-1);
  const notice = turns.at(-1)?.ending;
  // After an end screen, the notice of the aggregator states nothing new.
  if (last?.reply === 'end') return ends[getStoredState(last).screen] ?? 'closed';
  return notice == null ? 'unanswered' : `aggregator_${notice as Ending}`;
}
