import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { isLoopbackAddress, isLoopbackHost } from '../shared/http/addresses.ts';
import { type Foreign, findForeign } from '../shared/http/own-site.ts';

/**
 * Returns why a request must not reach the phone; `undefined` for an allowed one. As `findForeign`, and for a `publicUrl` on this machine,
 * the client must be on it, too, without a proxy in between.
 */
export function rejectForeign(c: Context, publicUrl: URL): Foreign | undefined {
  const foreign = findForeign(c, { publicUrl, path: '/phone', needsOrigin: true });
  if (foreign?.status === 421 || !isLoopbackHost(publicUrl.hostname) || isLocalClient(c)) return foreign;
  return { status: 403, message: 'The browser phone answers only browsers on this machine.' };
}

/** Without a server, as in a test, there is no connection to check. */
function isLocalClient(c: Context): boolean {
  const isForwarded = ['forwarded', 'x-forwarded-for', 'x-real-ip'].some(
    (name) => c.req.header(name) !== undefined,
  );
  const { incoming }: Partial<HttpBindings> = c.env ?? {};
  const address = incoming?.socket.remoteAddress;
  return !isForwarded && (incoming === undefined || (address !== undefined && isLoopbackAddress(address)));
}
