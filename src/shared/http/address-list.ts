import { BlockList, isIP } from 'node:net';
import { LRUCache } from 'lru-cache';

/** A set of IP addresses and networks. */
export type AddressList = {
  /** Returns whether the address is in the list. Accepts IPv4 addresses in their IPv6 form too, `::ffff:10.0.0.1`. */
  has(address: string): boolean;
};

/** Returns whether a text is an IP address such as `52.50.116.54`, or a network such as `10.0.0.0/8`, of either family. */
export function isAddressOrNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

/** An IPv6 address with an embedded IPv4 address and no zone. */
const maxAddressLength = 45;

/** Answers that a list remembers: a proxy, or an aggregator, sends every request from a few addresses. */
const maxRemembered = 1_000;

/**
 * Creates a list of addresses and networks.
 *
 * @throws Error for an entry that is neither.
 */
export function createAddressList(entries: readonly string[]): AddressList {
  const list = new BlockList();
  for (const entry of entries) {
    if (!isAddressOrNetwork(entry)) throw new Error('expected an address or a network');
    const [address = '', prefix] = entry.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  const remembered = new LRUCache<string, boolean>({ max: maxRemembered });
  const check = (address: string) => {
    const family = isIP(address);
    return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
  };
  return {
    has(address) {
      if (entries.length === 0) return false;
      const known = remembered.get(address);
      if (known !== undefined) return known;
      const isListed = check(address);
      // Longer texts are no addresses, and come from a header that anyone can write.
      if (address.length <= maxAddressLength) remembered.set(address, isListed);
      return isListed;
    },
  };
}
