import { expect, test } from 'vitest';
import { sized } from '../kit/size.ts';
import type { Feature } from './features.ts';
import { playSeeds } from './run-test-seeds.ts';

/** Faults by which answers, polls and events contradict each other, arrive late, or arrive several times. */
const features: readonly Feature[] = [
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
  const seeds = Array.from({ length: sized({ quick: 3, all: 20 }) }, (_, n) => 5_001 + n);
  const counts = await playSeeds(seeds, (plan) => ({ ...plan, features, visits: 30, payers: 4 }));
  const collections = Object.entries(counts).filter(([what]) => what.startsWith('collection '));
  expect(collections.reduce((sum, [, n]) => sum + n, 0)).toBeGreaterThan(60);
  for (const status of ['paid', 'failed', 'review'])
    expect(counts[`collection ${status}`], status).toBeGreaterThan(3);
});
