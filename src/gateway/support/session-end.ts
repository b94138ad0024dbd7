import type { Ending } from '../../shared/ussd.ts';

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

/** Each end, as people read it. */
export const sessionEndWords: Readonly<Record<SessionEnd, string>> = {
  confirmed: 'The payment was confirmed',
  unanswered: 'No input on the last screen',
  cancelled: 'The caller chose No',
  rejected: 'The gateway opened no payment',
  invalid_inputs: 'Too many invalid inputs',
  lost: 'A message of the gateway ended it',
  closed: 'The menu ended it',
  aggregator_completed: 'Completed, says the aggregator',
  aggregator_cancelled: 'The caller hung up',
  aggregator_timeout: 'No input in time',
  aggregator_failed: 'The connection failed',
  aggregator_ended: 'The aggregator ended it',
};
