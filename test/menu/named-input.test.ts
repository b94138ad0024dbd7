import { expect, test } from 'vitest';
import { typedInput } from '../../src/menu/text/named-input.ts';

const confirm = 'Pay GHS 20.00 to Shop?\n7. Yes\n8. No\n0. Back';

test.each([
  [confirm, 'yes', '7'],
  [confirm, 'NO', '8'],
  [confirm, ' back ', '0'],
  ['Tua GHS 20.00?\n1. Aane\n2. Daabi', 'yes', '1'],
  ['Which class?\n1. Basic 1\n11. JHS 1\n#. More', 'jhs 1', '11'],
  ['Which class?\n1. Basic 1\n#. More', 'more', '#'],
  ['Shop\n1. Cafe', 'Café', '1'],
])('on the screen %j, %s types %s', (screen, input, typed) => {
  expect(typedInput(screen, input)).toBe(typed);
});

test.each([
  ['the screen has no such option', 'Your name?', 'yes'],
  ['two options have the label', '1. Yes\n2. Yes', 'yes'],
  ['it is a key', confirm, '7'],
  ['it is a part of a label', 'Class?\n1. Basic 1', 'Basic'],
])('an input is typed as it is where %s', (_, screen, input) => {
  expect(typedInput(screen, input)).toBe(input);
});
