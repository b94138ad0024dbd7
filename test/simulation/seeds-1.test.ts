import { test } from 'vitest';
import { fivesFrom, onlySeed, playSeeds } from './run-test-seeds.ts';

test.runIf(onlySeed !== undefined)(`seed ${onlySeed} breaks no invariant`, async () => {
  await playSeeds([onlySeed ?? 1]);
});

test.runIf(onlySeed === undefined).for(fivesFrom(1))(
  'five seeds from $first with random faults break no invariant',
  async ({ seeds }) => {
    await playSeeds(seeds);
  },
);
