import { test } from 'vitest';
import { expectNothingBroken, firstSeeds, onlySeed } from './play-seeds.ts';

test.runIf(onlySeed !== undefined)(`every invariant holds for seed ${onlySeed}`, async () => {
  await expectNothingBroken(onlySeed ?? 1, onlySeed ?? 1);
});

test.runIf(onlySeed === undefined).for(firstSeeds(1))(
  'every invariant holds for ten seeds from %i, whatever fails',
  (from) => expectNothingBroken(from, from + 9),
);
