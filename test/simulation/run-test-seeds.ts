import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
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

/** Returns `count` seeds from `first` on. */
export const seedsFrom = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, n) => first + n);

/** Returns the seeds at which the simulation found the planted bugs of a document. */
export function seedsThatFound(document: 'planted-bugs' | 'several-gateways'): number[] {
  const text = readFileSync(`docs/reliability/${document}.md`, 'utf8');
  const seeds = Array.from(text.matchAll(/\| (\d+) \| [^|\n]+ \|$/gm), ([, seed]) => Number(seed));
  return [...new Set(seeds)].toSorted((one, other) => one - other);
}
