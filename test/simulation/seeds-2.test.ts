import { test } from 'vitest';
import { expectNothingBroken, firstSeeds, onlySeed } from './play-seeds.ts';

test.runIf(onlySeed === undefined).for(firstSeeds(101))(
  'every invariant holds for ten seeds from %i, whatever fails',
  (from) => expectNothingBroken(from, from + 9),
);
