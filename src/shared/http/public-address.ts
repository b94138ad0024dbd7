import ipaddr from 'ipaddr.js';

/** All public IPv6 addresses are in this range (RFC 4291, IANA). */
const publicIpv6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * True when a text is a public IP address: not loopback, private, link-local, shared or reserved, and not an IPv6 form
 * that wraps an IPv4 address.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(publicIpv6);
}

/** True when a text is an IP address of this machine. */
export function isLoopbackAddress(text: string): boolean {
  return ipaddr.isValid(text) && ipaddr.process(text).range() === 'loopback';
}

/** True when the host of a URL is this machine: `localhost`, or a loopback address. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Returns whether the `Host` header of a request names this machine. */
export function isLoopbackHostHeader(host: string): boolean {
  const url = `http://${host}`;
  return URL.canParse(url) && isLoopbackHost(new URL(url).hostname);
}

/** Returns the IP address that a URL has as its host; `undefined` for a name. */
export function addressOfHost({ hostname }: URL): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return ipaddr.isValid(host) ? host : undefined;
}

/** Names that resolve inside a machine or its own network only (RFC 6761, RFC 6762, RFC 9476 and custom). */
const localNames = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/;

/**
 * True when a URL may receive live events: https, and a host that is a public address or may resolve to one. The resolved
 * address is checked at each request.
 */
export function mayBePublic(url: URL): boolean {
  if (url.protocol !== 'https:') return false;
  const address = addressOfHost(url);
  if (address !== undefined) return isPublicAddress(address);
  const host = url.hostname.replace(/\.$/, '');
  return host.includes('.') && !localNames.test(host);
}
