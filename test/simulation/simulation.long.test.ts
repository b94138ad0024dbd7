import { expect, test } from 'vitest';
import { sized } from '../kit/size.ts';
import { run } from './run.ts';
import { allFeatures as all } from './run-test-seeds.ts';

test('the same seed produces the same history, byte for byte', async () => {
  const plan = { ...all, hours: sized({ quick: 2, all: all.hours }) };
  const first = await run(plan);
  const again = await run(plan);
  expect(first.violations).toEqual([]);
  expect(again.hash).toBe(first.hash);
  expect(again.history).toEqual(first.history);
  expect(first.history.length).toBeGreaterThan(100);
});

test('another seed produces another history', async () => {
  const few = { ...all, hours: 1, visits: 3 };
  const [one, other] = [await run({ ...few, seed: 1 }), await run({ ...few, seed: 2 })];
  expect(one.hash).not.toBe(other.hash);
});

test('with all faults at once, payments complete, machines stop, and no invariant breaks', async () => {
  const { counts, violations } = await run({ ...all, visits: 60, hours: 12 });
  expect(violations).toEqual([]);
  const seen = (what: string) => counts[what] ?? 0;
  expect(seen('charges')).toBeGreaterThan(0);
  for (const fault of [
    'crash',
    'power cut',
    'disk failure',
    'disk full',
    'clock jump',
    'requests_lost',
    'answers_lost',
  ])
    expect(seen(`fault ${fault}`), fault).toBeGreaterThan(0);
});
