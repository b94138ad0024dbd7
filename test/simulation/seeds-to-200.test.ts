import { test } from 'vitest';
import { expectNothingBroken, onlySeed } from './play-seeds.ts';

test.runIf(onlySeed === undefined).for([101, 111, 121, 131, 141, 151, 161, 171, 181, 191])(
  'every invariant holds for ten seeds from %i, whatever fails',
  (from) => expectNothingBroken(from, from + 9),
);
