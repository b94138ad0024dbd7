import { expect } from 'vitest';
import { sized } from '../kit/size.ts';
import { features } from './features.ts';
import { planOf, run } from './run.ts';
import type { Plan } from './scene.ts';

/** Days for which the faults of a seed last in tests. */
const days = 0.25;

/** All features at once, except those that no gateway can handle together. */
export const allFeatures: Plan = {
  ...planOf(4711, days),
  features: features.filter((one) => one !== 'repeated_pushes' && one !== 'events_never'),
  payers: 4,
  visits: 12,
};

/**
 * Plays seeds and expects that no invariant breaks. A failure prints the history and the seed.
 *
 * @param change changes the plan of each seed.
 * @returns the counts of all seeds together.
 */
export async function playSeeds(
  seeds: readonly number[],
  change: (plan: Plan) => Plan = (plan) => plan,
): Promise<Record<string, number>> {
  const total: Record<string, number> = {};
  for (const seed of seeds) {
    const { violations, history, plan, counts } = await run(change(planOf(seed, days)));
    const report = violations.length === 0 ? '' : [...history, `seed ${seed}`, ...plan.features].join('\n');
    expect(violations, report).toEqual([]);
    for (const [what, n] of Object.entries(counts)) total[what] = (total[what] ?? 0) + n;
  }
  return total;
}

const perTest = 5;

/** Returns the seeds of a test file in fives, from `first` on. */
export function fivesFrom(first: number): { first: number; seeds: number[] }[] {
  const fives = Array.from({ length: sized({ quick: 1, all: 20 }) }, (_, five) => first + perTest * five);
  return fives.map((from) => ({ first: from, seeds: Array.from({ length: perTest }, (_, n) => from + n) }));
}
