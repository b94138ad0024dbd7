import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sessionStatuses } from '../../src/contract/service/session.ts';
import { defaultFee, feeFor } from '../../src/service/fee/fee-store.ts';
import { isTerminal, statusAfter } from '../../src/service/session/session-store.ts';
import { maxAmountMinor } from '../../src/shared/money.ts';

test.each([
  [1, 10],
  [1_000, 10],
  [1_049, 10],
  [1_050, 11],
  [2_000, 20],
  [100_000_000, 1_000_000],
])('goods of %i pesewas cost a fee of %i', (goods, fee) => {
  expect(feeFor(goods, defaultFee)).toBe(fee);
});

test('the cap lowers a fee and the floor raises it', () => {
  const schedule = { basisPoints: 195, floorMinor: 5, capMinor: 1_000 };
  expect([10, 1_000, 100_000].map((goods) => feeFor(goods, schedule))).toEqual([5, 20, 1_000]);
});

test('a fee is an integer between its floor and its cap, and never falls as the goods grow', () => {
  const amount = fc.integer({ min: 1, max: maxAmountMinor });
  const schedule = fc.record({
    basisPoints: fc.integer({ min: 0, max: 10_000 }),
    floorMinor: fc.integer({ min: 0, max: 500 }),
    capMinor: fc.integer({ min: 500, max: 100_000 }),
  });
  fc.assert(
    fc.property(amount, amount, schedule, (one, other, terms) => {
      const [less, more] = [Math.min(one, other), Math.max(one, other)].map((goods) => feeFor(goods, terms));
      expect(Number.isSafeInteger(less)).toBe(true);
      expect(less).toBeGreaterThanOrEqual(terms.floorMinor);
      expect(more).toBeLessThanOrEqual(terms.capMinor);
      expect(less).toBeLessThanOrEqual(Number(more));
    }),
  );
});

test.each([
  ['created', 'initiate', 'initiated'],
  ['created', 'pay', undefined],
  ['created', 'fail', undefined],
  ['created', 'expire', 'expired'],
  ['initiated', 'initiate', undefined],
  ['initiated', 'pay', 'paid'],
  ['initiated', 'fail', 'failed'],
  ['initiated', 'expire', 'expired'],
] as const)('%s, asked to %s, becomes %s', (status, move, after) => {
  expect(statusAfter(status, move)).toBe(after);
});

test('no transition leaves a terminal status', () => {
  expect(sessionStatuses.filter(isTerminal)).toEqual(['paid', 'failed', 'expired']);
  for (const status of ['paid', 'failed', 'expired'] as const) {
    for (const move of ['initiate', 'pay', 'fail', 'expire'] as const) {
      expect(statusAfter(status, move)).toBeUndefined();
    }
  }
});
