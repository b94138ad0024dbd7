import { test } from 'vitest';
import { fivesFrom, onlySeed, playSeeds } from './run-test-seeds.ts';

test.runIf(onlySeed === undefined).for(fivesFrom(101))(
  'five seeds from $first with random faults break no invariant',
  async ({ seeds }) => {
    await playSeeds(seeds);
  },
);
