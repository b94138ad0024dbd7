import { expect, test } from 'vitest';
import { sized } from '../kit/size.ts';
import { playSeeds } from './run-test-seeds.ts';

test('S57: after parties are blocked one by one and freed in another order, nothing stays open and every payment is booked as it was made', async () => {
  const seeds = Array.from({ length: sized({ quick: 2, all: 12 }) }, (_, n) => 5_701 + n);
  const counts = await playSeeds(seeds, (plan) => ({
    ...plan,
    features: ['blocked_parties'],
    visits: 40,
    payers: 6,
  }));
  for (const what of ['fault blocked_parties', 'collection paid', 'charges', 'acknowledged'])
    expect(counts[what], what).toBeGreaterThan(20);
});
