import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

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
