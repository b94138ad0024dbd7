import { test } from 'vitest';
import { expectNothingBroken, onlySeed } from './play-seeds.ts';

test.runIf(onlySeed !== undefined)(`every invariant holds for seed ${onlySeed}`, async () => {
  await expectNothingBroken(onlySeed ?? 1, onlySeed ?? 1);
});

test.runIf(onlySeed === undefined).for([1, 11, 21, 31, 41, 51, 61, 71, 81, 91])(
  'every invariant holds for ten seeds from %i, whatever fails',
  (from) => expectNothingBroken(from, from + 9),
);
