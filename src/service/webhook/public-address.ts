import ipaddr from 'ipaddr.js';

/** IPv6 hands out public addresses here and nowhere else (RFC 4291, IANA). */
const publicIpv6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address is one of the public internet: no loopback, private, link-local, shared or reserved one,
 * and none of the forms of IPv6 that only wrap an IPv4 address. What is no address is not public.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(publicIpv6);
}

/** Names that never lead out of a machine or its own network (RFC 6761, RFC 6762, RFC 9476 and custom). */
const innerNames = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/;

/**
 * Whether events of live sessions may be sent to a URL, as far as its text tells: https, and a host that is a
 * public address or a name that may lead to one. Where the name does lead is checked when it is looked up.
 */
export function mayBePublic(url: URL): boolean {
  if (url.protocol !== 'https:') return false;
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (ipaddr.isValid(host)) return isPublicAddress(host);
  return host.includes('.') && !innerNames.test(host);
}
