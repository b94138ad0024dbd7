import { createHash } from 'node:crypto';
import type { EpochMs } from '../../shared/clock.ts';

/** Wrong sign-ins with a name, or from a network. */
export type Attempts = { failures: number; at: EpochMs };

const freeFailures = 3;
const maxDelayMs = 60_000;
const forgottenAfterMs = 60 * 60_000;

/** Returns the failures that count: after an hour without one, none do. */
export function countedFailures(attempts: Attempts | undefined, now: EpochMs): number {
  return attempts && now - attempts.at < forgottenAfterMs ? attempts.failures : 0;
}

/**
 * Returns the milliseconds until the next sign-in is checked; 0 when it is checked now. The delay doubles with each failure
 * after the third, up to a minute: it limits guesses and is never a lasting lock.
 */
export function delayMs(attempts: Attempts | undefined, now: EpochMs): number {
  const failures = countedFailures(attempts, now);
  if (!attempts || failures < freeFailures) return 0;
  const wait = Math.min(1_000 * 2 ** (failures - freeFailures), maxDelayMs);
  return Math.max(0, Math.min(wait, attempts.at + wait - now));
}

/** Returns the bucket of a name or a network: sixteen bits, so that a stranger cannot fill the table. */
export function getBucket(text: string): number {
  return createHash('sha256').update(text).digest().readUInt16BE(0);
}
