import { expect, test } from 'vitest';
import type { Feature } from './features.ts';
import { playSeeds } from './run-test-seeds.ts';

const features: readonly Feature[] = [
  'repeats',
  'parallel_keys',
  'lost_screens',
  'broken_ends',
  'impatient_payers',
  'slow_screens',
  'numbers_as_sessions',
  'rushes',
  'restarts',
];

test('each confirmation leads to at most one prompt and one charge, however payers redial, repeat and pay with other phones', async () => {
  const seeds = Array.from({ length: 30 }, (_, n) => 6_001 + n);
  const counts = await playSeeds(seeds, (plan) => ({ ...plan, features, visits: 30, payers: 3 }));
  for (const what of [
    'redials',
    'late keys',
    'redials before the prompt',
    'fault broken_ends',
    'two sessions at once',
    'prompts announced',
    'prompts sent again',
    'fault restart',
    'fault numbers_as_sessions',
  ])
    expect(counts[what], what).toBeGreaterThan(3);
});
