const minPauseMs = 1_000;
export const maxPauseMs = 60_000;

/** Returns how long a 429 pauses a merchant's calls: the requested time, between 1 and 60 seconds. */
export function pauseDurationMs(retryAfterMs: number | undefined): number {
  return Math.min(maxPauseMs, Math.max(minPauseMs, retryAfterMs ?? minPauseMs));
}
