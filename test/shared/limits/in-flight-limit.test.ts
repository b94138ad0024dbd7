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

test('slow keys never fill the total: another key has a quota left', () => {
  const limit = new InFlightLimit({ perKey: 64, total: 256 });
  const fill = (key: string) => {
    let started = 0;
    while (limit.tryAcquire(key)) started += 1;
    return started;
  };
  const counts = Array.from({ length: 12 }, (_, at) => fill(`slow-${at}`));
  expect(counts.slice(0, 2)).toEqual([64, 64]);
  expect(counts.toSorted((one, other) => other - one)).toEqual(counts);
  expect(limit.tryAcquire('other')).toBe(true);
  const first = new InFlightLimit({ perKey: 8, total: 64 });
  for (let key = 0; key < 63; key++) expect(first.tryAcquire(`slow-${key}`)).toBe(true);
  expect([first.tryAcquire('slow-0'), first.tryAcquire('other')]).toEqual([false, true]);
});

test('a key that does not share the total can use all of it', () => {
  const limit = new InFlightLimit({ perKey: 3, total: 3 });
  expect([1, 2, 3, 4].map(() => limit.tryAcquire('a'))).toEqual([true, true, true, false]);
});
