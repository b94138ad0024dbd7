import type { SessionEnd } from '../../support/sessions/session-end.ts';

/** Where a dialogue ended, in words. */
export const endWords: Readonly<Record<SessionEnd, string>> = {
  confirmed: 'the payment was confirmed',
  unanswered: 'no input on the last screen',
  cancelled: 'the caller chose No',
  rejected: 'the gateway opened no payment',
  invalid_inputs: 'too many invalid inputs',
  lost: 'a message of the gateway ended it',
  closed: 'the menu ended it',
  aggregator_completed: 'completed, says the aggregator',
  aggregator_cancelled: 'the caller hung up',
  aggregator_timeout: 'no input in time',
  aggregator_failed: 'the connection failed',
  aggregator_ended: 'the aggregator ended it',
};

/** The ends of dialogues without a payment. */
export const unopenedEnds = (Object.keys(endWords) as SessionEnd[]).filter((end) => end !== 'confirmed');
