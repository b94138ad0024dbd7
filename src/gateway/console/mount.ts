import type { Context, MiddlewareHandler } from 'hono';
import { basePath } from 'hono/route';

/** The console is below this path of the gateway. */
const consolePath = '/console';

/** The attributes of pages that contain addresses of the console. */
const addresses = /( (?:href|src|action|data-live)=")\/console(?=["/?#])/g;

/** A mount of these characters names no other host and contains no markup, so that a caller may choose it. */
const plainMount = /^(\/[\w.~-]+)+$/;

/**
 * Returns the path below which another app has mounted the gateway, such as `/pay`; empty without one. It is decoded, and the
 * caller has chosen the part that a parameter of the route matches.
 */
function getMount(c: Context): string {
  return basePath(c).slice(0, -consolePath.length);
}

/** Returns the path of a request from `/console` on. */
export function getPath(c: Context): string {
  return c.req.path.slice(getMount(c).length);
}

/**
 * Completes the addresses of the console in pages and redirects when browsers reach the gateway below a path: that of `publicUrl`
 * behind a proxy that removes it, or that of the app which has mounted the gateway. No page then has to know the path, and
 * none can forget it. The text of a page has no double quotes that are not escaped, so that it stays as it is.
 */
export function completeAddresses(publicUrl: URL): MiddlewareHandler {
  const published = publicUrl.pathname.replace(/\/$/, '');
  return async (c, next) => {
    await next();
    const mount = getMount(c);
    const below = published || (plainMount.test(mount) ? mount : '');
    if (below === '') return;
    const { headers } = c.res;
    const complete = (name: string, before: string) => {
      const value = headers.get(name);
      if (value?.startsWith(`${before}${consolePath}`))
        c.header(name, `${before}${below}${value.slice(before.length)}`);
    };
    complete('location', '');
    complete('refresh', '0; url=');
    if (!headers.get('content-type')?.startsWith('text/html')) return;
    const page = await c.res.text();
    c.res = new Response(
      page.replaceAll(addresses, (_, start) => `${start}${below}${consolePath}`),
      c.res,
    );
  };
}
