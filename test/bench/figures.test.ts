import { expect, test } from 'vitest';
import { describeMissed, type Figure, figuresOf, isReached, regressions } from '../../bench/figures.ts';

const cpu: Figure = {
  ...{ id: 'F0', what: 'CPU of a turn', value: 4, unit: 'x', target: 2.5, better: 'less' },
  ...{ beside: 'the floor', isCompared: true },
};
const rate: Figure = { ...cpu, id: 'F1', what: 'turns', better: 'more', target: 2, value: 1 };
const time: Figure = { ...cpu, id: 'F2', what: 'CPU', unit: 'ms', isCompared: false };

test('a ratio that is more than a quarter worse is a regression', () => {
  expect(
    regressions(
      [cpu, rate],
      [
        { ...cpu, value: 5 },
        { ...rate, value: 0.8 },
      ],
    ),
  ).toEqual([]);
  expect(
    regressions(
      [cpu, rate],
      [
        { ...cpu, value: 5.2 },
        { ...rate, value: 0.5 },
      ],
    ),
  ).toEqual([
    'F0 x the floor: 4.00 before, 5.20 now (30 % worse)',
    'F1 x the floor: 1.00 before, 0.50 now (100 % worse)',
  ]);
});

test('a ratio that is not measured is a regression, and a time is never compared', () => {
  expect(regressions([cpu, time], [{ ...time, value: 100 }])).toEqual(['F0 x the floor: not measured']);
});

test('a target is an upper bound or a lower bound', () => {
  expect([cpu, { ...cpu, value: 2 }, rate, { ...rate, value: 3 }].map(isReached)).toEqual([
    false,
    true,
    false,
    true,
  ]);
});

test('a sentence names each missed target, with what was measured before it', () => {
  const alone = { state: 'alone', p50Ms: 1, p99Ms: 8, p99OfAlone: 1 };
  const figures = figuresOf.latency({
    perSecond: 500.4,
    states: [alone, { ...alone, state: 'backup runs', p99Ms: 16, p99OfAlone: 2 }],
  });
  expect(describeMissed(figures)).toEqual([
    'F4: p99 of a turn, 500 turns/s, backup runs: 2.00 x beside the turns alone; the target is at most 1.10.',
  ]);
});
