import { describe, expect, test } from 'vitest';
import { createAddressList, isAddressOrNetwork } from '../../src/shared/http/addresses.ts';

describe('an entry of an address list', () => {
  test.each([
    ...'52.50.116.54 10.0.0.0/8 0.0.0.0/0 52.50.116.54/32 2001:db8::1 2001:db8::/32 ::/0'.split(' '),
    '::1/128',
  ])('can be %s', (text) => {
    expect(isAddressOrNetwork(text)).toBe(true);
    expect(() => createAddressList([text])).not.toThrow();
  });

  test.each([
    '',
    ...'/ /8 localhost 10.0.0 10.0.0.256 10.0.0.0/ 10.0.0.0/33 10.0.0.0/-1 10.0.0.0/8/8'.split(' '),
    ...'10.0.0.0/255.0.0.0 10.0.0.1:80 [::1] ::/129'.split(' '),
    ' 10.0.0.1',
    '10.0.0.*',
  ])('cannot be %j', (text) => {
    expect(isAddressOrNetwork(text)).toBe(false);
    expect(() => createAddressList([text])).toThrow('expected an address or a network');
  });
});

describe('an address list contains an address', () => {
  test.each<[list: string[], address: string, isIn: boolean]>([
    [['52.50.116.54'], '52.50.116.54', true],
    [['52.50.116.54'], '52.50.116.55', false],
    [['10.0.0.0/8', '52.50.116.54'], '10.255.255.255', true],
    [['10.0.0.0/8', '52.50.116.54'], '11.0.0.0', false],
    [['0.0.0.0/0'], '203.0.113.9', true],
    [['2001:db8::/32'], '2001:db8:ffff::1', true],
    [['2001:db8::/32'], '2001:DB9::1', false],
    [['2001:db8::1'], '2001:0db8:0:0:0:0:0:1', true],
    // A dual-stack socket reports an IPv4 peer in this form.
    [['10.0.0.0/8'], '::ffff:10.1.2.3', true],
    [['10.0.0.0/8'], '::ffff:11.1.2.3', false],
    [['127.0.0.1'], '::ffff:7f00:1', true],
    // A network of one address family contains no address of the other.
    [['0.0.0.0/0'], '::1', false],
    [[], '10.0.0.1', false],
    [['0.0.0.0/0', '::/0'], 'localhost', false],
    [['0.0.0.0/0', '::/0'], '10.0.0.1:4711', false],
    [['0.0.0.0/0', '::/0'], '', false],
  ])('of %j, %j: %s', (list, address, isIn) => {
    expect(createAddressList(list).has(address)).toBe(isIn);
  });
});
