import type { Ids } from './ids.ts';

/** The length of a ULID, so that a counted identifier passes the same checks. */
const length = 26;

/** Returns the identifier number `count` of a prefix. Counted identifiers sort by count, as ULIDs sort by time. */
export function countedId(prefix: string, count: number): string {
  return `${prefix}_${String(count).padStart(length, '0')}`;
}

/**
 * Returns `ids` with identifiers that are counted from 1 for each prefix, for output that is the same on each run. Do
 * not use it where an identifier must be hard to guess.
 */
export function countedIds(ids: Ids): Ids {
  const counts = new Map<string, number>();
  return {
    ...ids,
    next(prefix) {
      const count = (counts.get(prefix) ?? 0) + 1;
      counts.set(prefix, count);
      return countedId(prefix, count);
    },
  };
}
