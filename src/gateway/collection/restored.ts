import type { EpochMs } from '../../shared/clock.ts';
import type { Collection } from './collection.ts';
import {
  type DecideContext,
  type Decision,
  lostRequestMs,
  note,
  nothing,
  openReview,
  watchMs,
} from './decision.ts';
import { evolve, type Fact } from './fact.ts';

/*
 * A collection that was open in a restored copy: what the ledger says of it may be minutes or days old. It is asked
 * for, and never prompted: whatever the service knows of it was caused by an earlier life of this ledger.
 */

/** It was open in a restored copy, is so still, and nobody has said since that it was prompted. */
export function isLost({ restoredAt, status }: Collection): boolean {
  return restoredAt !== null && ['created', 'initiating', 'initiated'].includes(status);
}

const found: Fact = { kind: 'prompt_confirmed', data: {} };

/** The service says that a prompt is out. */
export function prompted({ status }: Collection): Fact[] {
  return status === 'initiated' ? [found] : [found, { kind: 'initiated', data: {} }];
}

/** What is decided of the collection once it is known to have been prompted. */
export function afterFound(
  collection: Collection,
  { now }: DecideContext,
  decideOn: (collection: Collection) => Decision,
): Decision {
  const decision = decideOn(evolve(collection, found, now));
  return { ...decision, facts: [found, ...decision.facts] };
}

/**
 * The service says that it never was prompted. Proof of it is an answer to a question that was asked when no request of
 * the earlier life could arrive any more.
 */
export function neverPrompted({ restoredAt }: Collection, askedAt: EpochMs, fact: Fact): Decision {
  const isProof = restoredAt !== null && askedAt >= restoredAt + lostRequestMs;
  return isProof ? note(fact, { kind: 'abandoned', data: { reason: 'restored' } }) : note(fact);
}

/** Time passed, and the service has not said what became of it: no deadline of ours ends what may have been prompted. */
export function dueRestored(
  { lapsedAt }: Collection,
  restoredAt: EpochMs,
  { now, retryAllowedAfterMs }: DecideContext,
): Decision {
  if (now >= restoredAt + watchMs) return openReview('restored_unknown');
  return lapsedAt === null && now >= restoredAt + retryAllowedAfterMs
    ? note({ kind: 'lapsed', data: {} })
    : nothing;
}
