const minPauseMs = 1_000;
const maxPauseMs = 60_000;

/** How long a 429 holds a merchant's calls back: what it asks for, within bounds. */
export function pauseDurationMs(retryAfterMs: number | undefined): number {
  return Math.min(maxPauseMs, Math.max(minPauseMs, retryAfterMs ?? minPauseMs));
}
