import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { weaknessOf } from '../../src/shared/secret-strength.ts';

test.each([
  ['', 'has fewer than 128 random bits'],
  ['hunter2', 'has fewer than 128 random bits'],
  ['Xk3vQ9pLm2TzR7wB4nYcD', 'has fewer than 128 random bits'],
  ['9f8c2e7b41d6a3505c1e8f7', 'has fewer than 128 random bits'],
  ['73910482650917364820517394026481905173', 'has fewer than 128 random bits'],
  ['whsec_Xk3vQ9pLm2TzR7wB4n', 'has fewer than 128 random bits'],
  ['a'.repeat(64), 'repeats a few characters'],
  ['Ab0-'.repeat(12), 'repeats a few characters'],
  ['Xk3vQ9pLm2TzXk3vQ9pLm2TzXk3vQ9pLm2Tz', 'repeats the same part'],
  ['Xk3vQ9pLm2TzXk3vQ9pLm2Tz', 'repeats the same part'],
  ['the-Secret-of-abena-Xk3vQ9pLm2', 'contains a common word'],
  ['ChangeMe-Xk3vQ9pLm2TzR7wB4nYc', 'contains a common word'],
  ['my-Password-Xk3vQ9pLm2TzR7wB4n', 'contains a common word'],
  ['Xk3vQ9-abcdefgh-Lm2TzR7wB4nYcD', 'contains a sequence such as 01234567'],
  ['Xk3vQ9pLm2TzR7wB4n-9876543210', 'contains a sequence such as 01234567'],
  ['whsec_YSBrZXkgb2YgdGhpcyBkb2N1bWVudCwgbm8gb3RoZXI=', 'is the base64 of a readable text'],
])('%s: %s', (secret, weakness) => {
  expect(weaknessOf(secret)).toBe(weakness);
});

test('random secrets of 128 bits and more have no weakness, in each of the usual encodings', () => {
  for (let n = 0; n < 2_000; n++) {
    for (const bytes of [17, 24, 32, 48]) {
      const random = randomBytes(bytes);
      for (const encoding of ['base64', 'base64url', 'hex'] as const) {
        const secret = random.toString(encoding);
        expect(weaknessOf(secret), secret).toBeUndefined();
      }
    }
  }
});
