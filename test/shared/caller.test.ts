import { describe, expect, test } from 'vitest';
import { createAddressList, findClientAddress } from '../../src/shared/http/addresses.ts';

const trusted = createAddressList(['10.0.0.0/8', '::1']);
const from = (remoteAddress: string) => ({ socket: { remoteAddress } });

describe('the caller', () => {
  test.each<{ expected: string; peer: string; forwardedFor?: string; caller: string }>([
    { expected: 'the peer without a forwarding header', peer: '52.50.116.54', caller: '52.50.116.54' },
    {
      expected: 'the peer when the peer is not a trusted proxy',
      peer: '52.50.116.54',
      forwardedFor: '18.202.122.131',
      caller: '52.50.116.54',
    },
    {
      expected: 'the address from a trusted proxy',
      peer: '10.0.0.1',
      forwardedFor: '52.50.116.54',
      caller: '52.50.116.54',
    },
    {
      expected: 'the address from a trusted proxy with an IPv4-mapped address',
      peer: '::ffff:10.0.0.1',
      forwardedFor: '52.50.116.54',
      caller: '52.50.116.54',
    },
    {
      expected: 'the last address, because a caller can forge those before it',
      peer: '10.0.0.1',
      forwardedFor: '18.202.122.131, 203.0.113.9',
      caller: '203.0.113.9',
    },
    {
      expected: 'the last address that is not a trusted proxy, after several proxies',
      peer: '::1',
      forwardedFor: '18.202.122.131,203.0.113.9 ,10.0.0.2,  10.0.0.1',
      caller: '203.0.113.9',
    },
    {
      expected: 'the proxy when it sends no header',
      peer: '10.0.0.1',
      caller: '10.0.0.1',
    },
    {
      expected: 'the proxy when all addresses are proxies',
      peer: '10.0.0.1',
      forwardedFor: '10.0.0.3, , 10.0.0.2,',
      caller: '10.0.0.1',
    },
  ])('is $expected', ({ peer, forwardedFor, caller }) => {
    expect(findClientAddress(from(peer), forwardedFor, trusted)).toBe(caller);
  });

  test.each([
    ['203.0.113.9:41234', '203.0.113.9'],
    ['"203.0.113.9:41234"', '203.0.113.9'],
    ['203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:17085, 10.0.0.2:5512', '203.0.113.9'],
    ['203.0.113.9:17085, [::1]:5512, ,', '203.0.113.9'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:DB8:0::1]:443', '2001:db8::1'],
    ['" [2001:db8::1]:443 "', '2001:db8::1'],
    ['2001:db8:0:0:0:0:0:1:41234', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:443', 'fe80::1'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['::ffff:203.0.113.9:41234', '203.0.113.9'],
    ['[::ffff:203.0.113.9]:41234', '203.0.113.9'],
    ['203.0.113.9, ::ffff:10.0.0.2', '203.0.113.9'],
    ['for=203.0.113.9', '203.0.113.9'],
    ['For="203.0.113.9:41234"', '203.0.113.9'],
    ['for=203.0.113.9;proto=https;by=10.0.0.1', '203.0.113.9'],
    ['proto=https; for = 203.0.113.9', '203.0.113.9'],
    ['for="[2001:db8::1]:4711", for=10.0.0.2', '2001:db8::1'],
    ['for=203.0.113.9, 10.0.0.2', '203.0.113.9'],
  ])('is read from %s', (forwardedFor, caller) => {
    expect(findClientAddress(from('10.0.0.1'), `52.50.116.54, ${forwardedFor}`, trusted)).toBe(caller);
  });

  test.each([
    ...'unknown _hidden 203.0.113.9:port 203.0.113.9:123456 203.0.113.9: 203.0.113'.split(' '),
    '203.0.113.09',
    '203.0.113.9 203.0.113.10',
    ...'203.0.113.9; for=unknown for=_hidden;proto=https for='.split(' '),
    ...'for=203.0.113.9;for=203.0.113.10 by=203.0.113.9 before=203.0.113.9 0xcb007109'.split(' '),
    ...'[203.0.113.9]:80 [2001:db8::1 [2001:db8::1]x 2001:db8::1]:443 "203.0.113.9'.split(' '),
    'x'.repeat(30_000),
    `203.0.113.9%${'x'.repeat(200)}`,
    ':::::',
    '"',
    '[]',
  ])('is the proxy when the last entry is unreadable: %.30s', (entry) => {
    expect(findClientAddress(from('10.0.0.1'), `52.50.116.54, ${entry}`, trusted)).toBe('10.0.0.1');
  });

  test('is found at the end of a header of any length', () => {
    const forwardedFor = `${','.repeat(20_000)}${'1.1.1.1,'.repeat(2_000)}203.0.113.9:80, 10.0.0.2`;
    expect(findClientAddress(from('10.0.0.1'), forwardedFor, trusted)).toBe('203.0.113.9');
    expect(findClientAddress(from('10.0.0.1'), ','.repeat(30_000), trusted)).toBe('10.0.0.1');
  });

  test('is unknown only without a socket or with a closed one', () => {
    expect(findClientAddress(undefined, '52.50.116.54', trusted)).toBeUndefined();
    expect(findClientAddress({}, '52.50.116.54', trusted)).toBeUndefined();
    expect(findClientAddress({ socket: {} }, '52.50.116.54', trusted)).toBeUndefined();
  });
});
