import ipaddr from 'ipaddr.js';

/** All public IPv6 addresses are in this range (RFC 4291, IANA). */
const publicIpv6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether a text is a public IP address: not loopback, private, link-local, shared or reserved, and not an IPv6 form
 * that wraps an IPv4 address.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(publicIpv6);
}

/** Names that resolve inside a machine or its own network only (RFC 6761, RFC 6762, RFC 9476 and custom). */
const localNames = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/;

/**
 * Whether a URL may receive live events: https, and a host that is a public address or may resolve to one. The resolved
 * address is checked at each request.
 */
export function mayBePublic(url: URL): boolean {
  if (url.protocol !== 'https:') return false;
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (ipaddr.isValid(host)) return isPublicAddress(host);
  return host.includes('.') && !localNames.test(host);
}
