import { type Collection, isOpen } from '../collection.ts';
import type { Fact } from '../fact.ts';
import {
  type DecideContext,
  type Decision,
  isRetryAllowed,
  noChange,
  openReview,
  record,
  watchMs,
} from './decision.ts';
import { dueAfterRestore } from './restored.ts';

export function due(collection: Collection, context: DecideContext): Decision {
  const { now, maySend } = context;
  const { status, initiateSentAt } = collection;
  if (status === 'accepted' || status === 'created') {
    if (collection.restoredAt !== null) return dueAfterRestore(collection, collection.restoredAt, context);
    if (now >= collection.promptDeadline)
      return record({ kind: 'abandoned', data: { reason: 'prompt_deadline' } });
    if (status === 'accepted' || now < collection.promptNotBefore || !maySend) return noChange;
    return requestPrompt(collection);
  }
  if ((status !== 'initiating' && status !== 'initiated') || initiateSentAt === null) return noChange;
  if (now >= initiateSentAt + watchMs) return openReview('no_outcome');
  if (collection.lapsedAt === null && isRetryAllowed(collection, context))
    return record({ kind: 'lapsed', data: {} });
  return noChange;
}

export function requestPrompt(collection: Collection, ...before: Fact[]): Decision {
  const request: Fact = { kind: 'prompt_requested', data: { send: collection.initiateSends + 1 } };
  return { ...record(...before, request), send: 'initiate' };
}

/**
 * Abandons an unprompted collection whose times lie ahead of the corrected clock, since its payer would be prompted long
 * after the dialogue. For a collection that may be prompted, waits and deadlines count from now.
 */
export function clockCorrected(collection: Collection, { now }: DecideContext): Decision {
  const { status, openedAt, promptNotBefore, initiateSentAt, restoredAt } = collection;
  if (!isOpen(status)) return noChange;
  const isIntentAhead = openedAt > now && promptNotBefore > now;
  if ((status === 'accepted' || status === 'created') && restoredAt === null) {
    return isIntentAhead ? record({ kind: 'abandoned', data: { reason: 'clock_ahead' } }) : noChange;
  }
  const isAhead = isIntentAhead || Math.max(initiateSentAt ?? 0, restoredAt ?? 0) > now;
  return isAhead ? record({ kind: 'clock_corrected', data: { now } }) : noChange;
}
