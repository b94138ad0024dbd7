import { test } from 'vitest';
import { playSeeds } from './run-test-seeds.ts';

/** `SIM_SEED=4711 npm test` plays another seed. */
const { SIM_SEED } = process.env;

test.each(SIM_SEED === undefined ? [1, 2, 3] : [Number(SIM_SEED)])(
  'seed %i with random faults breaks no invariant',
  async (seed) => {
    await playSeeds([seed]);
  },
);
