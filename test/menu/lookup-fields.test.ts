import { describe, expect, test } from 'vitest';
import { readAnswerFields } from '../../src/menu/effects/lookup.ts';
import { amountMinor } from '../../src/shared/money.ts';

const take = {
  name: { text: 10 },
  due: { amount: amountMinor(50_000) },
  fees: { list: 2, of: { label: { text: 8 }, due: { amount: amountMinor(50_000) } } },
};
/** Returns the values of an answer; `undefined` when it is unusable. */
const valuesOf = (fields: object) => {
  const read = readAnswerFields(take, fields);
  return read.ok ? read.values : undefined;
};
const tuition = { label: 'Tuition', due: 30_000 };
const parsed = { label: 'Tuition', due: { amountMinor: 30_000 } };

describe('a field of a lookup', () => {
  test('has a value unless it is absent, null or blank', () => {
    expect(valuesOf({ name: ' AMA  MENSAH ', due: 0 })).toEqual({
      name: 'AMA MENSAH'.slice(0, 10),
      due: { amountMinor: 0 },
    });
    expect(valuesOf({ name: '', due: null })).toEqual({});
    expect(valuesOf({ name: ' \n', fees: [] })).toEqual({ fees: [] });
  });

  test('is cut at the maximum number of list items', () => {
    expect(valuesOf({ fees: [tuition, tuition, tuition] })).toEqual({ fees: [parsed, parsed] });
  });

  test.each([
    ['lacks a field', { label: 'Tuition' }],
    ['has a blank field', { ...tuition, label: ' ' }],
    ['has a field of another type', { ...tuition, due: '30000' }],
    ['has an amount above the maximum', { ...tuition, due: 50_001 }],
    ['is not an object', 'Tuition'],
  ])('is invalid when an item of a list %s, because its option would be incomplete', (_, item) => {
    expect(valuesOf({ name: 'AMA', fees: [tuition, item] })).toBeUndefined();
  });
});
