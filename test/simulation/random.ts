import { createHash } from 'node:crypto';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/**
 * A seeded source of randomness. Each part of the simulation has its own, so that one more draw in one part changes
 * no other.
 */
export type Random = {
  /** Returns an integer from `min` to `max`, both included. */
  int(min: number, max: number): number;
  /** Returns a number in [0, 1). */
  real(): number;
  /** Returns `true` with this probability. */
  happens(probability: number): boolean;
  pick<T>(list: readonly [T, ...T[]]): T;
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
    pick: (list) => list[uniformInt(generator, 0, list.length - 1)] ?? list[0],
    fork: (part) => createRandom(`${seed}/${part}`),
  };
}
