import { expect, test } from 'vitest';
import type { CollectionRow } from '../../../src/gateway/collection/collection.ts';
import { findHabits } from '../../../src/gateway/support/caller-query.ts';
import { rowIn } from '../collection/support.ts';

const paid = (goodsMinor: number, seconds: number, dialler = '233244123456') =>
  rowIn('paid', {
    ...{ status: 'paid', payer: '233244123456', dialler, goodsMinor },
    ...{ initiateSentAt: 1_000_000, paidAt: new Date(1_000_000 + seconds * 1_000).toISOString() },
  } as Partial<CollectionRow>);

test('the habits of a payer leave out the lowest and the highest quarter of the prices, and what was not paid', () => {
  const failed = rowIn('failed', { status: 'failed', goodsMinor: 99_900 } as Partial<CollectionRow>);
  const payments = [paid(100, 3), paid(1_000, 14), paid(2_000, 20), paid(50_000, 90, '233201234567'), failed];
  expect(findHabits(payments)).toEqual({
    ...{ payments: 4, ownPhone: 3, lowMinor: 1_000, highMinor: 2_000, answerMs: 20_000 },
  });
});

test('two payments show no habit', () => {
  expect(findHabits([paid(100, 3), paid(200, 5)])).toBeNull();
});
