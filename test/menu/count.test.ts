import { expect, test } from 'vitest';
import { formatFileErrors } from '../../src/shared/yaml.ts';
import { loadText, walk } from './support.ts';

const seats = (question: string) => `languages: [en]
start: seats
screens:
  seats: { kind: ask, answer: number, name: seats, ${question}, to: amount, text: "How many, {min} to {max}?" }
  amount: { kind: ask, answer: amount, min: "1.00", max: "5.00", text: Amount, to: confirm }
  confirm: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: Thanks }
`;

function screenAfter(question: string, ...inputs: string[]): string | undefined {
  const loaded = loadText(seats(question));
  if (!loaded.ok) return formatFileErrors(loaded.errors);
  return walk(loaded.menu, inputs).reply.text;
}

test('zero of a priced item is invalid, and the question states the minimum of 1', () => {
  const priced = 'min: 0, max: 5, each: "2.00"';
  expect(screenAfter(priced)).toBe('How many, 1 to 5?');
  expect(screenAfter(priced, '0')).toBe('At least 1.\nHow many, 1 to 5?');
  expect(screenAfter(priced, '6')).toBe('At most 5.\nHow many, 1 to 5?');
  expect(screenAfter(priced, '1')).toMatch(/^Amount\n/);
});

test('zero of an item without a price is valid', () => {
  expect(screenAfter('min: 0, max: 5')).toBe('How many, 0 to 5?');
  expect(screenAfter('min: 0, max: 5', '0')).toMatch(/^Amount\n/);
});

test('a question with a price and a maximum of 0 is rejected', () => {
  expect(screenAfter('min: 0, max: 0, each: "2.00"')).toContain('expected at least 1');
});
