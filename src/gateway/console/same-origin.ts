import type { Context } from 'hono';

/**
 * Returns whether a request that changes something comes from a page of the console. Browsers send `Sec-Fetch-Site` with every
 * request; older ones send the origin.
 */
export function isSameOrigin(c: Context, publicUrl: URL): boolean {
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  return c.req.header('origin') === publicUrl.origin;
}
