import fc, { type Plugin } from 'fast-check';
import { expect, test } from 'vitest';
import { shrinkWithin } from './kit/properties.ts';

const lists = fc.array(fc.nat(), { minLength: 20 });
const isSmall = (list: number[]) => list.every((one) => one < 1_000);

test.each([
  ['synchronous', (plugins: Plugin<unknown>[]) => fc.check(fc.property(lists, isSmall), { plugins })],
  [
    'asynchronous',
    (plugins: Plugin<unknown>[]) =>
      fc.check(
        fc.asyncProperty(lists, async (list) => isSmall(list)),
        { plugins },
      ),
  ],
])('a %s property that fails reports in time, with the fixed seed', async (_, check) => {
  let seconds = 0;
  const { failed, interrupted, counterexample, seed } = await check([
    shrinkWithin(20_000, () => ++seconds * 1_000),
  ]);
  expect({ failed, interrupted }).toEqual({ failed: true, interrupted: true });
  expect(counterexample).not.toBeNull();
  expect(seconds).toBeLessThan(60);
  expect(seed).toBe(fc.readConfigureGlobal().seed);
});
