import { expect, test } from 'vitest';
import { createPasswords, PasswordsBusy, passwordFault } from '../../../src/gateway/accounts/password.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { systemIds } from '../../../src/shared/ids.ts';

const ids = systemIds(systemClock());
const password = 'correct horse battery';

test('a password is compared with its salted hash, and without a hash nothing matches', async () => {
  const passwords = createPasswords(ids);
  const [one, other] = await Promise.all([passwords.hash(password), passwords.hash(password)]);
  expect(one).toMatch(/^scrypt-32768-8-3:/);
  expect(other).not.toBe(one);
  const results = await Promise.all([
    passwords.verify(password, one),
    passwords.verify(`${password}.`, one),
    passwords.verify(password, null),
    passwords.verify('', ''),
  ]);
  expect(results).toEqual([true, false, false, false]);
});

test('at most sixteen passwords wait for the two that are compared', async () => {
  const passwords = createPasswords(ids, 2 ** 8);
  const answers = await Promise.allSettled(Array.from({ length: 19 }, () => passwords.verify('', null)));
  const failed = answers.filter(({ status }) => status === 'rejected');
  expect(failed).toHaveLength(1);
  expect(failed[0]).toMatchObject({ reason: expect.any(PasswordsBusy) });
});

test('a password has 15 to 128 characters', () => {
  expect(passwordFault('a'.repeat(14))).toBeDefined();
  expect(passwordFault('a'.repeat(15))).toBeUndefined();
  expect(passwordFault('😀'.repeat(128))).toBeUndefined();
  expect(passwordFault('a'.repeat(129))).toBeDefined();
});
