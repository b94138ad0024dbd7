import type { EpochMs } from '../../../shared/clock.ts';
import type { Collection } from '../collection.ts';
import { evolve, type Fact } from '../fact.ts';
import {
  abandon,
  type DecideContext,
  type Decision,
  maxRequestDelayMs,
  noChange,
  openReview,
  record,
  watchMs,
} from './decision.ts';

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
export function dueAfterRestore(
  { lapsedAt }: Collection,
  restoredAt: EpochMs,
  { now, retryAllowedAfterMs }: DecideContext,
): Decision {
  if (now >= restoredAt + watchMs) return openReview('restored_unknown');
  return lapsedAt === null && now >= restoredAt + retryAllowedAfterMs
    ? record({ kind: 'lapsed', data: {} })
    : noChange;
}
