import { expect, test } from 'vitest';
import { conflict, retryConflict } from '../../src/sqlite/store.ts';

test('an attempt with a conflict is repeated, and the first successful result is returned', async () => {
  let attempts = 0;
  const attempt = async () => (++attempts < 3 ? conflict : attempts);
  expect(await retryConflict('a row', attempt)).toBe(3);
});

test('a write with a conflict in every attempt fails and names its row', async () => {
  let attempts = 0;
  const attempt = async () => {
    attempts++;
    return conflict;
  };
  await expect(retryConflict('session pay_1', attempt, 5)).rejects.toThrow(
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
  await expect(retryConflict('a row', attempt)).rejects.toThrow('the disk is full');
  expect(attempts).toBe(1);
});
