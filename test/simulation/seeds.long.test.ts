import { expect, test } from 'vitest';
import { sized } from '../kit/size.ts';
import type { Feature } from './features.ts';
import { playSeeds, seedsFrom, seedsThatFound } from './run-test-seeds.ts';

/** Those after the quick seeds, and those that find the planted bugs. */
const seeds = new Set([
  ...seedsFrom(4, sized({ quick: 5, all: 37, nightly: 200 })),
  ...sized({ quick: [], all: seedsThatFound('planted-bugs') }),
]);

test.each([...seeds])('seed %i with random faults breaks no invariant', async (seed) => {
  await playSeeds([seed]);
});

test('S57: after parties are blocked one by one and freed in another order, nothing stays open and every payment is booked as it was made', async () => {
  const seeds = seedsFrom(5_701, sized({ quick: 2, all: 5, nightly: 12 }));
  const counts = await playSeeds(seeds, (plan) => ({
    ...plan,
    features: ['blocked_parties'],
    visits: 40,
    payers: 6,
  }));
  for (const what of ['fault blocked_parties', 'collection paid', 'charges', 'acknowledged'])
    expect(counts[what], what).toBeGreaterThan(20);
});

/** Faults by which answers, polls and events contradict each other, arrive late, or arrive several times. */
const contradictions: readonly Feature[] = [
  'answers_lost',
  'unknown_statuses',
  'lagging_status',
  'late_money',
  'second_charges',
  'wrong_amounts',
  'events_contradict',
  'events_duplicated',
  'events_late',
  'events_replayed',
  'foreign_events',
  'ids_reused',
];

// The simulation checks the ledger after each booking, and compares all balances with the facts at the end.
test('S30: after conflicting evidence each collection is booked at most once, every booking sums to zero, and the facts rebuild the balances', async () => {
  const seeds = seedsFrom(5_001, sized({ quick: 4, all: 6, nightly: 20 }));
  const counts = await playSeeds(seeds, (plan) => ({
    ...plan,
    features: contradictions,
    visits: 30,
    payers: 4,
  }));
  const collections = Object.entries(counts).filter(([what]) => what.startsWith('collection '));
  expect(collections.reduce((sum, [, n]) => sum + n, 0)).toBeGreaterThan(60);
  for (const status of ['paid', 'failed', 'review'])
    expect(counts[`collection ${status}`], status).toBeGreaterThan(3);
});

const ofDialogues: readonly Feature[] = [
  'repeats',
  'parallel_keys',
  'lost_screens',
  'broken_ends',
  'impatient_payers',
  'slow_screens',
  'numbers_as_sessions',
  'rushes',
  'restarts',
];

test('each confirmation leads to at most one prompt and one charge, however payers redial, repeat and pay with other phones', async () => {
  const seeds = seedsFrom(6_001, sized({ quick: 12, all: 12, nightly: 30 }));
  const counts = await playSeeds(seeds, (plan) => ({
    ...plan,
    features: ofDialogues,
    visits: 30,
    payers: 3,
  }));
  for (const what of [
    'redials',
    'late keys',
    'redials before the prompt',
    'fault broken_ends',
    'two sessions at once',
    'prompts announced',
    'prompts sent again',
    'fault restart',
    'fault numbers_as_sessions',
  ])
    expect(counts[what], what).toBeGreaterThan(3);
});
