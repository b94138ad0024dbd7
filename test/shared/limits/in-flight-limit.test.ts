import { expect, test } from 'vitest';
import { InFlightLimit } from '../../../src/shared/limits/in-flight-limit.ts';

test('calls are bounded for each key and in total', () => {
  const limit = new InFlightLimit({ perKey: 2, total: 3 });
  expect(['a', 'a', 'a', 'b', 'b', 'c'].map((key) => limit.tryAcquire(key))).toEqual([
    ...[true, true, false, true, false, false],
  ]);
  limit.release('a');
  expect([limit.tryAcquire('c'), limit.tryAcquire('a')]).toEqual([true, false]);
});
