import { describe, expect, test } from 'vitest';
import { createAddressList } from '../../src/shared/http/address-list.ts';
import { callerOf } from '../../src/shared/http/caller.ts';

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
    expect(callerOf(from(peer), forwardedFor, trusted)).toBe(caller);
  });

  test.each(['unknown', '203.0.113.9:4711', '[2001:db8::1]', '_hidden'])(
    'is unknown when the last address is %s',
    (hop) => {
      expect(callerOf(from('10.0.0.1'), `52.50.116.54, ${hop}`, trusted)).toBeUndefined();
    },
  );

  test('is unknown without a socket or with a closed one', () => {
    expect(callerOf(undefined, '52.50.116.54', trusted)).toBeUndefined();
    expect(callerOf({}, '52.50.116.54', trusted)).toBeUndefined();
    expect(callerOf({ socket: {} }, '52.50.116.54', trusted)).toBeUndefined();
  });
});
