import ipaddr from 'ipaddr.js';

/** Bits of an IPv6 address that name a client's network: a provider assigns at least this many to one customer. */
const ipv6Bits = 64;

/**
 * Returns the network that limits count as one client: the address of IPv4, the first 64 bits of IPv6.
 *
 * @returns the text itself when it is not an IP address.
 */
export function getClientNetwork(address: string): string {
  if (!address.includes(':')) return address;
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const bytes = parsed.toByteArray().slice(0, ipv6Bits / 8);
  return `${Buffer.from(bytes).toString('hex')}/${ipv6Bits}`;
}
