import type { EpochMs } from '../../shared/clock.ts';

/** Formats a time as the interface requires: ISO 8601 in UTC with milliseconds. */
export function isoTime(at: EpochMs): string {
  return new Date(at).toISOString();
}

export function isoTimeOrNull(at: EpochMs | null): string | null {
  return at === null ? null : isoTime(at);
}
