import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import { LRUCache } from 'lru-cache';
import { isLoopbackHostHeader } from './addresses.ts';

/** A path of these characters forms a valid URL with every valid host. */
const plainTarget = /^\/[\w/-]*$/;

/** Hosts that are remembered: a program has few names. A longer one is checked each time. */
const validHosts = new LRUCache<string, boolean>({ max: 100 });
const maxHostLength = 100;

/** Returns whether target and Host form an http URL without credentials: `Request` throws for any other, in the middle of a route. */
export function hasValidUrl({
  url = '',
  headers: { host },
}: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
  if (!plainTarget.test(url)) return isValid(url, host);
  const known = validHosts.get(host ?? '');
  if (known !== undefined) return known;
  const isValidHost = isValid('/', host);
  if ((host?.length ?? 0) <= maxHostLength) validHosts.set(host ?? '', isValidHost);
  return isValidHost;
}

function isValid(url: string, host: string | undefined): boolean {
  const text = url.startsWith('/') ? `http://${host ?? ''}${url}` : url;
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

/** Returns the decoded parts of a request's path, as routes read them: a part that cannot be decoded stays as it is. */
export function splitPath(url = ''): string[] {
  if (!URL.canParse(url, 'http://localhost')) return [];
  const { pathname } = new URL(url, 'http://localhost');
  return pathname.slice(1).split('/').map(decoded);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Why a request must not reach pages. `message` is for the person at the browser. */
export type Foreign = { status: 403 | 421; message: string };

/**
 * Returns why a request must not reach pages of `publicUrl`; `undefined` for one that may.
 *
 * - The host must be the one of `publicUrl`, so that another site cannot reach the pages by its own name (DNS rebinding). The names of this machine are never names of another site.
 * - A request that changes something must come from a page of the same origin. Programs other than browsers name no origin.
 *
 * @param path the path of the pages, for the message.
 */
export function findForeign(
  c: Context,
  { publicUrl, path, needsOrigin }: { publicUrl: URL; path: string; needsOrigin: boolean },
): Foreign | undefined {
  const host = c.req.header('host') ?? new URL(c.req.url).host;
  const isOwnHost = host === publicUrl.host || isLoopbackHostHeader(host);
  if (!isOwnHost) return { status: 421, message: `Open ${publicUrl.origin}${path} instead.` };
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return undefined;
  if (isSameOrigin(c, `${publicUrl.protocol}//${host}`) ?? !needsOrigin) return undefined;
  return { status: 403, message: 'Use the form on the page: the request came from another site.' };
}

/** True when a request comes from a page of an origin; `undefined` when it names no origin. */
function isSameOrigin(c: Context, own: string): boolean | undefined {
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = c.req.header('origin');
  return origin === undefined ? undefined : origin === own;
}
