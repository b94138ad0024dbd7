const shortestHoldMs = 1_000;
const longestHoldMs = 60_000;

/** How long a 429 holds a merchant's calls back: what it asks for, within bounds. */
export function holdMs(retryAfterMs: number | undefined): number {
  return Math.min(longestHoldMs, Math.max(shortestHoldMs, retryAfterMs ?? shortestHoldMs));
}
