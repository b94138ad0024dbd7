import { test } from 'vitest';
import { onlySeed, playSeeds, tensFrom } from './run-test-seeds.ts';

test.runIf(onlySeed === undefined).for(tensFrom(101))(
  'ten seeds from $first with random faults break no invariant',
  async ({ seeds }) => {
    await playSeeds(seeds);
  },
);
