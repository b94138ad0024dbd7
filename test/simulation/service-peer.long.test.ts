import { expect, test } from 'vitest';
import { sized } from '../kit/size.ts';
import { peerFeatures } from './features.ts';
import { planOf, run } from './peer/run.ts';
import type { Plan } from './scene.ts';

/** All faults of networks, machines and rails at once. */
const all: Plan = { ...planOf(4711, 0.25), features: peerFeatures, payers: 4, visits: 12 };

test('with the service as peer, the same seed produces the same history, byte for byte', async () => {
  const plan = { ...all, hours: 1, visits: 4 };
  const first = await run(plan);
  const again = await run(plan);
  expect(first.violations, first.history.join('\n')).toEqual([]);
  expect(again.hash).toBe(first.hash);
  expect(again.history).toEqual(first.history);
  expect(first.history.length).toBeGreaterThan(100);
});

/** What must occur at least once, so that the next test is not empty. */
const wanted = [
  'with the simulated rail',
  'with an external rail',
  'charges',
  'acknowledged',
  'collection paid',
  'fault crash',
  'fault power cut',
  'fault clock jump',
  'fault service crash',
  'fault service power cut',
  'fault service disk full',
  'fault service disk failure',
  'fault requests_lost',
  'fault answers_lost',
  'fault events_lost',
  'fault events_duplicated',
  'fault events_late',
  'fault initiates_rejected',
  'fault prompts_late',
  'fault late_money',
  'fault wrong_amounts',
  'fault second_charges',
];

test('with all faults at once, on the simulated and on an external rail, payments complete and no invariant breaks', async () => {
  const left = new Set(wanted);
  // One seed does not contain everything.
  for (let seed = 16; left.size > 0 && seed < 26; seed++) {
    const { counts, violations, history } = await run({ ...all, seed });
    expect(violations, history.join('\n')).toEqual([]);
    for (const what of Object.keys(counts)) left.delete(what);
  }
  expect([...left]).toEqual([]);
});

test.each(sized({ quick: [1], all: [1, 2, 3, 4, 5, 6, 7, 8] }))(
  'the records of the gateway, the service and the rail agree for seed %i with random faults',
  async (seed) => {
    const { violations, history, plan } = await run(planOf(seed, 0.25));
    const again = `npm run simulate -- --peer service --seed ${seed} --days 0.25`;
    const reported = violations.length === 0 ? '' : [...history, again, ...plan.features].join('\n');
    expect(violations, reported).toEqual([]);
  },
);
