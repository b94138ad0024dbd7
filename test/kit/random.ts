import { createHash } from 'node:crypto';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/**
 * A seeded source of randomness: equal seeds and equal calls return equal values. Each part of a simulation has its own, so
 * that one more draw in one part changes no other.
 */
export type Random = {
  /** Returns an integer from `min` to `max`, both included. */
  int(min: number, max: number): number;
  /** Returns a number in [0, 1). */
  real(): number;
  /** Returns `true` with this probability. */
  happens(probability: number): boolean;
  /** Returns one element. @throws Error when the list is empty. */
  pick<T>(list: readonly T[]): T;
  /** Returns a shuffled copy. */
  shuffle<T>(list: readonly T[]): T[];
  /** Returns the random source of a part, which depends only on the seed and the name of the part. */
  fork(part: string): Random;
};

const steps = 2 ** 30;

export function createRandom(seed: string): Random {
  const generator = xoroshiro128plus(createHash('sha256').update(seed).digest().readInt32LE(0));
  const real = () => uniformInt(generator, 0, steps - 1) / steps;
  return {
    int: (min, max) => uniformInt(generator, min, max),
    real,
    happens: (probability) => probability > 0 && real() < probability,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new Error('expected a list with an element, found an empty one');
      return list[uniformInt(generator, 0, list.length - 1)] as T;
    },
    shuffle<T>(list: readonly T[]): T[] {
      const mixed = [...list];
      for (let last = mixed.length - 1; last > 0; last--) {
        const other = uniformInt(generator, 0, last);
        [mixed[last], mixed[other]] = [mixed[other] as T, mixed[last] as T];
      }
      return mixed;
    },
    fork: (part) => createRandom(`${seed}/${part}`),
  };
}
