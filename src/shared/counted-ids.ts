import type { Ids } from './ids.ts';

/** As many letters as a ULID has: whoever checks the form of an identifier takes it. */
const length = 26;

/** The `count`th identifier of a prefix: sorted by count, as those of ULIDs are by time. */
export function countedId(prefix: string, count: number): string {
  return `${prefix}_${String(count).padStart(length, '0')}`;
}

/**
 * The same chance with identifiers that are counted, those of each prefix from 1, so that what is made of them is the
 * same on each run. Not for what anybody could guess them for.
 */
export function countedIds(chance: Ids): Ids {
  const counts = new Map<string, number>();
  return {
    ...chance,
    next(prefix) {
      const count = (counts.get(prefix) ?? 0) + 1;
      counts.set(prefix, count);
      return countedId(prefix, count);
    },
  };
}
