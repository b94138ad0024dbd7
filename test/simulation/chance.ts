import { createHash } from 'node:crypto';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** Chance that is the same for the same seed. Each part of the world has its own, so that one more throw in one moves no other. */
export type Chance = {
  /** A whole number from `least` to `most`, both possible. */
  int(least: number, most: number): number;
  /** A number in [0, 1). */
  real(): number;
  /** True with this probability. */
  happens(probability: number): boolean;
  pick<T>(list: readonly [T, ...T[]]): T;
  /** Chance of a part of the world, which depends on the seed and the part's name alone. */
  fork(part: string): Chance;
};

const steps = 2 ** 30;

export function chanceOf(seed: string): Chance {
  const generator = xoroshiro128plus(createHash('sha256').update(seed).digest().readInt32LE(0));
  const real = () => uniformInt(generator, 0, steps - 1) / steps;
  return {
    int: (least, most) => uniformInt(generator, least, most),
    real,
    happens: (probability) => probability > 0 && real() < probability,
    pick: (list) => list[uniformInt(generator, 0, list.length - 1)] ?? list[0],
    fork: (part) => chanceOf(`${seed}/${part}`),
  };
}
