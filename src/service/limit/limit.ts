import type { Clock } from '../../shared/clock.ts';

/** So many at once, and so many a minute in the long run. */
export type Rate = { burst: number; perMinute: number };

/** Takes a place for `key`: `undefined` when there is one, else the seconds until there is. */
export type Limit = (key: string) => number | undefined;

/** Most keys that are remembered; whoever was not seen for longest is forgotten first. */
const maxKeys = 20_000;

/** A token bucket for each key, in memory: a restart fills them all. */
export function createLimit({ burst, perMinute }: Rate, clock: Clock): Limit {
  const buckets = new Map<string, { tokens: number; at: number }>();
  const perMs = perMinute / 60_000;

  return (key) => {
    const now = clock.now();
    const before = buckets.get(key) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, before.tokens + Math.max(0, now - before.at) * perMs);
    const granted = tokens >= 1;
    buckets.delete(key);
    buckets.set(key, { tokens: granted ? tokens - 1 : tokens, at: now });
    if (buckets.size > maxKeys) buckets.delete(buckets.keys().next().value ?? key);
    return granted ? undefined : Math.max(1, Math.ceil((1 - tokens) / perMs / 1000));
  };
}
