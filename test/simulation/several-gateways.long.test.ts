import { expect, test } from 'vitest';
import { sized } from '../kit/size.ts';
import type { Feature } from './features.ts';
import { seedsFrom, seedsThatFound } from './run-test-seeds.ts';
import { severalGateways } from './several/run.ts';

const { planOf, run } = severalGateways(3);

/** Requests arrive again at another gateway, and screens leave slowly. */
const repeatedScreens: readonly Feature[] = ['repeats', 'slow_screens'];

/** Days for which the faults of a seed last. */
const days = 0.05;

/** Those that find the planted bugs. */
const seeds = sized({
  quick: [1],
  all: seedsThatFound('several-gateways'),
  nightly: [...seedsFrom(1, 40), ...seedsThatFound('several-gateways')],
});

test('S38: three gateways with wrong clocks on one database break no invariant while they end, stop and lose connections', {
  timeout: 600_000,
}, async () => {
  const total: Record<string, number> = {};
  for (const seed of new Set(seeds)) {
    const { violations, history, plan, counts } = await run(planOf(seed, days));
    expect(violations, [...history, `seed ${seed}`, ...plan.features].join('\n')).toEqual([]);
    for (const [what, n] of Object.entries(counts)) total[what] = (total[what] ?? 0) + n;
  }
  expect(total.prompts).toBeGreaterThan(0);
});

test('the same seed of three gateways produces the same history', async () => {
  const plan = { ...planOf(7, days), visits: 4 };
  expect((await run(plan)).hash).toBe((await run(plan)).hash);
});

test('S15: a gateway that sends the END screen again prompts, after that screen has arrived', async () => {
  let repeated = 0;
  for (let seed = 1; seed <= sized({ quick: 1, all: 2, nightly: 4 }); seed++) {
    const plan = { ...planOf(seed, days), visits: 60, payers: 6, features: [...repeatedScreens] };
    const { violations, history, counts } = await run(plan);
    expect(violations, [...history, `seed ${seed}`].join('\n')).toEqual([]);
    repeated += counts['prompts after a repeated end screen'] ?? 0;
  }
  expect(repeated).toBeGreaterThan(0);
});
