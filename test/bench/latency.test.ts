import { expect, test } from 'vitest';
import { figuresOf, type Outputs } from '../../bench/figures.ts';

test('the p99 of turns alone is a time, and every other state is a ratio beside it', () => {
  const turns = { perSecond: 1, p50Ms: 1, p99Ms: 2, cpuMs: 1, cpuOfFloor: 2 };
  const webhook = { cpuMs: 1, cpuOfBare: 1, rateOfBare: 1, p50Ms: 1, p99Ms: 1 };
  const collection = { cpuMs: 1, cpuOfBare: 1, turnP50Ms: 1, turnP99Ms: 1, bytesOnDisk: 1 };
  const outputs: Outputs = {
    turns,
    collections: { collection, webhook },
    latency: {
      perSecond: 500.4,
      states: [
        { state: 'alone', p50Ms: 1, p99Ms: 8, p99OfAlone: 1 },
        { state: 'backup runs', p50Ms: 1, p99Ms: 16, p99OfAlone: 2 },
      ],
    },
    sessions: { perSecond: 1, cpuMs: 1, cpuOfBare: 1, rateOfBare: 1, calls: [] },
    scale: {
      ...{ collections: 1, openDialogues: 1, supportP99Ms: 1, balancesMs: 1, verifyRowsPerSecond: 1 },
      ...{ startMs: 1, turnCpuOfSmall: 1, residentBytes: 1 },
    },
  };
  const latency = figuresOf(outputs).filter(({ id }) => id === 'F4');
  expect(latency.map(({ what, value, unit, target }) => [what, value, unit, target])).toEqual([
    ['p99 of a turn, 500 turns/s', 8, 'ms', 10],
    ['the same, backup runs', 2, 'x', 1.1],
  ]);
});
