// cspell:ignore GEZDGNBVGY MZXQ MZXW TQOJQ TQOJQGEZDGNBVGY YTBOI foob fooba
import { expect, test } from 'vitest';
import { base32 } from '../../../src/gateway/accounts/base32.ts';
import { enrolmentUrl, matchStep, oneTimePassword, stepAt } from '../../../src/gateway/accounts/totp.ts';

/** The seed of RFC 6238, appendix B. Its codes have eight digits; a code of six has the last six of them. */
const seed = Buffer.from('12345678901234567890');

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('the one-time password at %i s is the one of RFC 6238', (seconds, expected) => {
  expect(oneTimePassword(seed, stepAt(seconds * 1_000))).toBe(expected);
});

test('a one-time password is accepted one step early or late, and never twice', () => {
  const now = 1_234_567_890_000;
  const step = stepAt(now);
  const match = (entered: string, lastStep = 0) => matchStep(seed, entered, { now, lastStep });
  expect(match(oneTimePassword(seed, step))).toBe(step);
  expect(match(oneTimePassword(seed, step - 1))).toBe(step - 1);
  expect(match(oneTimePassword(seed, step + 1))).toBe(step + 1);
  expect(match(oneTimePassword(seed, step - 2))).toBeUndefined();
  expect(match(oneTimePassword(seed, step + 2))).toBeUndefined();
  expect(match(oneTimePassword(seed, step), step)).toBeUndefined();
  expect(match('')).toBeUndefined();
  expect(match('12345a')).toBeUndefined();
});

test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('base32 of "%s" is the one of RFC 4648', (text, expected) => {
  expect(base32(Buffer.from(text))).toBe(expected);
});

test('the address for authenticator apps has the key, the host and the name', () => {
  expect(enrolmentUrl(seed, 'ama', 'pay.example:8443')).toBe(
    'otpauth://totp/dialtill%20pay.example%3A8443:ama?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=dialtill%20pay.example%3A8443',
  );
});
