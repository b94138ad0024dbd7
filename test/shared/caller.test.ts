import { describe, expect, test } from 'vitest';
import { createAddressList } from '../../src/shared/http/address-list.ts';
import { callerOf } from '../../src/shared/http/caller.ts';

const trusted = createAddressList(['10.0.0.0/8', '::1']);
const from = (remoteAddress: string) => ({ socket: { remoteAddress } });

describe('who called', () => {
  test.each<{ says: string; peer: string; forwardedFor?: string; caller: string }>([
    { says: 'the peer, where nothing was forwarded', peer: '52.50.116.54', caller: '52.50.116.54' },
    {
      says: 'the peer, whatever it says it forwards, where nobody trusts it',
      peer: '52.50.116.54',
      forwardedFor: '18.202.122.131',
      caller: '52.50.116.54',
    },
    {
      says: 'whom a trusted proxy names',
      peer: '10.0.0.1',
      forwardedFor: '52.50.116.54',
      caller: '52.50.116.54',
    },
    {
      says: 'whom a trusted proxy names, when the socket has it in its IPv6 form',
      peer: '::ffff:10.0.0.1',
      forwardedFor: '52.50.116.54',
      caller: '52.50.116.54',
    },
    {
      says: 'the last one named: those before it are what the caller claimed',
      peer: '10.0.0.1',
      forwardedFor: '18.202.122.131, 203.0.113.9',
      caller: '203.0.113.9',
    },
    {
      says: 'the last one who is no trusted proxy, behind several of them',
      peer: '::1',
      forwardedFor: '18.202.122.131,203.0.113.9 ,10.0.0.2,  10.0.0.1',
      caller: '203.0.113.9',
    },
    {
      says: 'the proxy itself, where it names nobody',
      peer: '10.0.0.1',
      caller: '10.0.0.1',
    },
    {
      says: 'the proxy itself, where all that are named are proxies',
      peer: '10.0.0.1',
      forwardedFor: '10.0.0.3, , 10.0.0.2,',
      caller: '10.0.0.1',
    },
  ])('is $says', ({ peer, forwardedFor, caller }) => {
    expect(callerOf(from(peer), forwardedFor, trusted)).toBe(caller);
  });

  test.each(['unknown', '203.0.113.9:4711', '[2001:db8::1]', '_hidden'])(
    'is nobody where the last one named is %s, whoever was named before',
    (hop) => {
      expect(callerOf(from('10.0.0.1'), `52.50.116.54, ${hop}`, trusted)).toBeUndefined();
    },
  );

  test('is nobody where there is no socket, or none any more', () => {
    expect(callerOf(undefined, '52.50.116.54', trusted)).toBeUndefined();
    expect(callerOf({}, '52.50.116.54', trusted)).toBeUndefined();
    expect(callerOf({ socket: {} }, '52.50.116.54', trusted)).toBeUndefined();
  });
});
