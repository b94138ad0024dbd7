import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * The address that a request came from: the socket's, or, where that is a trusted proxy's, the last address of
 * `x-forwarded-for` that is not a trusted proxy's too. `undefined` where there is no socket, or no address there.
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
