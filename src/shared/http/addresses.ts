import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
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

/** Creates a list of addresses and networks. @throws Error for an entry that is neither. */
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

/** All public IPv6 addresses are in this range (RFC 4291, IANA). */
const publicIpv6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** True for a public IP address: not loopback, private, link-local, shared or reserved, also when IPv6 wraps IPv4. */
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

/** True when a URL may receive live events: https, with a public address or a name. Each request checks what it resolves to. */
export function mayBePublic(url: URL): boolean {
  if (url.protocol !== 'https:') return false;
  const address = addressOfHost(url);
  if (address !== undefined) return isPublicAddress(address);
  const host = url.hostname.replace(/\.$/, '');
  return host.includes('.') && !localNames.test(host);
}

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

/**
 * Returns the IP address of a request's caller: the socket's address or, behind trusted proxies, the last address of
 * `x-forwarded-for` that is not a trusted proxy. If that entry is not readable, the socket's address counts: what comes
 * before it could be forged. The header `Forwarded` is never read: a proxy that does not write it passes on what a client wrote.
 *
 * @returns `undefined` only for a request without a socket, which comes from this process.
 */
export function findClientAddress(
  incoming: Pick<IncomingMessage, 'socket'> | { socket?: { remoteAddress?: string } } | undefined,
  forwardedFor: string | undefined,
  trusted: { has(address: string): boolean },
): string | undefined {
  const peer = incoming?.socket?.remoteAddress;
  if (peer === undefined || !trusted.has(peer)) return peer;
  // From the end, without a list of all entries: the header can be long, and its beginning is of no interest.
  const entries = forwardedFor ?? '';
  for (let end = entries.length; end > 0; ) {
    const start = entries.lastIndexOf(',', end - 1) + 1;
    const entry = entries.slice(start, end).trim();
    end = start - 1;
    if (entry === '') continue;
    const address = readForwarded(entry);
    if (address === undefined || !trusted.has(address)) return address ?? peer;
  }
  return peer;
}

/** An IPv6 address with an embedded IPv4 address, a zone and a port, in brackets and quotes. */
const maxEntryLength = 100;

/** The name of the parameter that is the address. */
const forParameter = /^\s*for\s*=/i;

/**
 * Reads an entry of `x-forwarded-for` as proxies write it: an address, with a port (`203.0.113.9:41234`,
 * `[2001:db8::1]:41234`), in quotes, or with a zone. A text that is an IPv6 address has no port. Some proxies write the parameters of
 * RFC 7239, of which `for` is the address.
 *
 * @returns the address in its usual spelling, an IPv4 address as such; `undefined` for every other text.
 */
function readForwarded(entry: string): string | undefined {
  if (entry.length > maxEntryLength) return undefined;
  const [named, ...others] = entry.split(';').filter((one) => forParameter.test(one));
  if (others.length > 0) return undefined;
  const value = named?.replace(forParameter, '').trim() ?? entry;
  const text = /^"([^"]*)"$/.exec(value)?.[1]?.trim() ?? value;
  const [, inBrackets] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text) ?? [];
  const found = inBrackets ?? (isIP(text) === 0 ? text.replace(/:\d{1,5}$/, '') : text);
  const [address = ''] = found.split('%');
  switch (isIP(address)) {
    case 4:
      return inBrackets === undefined ? address : undefined;
    case 6:
      return ipaddr.process(address).toString();
    default:
      return undefined;
  }
}
