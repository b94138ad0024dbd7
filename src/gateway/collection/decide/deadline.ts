import { awaitsService, type Collection, isOpen, isUnconfirmed } from '../collection.ts';
import { type Fact, unconfirmedPaid } from '../fact.ts';
import {
  abandon,
  type DecideContext,
  type Decision,
  flag,
  isRetryAllowed,
  noChange,
  openReview,
  record,
  watchMs,
} from './decision.ts';
import { dueAfterRestore } from './restored.ts';
import { dueInReview } from './review.ts';
import { suspendUnproven } from './suspend.ts';

export function due(collection: Collection, context: DecideContext): Decision {
  const { now, maySend } = context;
  const { status, initiateSentAt } = collection;
  if (isUnconfirmed(collection)) return dueWhileUnconfirmed(collection, context);
  if (awaitsService(collection)) return dueInReview(collection, context);
  if (status === 'accepted' || status === 'created') {
    if (collection.restoredAt !== null) return dueAfterRestore(collection, collection.restoredAt, context);
    if (now >= collection.promptDeadline) return abandon('prompt_deadline');
    if (status === 'accepted' || now < collection.promptNotBefore || !maySend) return noChange;
    return requestPrompt(collection);
  }
  if ((status !== 'initiating' && status !== 'initiated') || initiateSentAt === null) return noChange;
  if (now >= initiateSentAt + watchMs) return openReview('no_outcome');
  if (collection.lapsedAt === null && isRetryAllowed(collection, context))
    return record({ kind: 'lapsed', data: {} });
  return noChange;
}

/** A payment that no poll confirms is flagged once, and it is polled for as long as a prompt without a result. */
function dueWhileUnconfirmed(
  collection: Collection,
  { now, unconfirmedAlarmAfterMs }: DecideContext,
): Decision {
  const elapsed = now - (collection.closedAt ?? now);
  if (elapsed >= watchMs) return suspendUnproven(collection, unconfirmedPaid);
  if (elapsed < unconfirmedAlarmAfterMs || collection.review !== null) return noChange;
  return flag(collection, unconfirmedPaid);
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
  const { status, openedAt, promptNotBefore, initiateSentAt, restoredAt, closedAt } = collection;
  if (isUnconfirmed(collection) && (closedAt ?? 0) > now)
    return record({ kind: 'clock_corrected', data: { now } });
  if (awaitsService(collection) && (collection.awaitsServiceSince ?? 0) > now)
    return record({ kind: 'clock_corrected', data: { now } });
  if (!isOpen(status)) return noChange;
  const isIntentAhead = openedAt > now && promptNotBefore > now;
  if ((status === 'accepted' || status === 'created') && restoredAt === null) {
    return isIntentAhead ? abandon('clock_ahead') : noChange;
  }
  const isAhead = isIntentAhead || Math.max(initiateSentAt ?? 0, restoredAt ?? 0) > now;
  return isAhead ? record({ kind: 'clock_corrected', data: { now } }) : noChange;
}
