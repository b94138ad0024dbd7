import { expect } from 'vitest';
import { sized } from '../kit/size.ts';
import { planOf, run } from './run.ts';

/** Hours for which the faults of a seed last, in `npm test`. */
const days = 0.25;

/** The seed to play instead, as `SIM_SEED` of the environment names it. */
export const onlySeed = process.env.SIM_SEED === undefined ? undefined : Number(process.env.SIM_SEED);

/** Plays these seeds; the first that breaks an invariant tells its history, and how to play it again. */
export async function expectNothingBroken(first: number, last: number): Promise<void> {
  for (let seed = first; seed <= last; seed++) {
    const { violations, history, plan } = await run(planOf(seed, days));
    const told =
      violations.length === 0 ? '' : [...history, `SIM_SEED=${seed} npm test`, ...plan.features].join('\n');
    expect(violations, told).toEqual([]);
  }
}

/** The first of every ten seeds that a file runs, from `first` on. */
export function firstSeeds(first: number): number[] {
  const tens = sized({ quick: 2, all: 10 });
  return Array.from({ length: tens }, (_, i) => first + 10 * i);
}
