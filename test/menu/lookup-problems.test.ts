import { expect, test } from 'vitest';
import { readAnswerFields } from '../../src/menu/effects/lookup.ts';
import { screenSchema } from '../../src/menu/schema.ts';

const screen = screenSchema.parse({
  kind: 'lookup',
  url: '/students',
  take: {
    pupil: { text: 20, from: 'full_name' },
    due: { amount: '500.00' },
    terms: { number: 9 },
    fees: { list: 6, of: { name: { text: 14 }, price: { amount: '100.00', from: 'cost' } } },
  },
  found: 'a',
});
const take = screen.kind === 'lookup' ? screen.take : {};

test.each([
  [[], '', 'expected an object, found a list'],
  [{ full_name: { first: 'Ama' } }, 'full_name', 'expected a text, found an object'],
  [{ due: '420.00' }, 'due', 'expected a whole number of pesewas, found a text'],
  [{ due: 420.5 }, 'due', 'expected a whole number of pesewas, found a number with a fraction'],
  [{ due: 50_001 }, 'due', 'expected a whole number of pesewas from 0 to 50000'],
  [{ terms: true }, 'terms', 'expected a whole number, found a boolean'],
  [{ terms: -1 }, 'terms', 'expected a whole number from 0 to 9'],
  [{ fees: { name: 'Bus' } }, 'fees', 'expected a list, found an object'],
  [{ fees: ['Bus'] }, 'fees[0]', 'expected an object, found a text'],
  [
    { fees: [{ name: 'Bus', cost: 100 }, { name: 'Food' }] },
    'fees[1].cost',
    'expected a value in every item of the list',
  ],
  [
    { fees: [{ name: 'Bus', cost: '1' }] },
    'fees[0].cost',
    'expected a whole number of pesewas, found a text',
  ],
])('the answer %j is unusable because of the field %j', (fields, field, problem) => {
  expect(readAnswerFields(take, fields)).toEqual({ ok: false, field, problem });
});

test('a problem names the field and the types, and nothing of the answer', () => {
  const read = readAnswerFields(take, { full_name: 'AMA MENSAH', due: 'GHS 420.00 of AMA' });
  expect(JSON.stringify(read)).not.toMatch(/AMA|420/);
});
