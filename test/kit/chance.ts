/** A seeded random source: the same seed and the same calls return the same values. */
export type Chance = {
  /** Returns an integer from 0 to `n` - 1. */
  below(n: number): number;
  /** Returns true with a probability of `cases` in 100. */
  in100(cases: number): boolean;
  /** Returns one element. @throws Error when the list is empty. */
  pick<T>(list: readonly T[]): T;
  /** Returns a shuffled copy. */
  shuffle<T>(list: readonly T[]): T[];
};

/** Creates a random source with Mulberry32, a generator with 32 bits of state. */
export function chance(seed: number): Chance {
  let state = seed >>> 0;
  const below = (n: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * n);
  };
  return {
    below,
    in100: (cases) => below(100) < cases,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new Error('expected a list with an element, got an empty one');
      return list[below(list.length)] as T;
    },
    shuffle<T>(list: readonly T[]): T[] {
      const mixed = [...list];
      for (let last = mixed.length - 1; last > 0; last--) {
        const other = below(last + 1);
        [mixed[last], mixed[other]] = [mixed[other] as T, mixed[last] as T];
      }
      return mixed;
    },
  };
}
