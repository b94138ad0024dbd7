import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * Returns the IP address of a request's caller: the socket's address or, behind trusted proxies, the last address of
 * `x-forwarded-for` that is not a trusted proxy.
 *
 * @returns `undefined` for a request without a socket, and when that entry is not an IP address.
 */
export function callerOf(
  incoming: Pick<IncomingMessage, 'socket'> | { socket?: { remoteAddress?: string } } | undefined,
  forwardedFor: string | undefined,
  trusted: { has(address: string): boolean },
): string | undefined {
  const peer = incoming?.socket?.remoteAddress;
  if (peer === undefined || !trusted.has(peer)) return peer;
  const hops = (forwardedFor ?? '').split(',').map((hop) => hop.trim());
  const caller = hops.findLast((hop) => hop !== '' && !trusted.has(hop)) ?? peer;
  return isIP(caller) === 0 ? undefined : caller;
}
