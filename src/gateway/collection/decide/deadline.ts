import type { EpochMs } from '../../../shared/clock.ts';
import { awaitsService, type Collection, getStage, isOpen, isUnconfirmed } from '../collection.ts';
import { evolve, type Fact, unconfirmedPaid } from '../fact.ts';
import {
  abandon,
  type DecideContext,
  type Decision,
  flag,
  isRetryAllowed,
  maxRequestDelayMs,
  noChange,
  openReview,
  record,
  watchMs,
} from './decision.ts';
import { dueInReview } from './review.ts';
import { suspendUnproven } from './suspend.ts';

/** Decides what a collection does when its next time has come. */
export function due(collection: Collection, context: DecideContext): Decision {
  const { now, maySend } = context;
  const { status, initiateSentAt } = collection;
  if (isUnconfirmed(collection)) return dueWhileUnconfirmed(collection, context);
  if (awaitsService(collection)) return dueInReview(collection, context);
  if (getStage(collection) === 'unprompted') {
    if (collection.restoredAt !== null) return dueAfterRestore(collection, collection.restoredAt, context);
    if (now >= collection.promptDeadline) return abandon('prompt_deadline');
    if (status === 'accepted' || now < collection.promptNotBefore || !maySend) return noChange;
    return requestPrompt(collection);
  }
  if (getStage(collection) !== 'prompted' || initiateSentAt === null) return noChange;
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

/** Decides to send initiate. */
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
  const waitsSince = isUnconfirmed(collection) ? collection.closedAt : collection.awaitsServiceSince;
  if ((waitsSince ?? 0) > now) return record({ kind: 'clock_corrected', data: { now } });
  if (!isOpen(status)) return noChange;
  const isIntentAhead = openedAt > now && promptNotBefore > now;
  if (getStage(collection) === 'unprompted' && restoredAt === null) {
    return isIntentAhead ? abandon('clock_ahead') : noChange;
  }
  const isAhead = isIntentAhead || Math.max(initiateSentAt ?? 0, restoredAt ?? 0) > now;
  return isAhead ? record({ kind: 'clock_corrected', data: { now } }) : noChange;
}

/*
 * Collections that were open in a restored copy of the ledger. The copy may be minutes or days old, so the original
 * ledger may have requested a prompt that the copy does not contain. Such a collection is polled and never prompted.
 */

/** Returns whether the collection comes from a restored copy, is still open, and has no confirmed prompt. */
export function isPromptUncertain({ restoredAt, status }: Collection): boolean {
  return restoredAt !== null && ['created', 'initiating', 'initiated'].includes(status);
}

const promptConfirmed: Fact = { kind: 'prompt_confirmed', data: {} };

/** Returns the facts of a poll that reports a prompt. */
export function confirmedPrompt({ status }: Collection): Fact[] {
  return status === 'initiated' ? [promptConfirmed] : [promptConfirmed, { kind: 'initiated', data: {} }];
}

/** Decides on the collection as if its prompt were confirmed, and records the confirmation first. */
export function decideWithPrompt(
  collection: Collection,
  { now }: DecideContext,
  decideOn: (collection: Collection) => Decision,
): Decision {
  const decision = decideOn(evolve(collection, promptConfirmed, now));
  return { ...decision, facts: [promptConfirmed, ...decision.facts] };
}

/**
 * Handles a poll that reports no prompt. It proves that no prompt exists only if the poll was sent after the last request
 * of the original ledger could have arrived.
 */
export function neverPrompted({ restoredAt }: Collection, requestedAt: EpochMs, fact: Fact): Decision {
  const isProof = restoredAt !== null && requestedAt >= restoredAt + maxRequestDelayMs;
  return isProof ? abandon('restored', fact) : record(fact);
}

/** Handles the passing of time. The prompt deadline ends nothing here, because a prompt may be out. */
function dueAfterRestore(
  { lapsedAt }: Collection,
  restoredAt: EpochMs,
  { now, retryAllowedAfterMs }: DecideContext,
): Decision {
  if (now >= restoredAt + watchMs) return openReview('restored_unknown');
  return lapsedAt === null && now >= restoredAt + retryAllowedAfterMs
    ? record({ kind: 'lapsed', data: {} })
    : noChange;
}
