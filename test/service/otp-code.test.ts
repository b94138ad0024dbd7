import { scryptSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { generateCode, verifyCode } from '../../src/service/otp/verify.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { testClock } from '../kit/clock.ts';

const ids = systemIds(testClock());

/** The cost that docs/security.md states: 4 MiB and about 10 ms for each guess. */
const cost = { N: 4_096, r: 8, p: 1 };

test('the stored form of a code is its scrypt hash at the documented cost', async () => {
  const { code, salt, digest } = await generateCode(ids);
  expect(digest).toBe(scryptSync(code, salt, 32, cost).toString('hex'));
  for (const cheaper of [{ N: 2 }, { N: 2_048 }, { r: 1 }]) {
    expect(digest).not.toBe(scryptSync(code, salt, 32, { ...cost, ...cheaper }).toString('hex'));
  }
  expect(Buffer.from(salt, 'base64url').length).toBeGreaterThanOrEqual(16);
});

test('equal codes have different salts, and only the right code is accepted', async () => {
  const [one, two] = [await generateCode(ids), await generateCode(ids)];
  expect(one.salt).not.toBe(two.salt);
  expect(await verifyCode(one.code, one)).toBe(true);
  expect(await verifyCode(one.code, { ...one, salt: two.salt })).toBe(false);
  expect(await verifyCode(one.code === '000000' ? '000001' : '000000', one)).toBe(false);
});
