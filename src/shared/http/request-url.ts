import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';

/** A path of these characters forms a valid URL with every valid host. */
const plainTarget = /^\/[\w/-]*$/;

/** Hosts that are remembered: a program has few names. A longer one is checked each time. */
const validHosts = new LRUCache<string, boolean>({ max: 100 });
const maxHostLength = 100;

/**
 * Returns whether the target and the Host header of a request form a URL that a route can read: a valid http URL without
 * credentials. The constructor of `Request` throws for any other one, in the middle of a route.
 */
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
