import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { isLoopbackAddress, isLoopbackHost, isLoopbackHostHeader } from '../shared/http/public-address.ts';

/** Why a request is rejected. `message` is for the person at the browser. */
export type Rejected = { status: 403 | 421; message: string };

/**
 * Returns why a request must not reach the pages; `undefined` for an allowed one.
 *
 * - The host must be the one of `publicUrl`, so that a page of another site cannot reach the pages by a name of its own
 *   (DNS rebinding).
 * - For a `publicUrl` on this machine, so must the client be, without a proxy in between.
 * - A request that changes something must come from a page of the same origin.
 */
export function rejectForeign(c: Context, publicUrl: URL): Rejected | undefined {
  const host = c.req.header('host') ?? new URL(c.req.url).host;
  const isLocal = isLoopbackHost(publicUrl.hostname);
  if (!isOwnHost(host, publicUrl, isLocal)) {
    return { status: 421, message: `Open the browser phone at ${publicUrl.origin}/phone.` };
  }
  if (isLocal && !isLocalClient(c)) {
    return { status: 403, message: 'The browser phone answers only browsers on this machine.' };
  }
  if (c.req.method === 'GET' || c.req.method === 'HEAD' || isSameOrigin(c, host, publicUrl)) return undefined;
  return { status: 403, message: 'Use the form on this page: the request came from another site.' };
}

function isOwnHost(host: string, publicUrl: URL, isLocal: boolean): boolean {
  return host === publicUrl.host || (isLocal && isLoopbackHostHeader(host));
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

function isSameOrigin(c: Context, host: string, { protocol }: URL): boolean {
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  return c.req.header('origin') === `${protocol}//${host}`;
}
