import { expect, test } from 'vitest';
import { lostGuard, retryLostGuard } from '../../src/sqlite/retry-lost-guard.ts';

test('an attempt that loses its guard is repeated, and the first successful result is returned', async () => {
  let attempts = 0;
  const attempt = async () => (++attempts < 3 ? lostGuard : attempts);
  expect(await retryLostGuard('a row', attempt)).toBe(3);
});

test('a write that loses every attempt fails and names its row', async () => {
  let attempts = 0;
  const attempt = async () => {
    attempts++;
    return lostGuard;
  };
  await expect(retryLostGuard('session pay_1', attempt, 5)).rejects.toThrow(
    'session pay_1 changed 5 times while it was written',
  );
  expect(attempts).toBe(5);
});

test('an attempt that throws is not repeated', async () => {
  let attempts = 0;
  const attempt = async () => {
    attempts++;
    throw new Error('the disk is full');
  };
  await expect(retryLostGuard('a row', attempt)).rejects.toThrow('the disk is full');
  expect(attempts).toBe(1);
});
