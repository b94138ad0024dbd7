import { expect, test } from 'vitest';
import { maskNumbers } from '../../src/shared/mask-numbers.ts';

test.each([
  ['Pay GHS 20.00 to Demo Shop\nfrom 0244123456?', 'Pay GHS 20.00 to Demo Shop\nfrom 23324****456?'],
  ['024 412 3456', '23324****456'],
  ['+233-24-412-3456 or 00233244123456', '23324****456 or 23324****456'],
  ['0244123456.', '23324****456.'],
  ['Ama (024) 412 3456', 'Ama (23324****456'],
  ['Ama 0244  123456', 'Ama 23324****456'],
  ['Ama 0244\u00a0123\u00a0456', 'Ama 23324****456'],
  ['Ama 024/412–3456, 0201234567', 'Ama 23324****456, 23320****567'],
  ['Ama +233 (0) 24 412 3456', 'Ama 23324****456'],
])('a number in %j is masked', (text, masked) => {
  expect(maskNumbers(text)).toBe(masked);
});

test.each(['20241234567890', 'Meter 04123456789', '0302123456', 'Ref 1234567', ''])(
  '%j has no mobile number',
  (text) => {
    expect(maskNumbers(text)).toBe(text);
  },
);
