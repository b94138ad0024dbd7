import { createCipheriv } from 'node:crypto';
import { expect, test } from 'vitest';
import { findWeakness } from '../../src/shared/secret-strength.ts';

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
  ['my-admin-Xk3vQ9pLm2TzR7wB4nYc', 'contains a common word'],
  ['TOKEN_Xk3vQ9pLm2TzR7wB4nYc', 'contains a common word'],
  ['Changeme-Xk3vQ9pLm2TzR7wB4nYc', 'contains a common word'],
  ['my-Password-Xk3vQ9pLm2TzR7wB4n', 'contains a common word'],
  ['Xk3vQ9-abcdefghij-Lm2TzR7wB4nYcD', 'contains a sequence such as 0123456789'],
  ['Xk3vQ9pLm2TzR7wB4n-9876543210', 'contains a sequence such as 0123456789'],
  ['whsec_YSBrZXkgb2YgdGhpcyBkb2N1bWVudCwgbm8gb3RoZXI=', 'is the base64 of a readable text'],
])('%s: %s', (secret, weakness) => {
  expect(findWeakness(secret)).toBe(weakness);
});

test.each([
  ['five letters of a word between random ones', 'x9tOkEn5pLm2TzR7wB4nYcX'],
  ['a word in a mixture of cases', 'Xk3vQ9sEcrEtLm2TzR7wB4nY'],
  ['seven different hexadecimal digits', '9f8c2e79f82c7e9f8c2e92f87ce9f8c2'],
  ['seven different decimal digits', '730910470910367043170394016471903170473'],
  ['nine consecutive digits', '7b123456789e02c4d1f3a05b9c8d7e6f'],
])('an honest random secret with %s has no weakness', (_, secret) => {
  expect(findWeakness(secret)).toBeUndefined();
});

/** The documented generators, and how many random bytes one secret of each takes. */
const generators = {
  'openssl rand -base64 32': (bytes: Buffer) => bytes.subarray(0, 32).toString('base64'),
  'openssl rand -base64 16': (bytes: Buffer) => bytes.subarray(0, 16).toString('base64'),
  'openssl rand -hex 32': (bytes: Buffer) => bytes.subarray(0, 32).toString('hex'),
  'openssl rand -hex 16': (bytes: Buffer) => bytes.subarray(0, 16).toString('hex'),
  'base64url, with the prefix of the service': (bytes: Buffer) =>
    `whsec_${bytes.subarray(0, 24).toString('base64url')}`,
};

test.each(Object.entries(generators))('none of 20,000 random secrets has a weakness: %s', (_, generate) => {
  // A cipher with a fixed key is a random generator that repeats its numbers.
  const random = createCipheriv('aes-256-ctr', Buffer.alloc(32, 7), Buffer.alloc(16, 1));
  const zeros = Buffer.alloc(32);
  const weak: string[] = [];
  for (let n = 0; n < 20_000; n++) {
    const secret = generate(random.update(zeros));
    if (findWeakness(secret) !== undefined) weak.push(secret);
  }
  expect(weak).toEqual([]);
});
