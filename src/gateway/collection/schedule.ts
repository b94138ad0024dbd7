import type { EpochMs } from '../../shared/clock.ts';
import {
  awaitsService,
  type Collection,
  type CollectionWithJob,
  isFailureReported,
  isScheduled,
  isUnconfirmed,
  type Status,
} from './collection.ts';
import type { Evidence } from './evidence.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Intervals between polls: one every `every` ms until `until` ms after the initiate call. */
const pollPlan = [
  { until: 10 * second, every: 5 * second },
  { until: 30 * second, every: 10 * second },
  { until: minute, every: 30 * second },
  { until: 10 * minute, every: minute },
  { until: hour, every: 5 * minute },
  { until: 24 * hour, every: 15 * minute },
  { until: 7 * 24 * hour, every: 24 * hour },
] as const;

/** Returns the first poll of the plan after `elapsedMs`. Both are milliseconds since the initiate call. */
export function nextPollMs(elapsedMs: number): number {
  let from = 0;
  for (const { until, every } of pollPlan) {
    if (elapsedMs < until) {
      const steps = Math.floor((Math.max(elapsedMs, from) - from) / every) + 1;
      return Math.min(from + steps * every, until);
    }
    from = until;
  }
  return from + Math.ceil((elapsedMs - from + 1) / (24 * hour)) * 24 * hour;
}

/** Returns the wait before create is retried: 0.5 s, doubled up to 5 s, plus up to a quarter of jitter. */
export function createBackoffMs(attempts: number, random: number): number {
  const base = Math.min(5 * second, 500 * 2 ** Math.max(0, attempts - 1));
  return Math.round(base * (1 + random / 4));
}

/** How urgent the next step is (`job.urgency`). */
export function getUrgency(status: Status): 0 | 1 | 2 {
  if (status === 'accepted' || status === 'created') return 0;
  return status === 'paid' ? 1 : 2;
}

/** `random` is in [0, 1) and spreads retries and polls. */
export type ScheduleContext = { now: EpochMs; random: number };

/**
 * Returns when the collection is due next, or `null` when no work remains. Never earlier than the service requested
 * (`retry_after_seconds`, `Retry-After`). Jitter of up to a tenth spreads the polls after an outage.
 *
 * An accepted collection is due no later than its prompt deadline, whatever the service requested: it then ends without
 * a call, and its payer may start again. The first poll after an event that reports a payment or a failure, readable or not,
 * is due at once: the event outdates the wait that an earlier poll requested.
 */
export function nextDue(
  before: CollectionWithJob,
  after: Collection,
  evidence: Evidence,
  { now, random }: ScheduleContext,
): EpochMs | null {
  if (!isScheduled(after)) return null;
  const isNewClaim = evidence.kind === 'event_unreadable' && before.review !== after.review;
  // The event of a decision at the service: the poll shows whether it was made.
  const isDecisionEvent =
    awaitsService(after) && (evidence.kind === 'event_paid' || evidence.kind === 'event_failed');
  if (isNewClaim || isDecisionEvent || needsProof(before, after)) return now;
  const wait = waitMs(before, after, evidence, { now, random });
  if (wait === undefined) return before.nextAt;
  const earliest = now + Math.max(wait, requestedWaitMs(evidence));
  // The poll that allowed another initiate may have requested a wait, which the result of that initiate never shortens.
  const dueAt = isInitiateResult(evidence) ? Math.max(earliest, before.nextAt ?? 0) : earliest;
  if (after.status !== 'accepted' || after.restoredAt !== null) return dueAt;
  return Math.min(dueAt, Math.max(now, after.promptDeadline));
}

/**
 * Returns whether an event reported a result, and the worker has not claimed the collection since. Until then an answer
 * belongs to a call that was sent before the event, and does not delay the poll that proves the result.
 */
function needsProof(before: CollectionWithJob, after: Collection): boolean {
  const isReported = [isUnconfirmed, isFailureReported].find((one) => one(after));
  return isReported !== undefined && !(isReported(before) && before.attempts > 0);
}

/** Returns the wait until the next step, or `undefined` when the due time stays as it is. */
function waitMs(
  before: CollectionWithJob,
  after: Collection,
  evidence: Evidence,
  { now, random }: ScheduleContext,
): number | undefined {
  // Neither an event that changes nothing nor a deadline of the gateway may bring a poll forward.
  const polling =
    after.status === 'initiating' ||
    after.status === 'initiated' ||
    isUnconfirmed(after) ||
    awaitsService(after) ||
    after.restoredAt !== null;
  const isUnrequested = evidence.kind.startsWith('event_') || (evidence.kind === 'due' && polling);
  if (isUnrequested && before.status === after.status) return undefined;
  // The poll plan of a review at the service starts with its event.
  if (awaitsService(after)) return plannedWaitMs(now - (after.awaitsServiceSince ?? now), random);
  // The poll plan of a restored collection starts with the restore.
  if (after.restoredAt !== null) return plannedWaitMs(now - after.restoredAt, random);
  if (after.status === 'accepted')
    return evidence.kind === 'due' ? 0 : createBackoffMs(before.attempts, random);
  if (after.status === 'created') return Math.max(0, after.promptNotBefore - now);
  // The poll plan of an unconfirmed payment starts with the event that reported it.
  const startedAt = isUnconfirmed(after) ? after.closedAt : after.initiateSentAt;
  return plannedWaitMs(evidenceTime(evidence, now) - (startedAt ?? now), random);
}

/** Returns the time of a poll's request where the clock has jumped since, and `now` otherwise. */
function evidenceTime(evidence: Evidence, now: EpochMs): EpochMs {
  return evidence.kind === 'polled' && now - evidence.requestedAt > minute ? evidence.requestedAt : now;
}

/** Returns the wait until the next poll of the plan. */
function plannedWaitMs(sinceMs: number, random: number): number {
  const elapsed = Math.max(0, sinceMs);
  return Math.round((nextPollMs(elapsed) - elapsed) * (1 + random / 10));
}

function isInitiateResult(evidence: Evidence): boolean {
  const isCall = evidence.kind === 'call_unknown' || evidence.kind === 'call_rejected';
  return evidence.kind === 'initiate_answered' || (isCall && evidence.call === 'initiate');
}

function requestedWaitMs(evidence: Evidence): number {
  if (evidence.kind === 'polled') return Math.min(24 * hour, (evidence.retryAfterSeconds ?? 0) * second);
  if (evidence.kind === 'call_unknown') return Math.min(hour, evidence.retryAfterMs ?? 0);
  return 0;
}
