import { expect, test } from 'vitest';
import { getClientNetwork } from '../../../src/shared/http/addresses.ts';

test.each([
  ['192.0.2.1', '::ffff:192.0.2.1', true],
  ['192.0.2.1', '192.0.2.2', false],
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', true],
  ['2001:db8:1:2::1', '2001:0db8:0001:0002::9', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['fe80::1%eth0', 'fe80::2%eth0', true],
])('%s and %s are one client: %s', (a, b, isSame) => {
  expect(getClientNetwork(a) === getClientNetwork(b)).toBe(isSame);
});

test.each(['', 'unknown', ':', 'a:b'])(
  'a text that is not an address, %j, is a client of its own',
  (text) => {
    expect(getClientNetwork(text)).toBe(text);
  },
);
