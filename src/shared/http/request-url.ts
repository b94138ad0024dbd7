import type { IncomingMessage } from 'node:http';

/**
 * Returns whether the target and the Host header of a request form a URL that a route can read: a valid http URL without
 * credentials. The constructor of `Request` throws for any other one, in the middle of a route.
 */
export function hasValidUrl({
  url = '',
  headers: { host },
}: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
  const text = url.startsWith('/') ? `http://${host ?? ''}${url}` : url;
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}
