import { test } from 'vitest';
import { fivesFrom, playSeeds } from './run-test-seeds.ts';

test.each(fivesFrom(104))(
  'five seeds from $first with random faults break no invariant',
  async ({ seeds }) => {
    await playSeeds(seeds);
  },
);
