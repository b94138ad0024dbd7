import type { EpochMs } from '../../shared/clock.ts';
import { type Collection, type CollectionRow, isOpen } from './collection.ts';
import type { Evidence } from './evidence.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** The steps between polls: each `every` until `until`, counted from the initiate call. */
const pollPlan = [
  { until: 10 * second, every: 5 * second },
  { until: 30 * second, every: 10 * second },
  { until: minute, every: 30 * second },
  { until: 10 * minute, every: minute },
  { until: hour, every: 5 * minute },
  { until: 24 * hour, every: 15 * minute },
  { until: 7 * 24 * hour, every: 24 * hour },
] as const;

/** Milliseconds after initiate of the first poll of the plan that lies after `elapsedMs`. */
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

/** Wait before create is tried again: 0.5 s, doubled to 5 s, plus up to a quarter of jitter. */
export function createBackoffMs(attempts: number, random: number): number {
  const base = Math.min(5 * second, 500 * 2 ** Math.max(0, attempts - 1));
  return Math.round(base * (1 + random / 4));
}

/**
 * When the collection is due next, `null` once it is closed. Never sooner than the service asked for
 * (`retry_after_seconds`, `Retry-After`); polls spread by a tenth, so that an outage ends without a storm.
 *
 * One that was not created yet is due by its prompt deadline whatever the service asked for: it ends then without a
 * call, and its payer may start anew.
 */
export function nextDue(
  before: CollectionRow,
  after: Collection,
  evidence: Evidence,
  now: EpochMs,
  random: number,
): EpochMs | null {
  if (!isOpen(after.status)) return null;
  const wait = waitMs(before, after, evidence, now, random);
  if (wait === undefined) return before.nextAt;
  const wished = now + Math.max(wait, askedWaitMs(evidence));
  // The poll that allowed another initiate may have asked to wait; what came of that call shortens no wait.
  const dueAt = isOfInitiate(evidence) ? Math.max(wished, before.nextAt ?? 0) : wished;
  if (after.status !== 'accepted' || after.restoredAt !== null) return dueAt;
  return Math.min(dueAt, Math.max(now, after.promptDeadline));
}

function waitMs(
  before: CollectionRow,
  after: Collection,
  evidence: Evidence,
  now: EpochMs,
  random: number,
): number | undefined {
  // Neither news that changes nothing nor a deadline of ours may bring a poll forward.
  const polling = after.status === 'initiating' || after.status === 'initiated' || after.restoredAt !== null;
  const unasked = evidence.kind.startsWith('event_') || (evidence.kind === 'due' && polling);
  if (unasked && before.status === after.status) return undefined;
  // What a restored copy has to be asked for is asked for from then on, however long ago it was agreed to.
  if (after.restoredAt !== null) return planned(now - after.restoredAt, random);
  if (after.status === 'accepted')
    return evidence.kind === 'due' ? 0 : createBackoffMs(before.attempts, random);
  if (after.status === 'created') return Math.max(0, after.promptNotBefore - now);
  return planned(asOf(evidence, now) - (after.initiateSentAt ?? now), random);
}

/** The time by which a send is as old as it is: where the clock has jumped meanwhile, the poll knows it. */
function asOf(evidence: Evidence, now: EpochMs): EpochMs {
  return evidence.kind === 'polled' && now - evidence.askedAt > minute ? evidence.askedAt : now;
}

/** Milliseconds until the next poll of the plan. */
function planned(sinceMs: number, random: number): number {
  const elapsed = Math.max(0, sinceMs);
  return Math.round((nextPollMs(elapsed) - elapsed) * (1 + random / 10));
}

function isOfInitiate(evidence: Evidence): boolean {
  const isCall = evidence.kind === 'call_unknown' || evidence.kind === 'call_rejected';
  return evidence.kind === 'initiate_answered' || (isCall && evidence.call === 'initiate');
}

function askedWaitMs(evidence: Evidence): number {
  if (evidence.kind === 'polled') return Math.min(24 * hour, (evidence.retryAfterSeconds ?? 0) * second);
  if (evidence.kind === 'call_unknown') return Math.min(hour, evidence.retryAfterMs ?? 0);
  return 0;
}
