import { expect, test } from 'vitest';
import { peerFeatures } from './peer/features.ts';
import { planOf, run } from './peer/run.ts';
import type { Plan } from './scene.ts';

/** A run takes a second or two of a free core; whoever shares it with others waits longer. */
const patienceMs = 120_000;

/** Everything that can befall networks, machines and rails, at once. */
const all: Plan = {
  ...planOf(4711, 0.25),
  features: peerFeatures,
  payers: 4,
  visits: 12,
};

test(
  'beside the service itself, the same seed replays the same history, to the byte',
  async () => {
    const plan = { ...all, hours: 2, visits: 6 };
    const first = await run(plan);
    const again = await run(plan);
    expect(first.violations, first.history.join('\n')).toEqual([]);
    expect(again.hash).toBe(first.hash);
    expect(again.history).toEqual(first.history);
    expect(first.history.length).toBeGreaterThan(100);
  },
  patienceMs,
);

/** What must have happened before the next test proves anything. */
const wanted = [
  'with the rail of its own',
  'with a rail of others',
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
  'fault events_doubled',
  'fault events_late',
  'fault initiates_refused',
  'fault prompts_late',
  'fault late_money',
  'fault wrong_amounts',
  'fault second_charges',
];

test(
  'with every fault at once, on the rail of its own and on one of others, payers pay, all machines fall, and no promise breaks',
  async () => {
    const left = new Set(wanted);
    // A seed has not everything in it: as many as it takes, and no more than ten.
    for (let seed = 6; left.size > 0 && seed < 16; seed++) {
      const { counts, violations, history } = await run({ ...all, seed });
      expect(violations, history.join('\n')).toEqual([]);
      for (const what of Object.keys(counts)) left.delete(what);
    }
    expect([...left]).toEqual([]);
  },
  patienceMs,
);

test.each([1, 3, 5, 7])(
  'the books of the gateway, the service and the rail agree for two seeds from %i, whatever fails',
  async (from) => {
    for (let seed = from; seed < from + 2; seed++) {
      const { violations, history, plan } = await run(planOf(seed, 0.25));
      const again = `npm run simulate -- --peer service --seed ${seed} --days 0.25`;
      const told = violations.length === 0 ? '' : [...history, again, ...plan.features].join('\n');
      expect(violations, told).toEqual([]);
    }
  },
  patienceMs,
);
