import type { EpochMs } from '../../shared/clock.ts';

/** ISO 8601 in UTC with milliseconds, the interface's form of a time. */
export function isoTime(at: EpochMs): string {
  return new Date(at).toISOString();
}

export function isoTimeOrNull(at: EpochMs | null): string | null {
  return at === null ? null : isoTime(at);
}
