import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { deleteCookie, generateCookie, getCookie, setCookie } from 'hono/cookie';
import { basePath } from 'hono/route';
import { findClientAddress, getClientNetwork } from '../../shared/http/addresses.ts';
import { sessionLimits } from '../accounts/limit-store.ts';

/** Returns the name of the cookie. Browsers accept the prefix `__Host-` only with TLS, and send it to this host alone. */
function cookieName({ protocol }: URL): string {
  return protocol === 'https:' ? '__Host-dialtill' : 'dialtill_console';
}

function options({ protocol }: URL) {
  return { path: '/', httpOnly: true, secure: protocol === 'https:', sameSite: 'Strict' } as const;
}

export function setToken(c: Context, publicUrl: URL, token: string): void {
  const maxAge = sessionLimits.maxMs / 1_000;
  setCookie(c, cookieName(publicUrl), token, { ...options(publicUrl), maxAge });
}

export function removeToken(c: Context, publicUrl: URL): void {
  deleteCookie(c, cookieName(publicUrl), options(publicUrl));
}

export function findToken(c: Context, publicUrl: URL): string | undefined {
  return getCookie(c, cookieName(publicUrl));
}

/** Returns whether a request carries a session of the console, of a person or not. */
export function hasToken(publicUrl: URL, cookies = ''): boolean {
  return cookies.includes(`${cookieName(publicUrl)}=`);
}

/** Returns the name of the cookie with what the last form did. */
function doneCookie(publicUrl: URL): string {
  return `${cookieName(publicUrl)}_done`;
}

/** The browser forgets what a form did, when no page has shown it by then. */
const doneMaxAge = 60;

/** Lets the next page show what a form did. A cookie, because a link of another site cannot set it. `code` has word characters. */
export function setDone(response: Response, publicUrl: URL, code: string): void {
  const cookie = generateCookie(doneCookie(publicUrl), code, { ...options(publicUrl), maxAge: doneMaxAge });
  response.headers.append('set-cookie', cookie);
}

/** Returns what the last form did, once; undefined without one. */
export function takeDone(c: Context, publicUrl: URL): string | undefined {
  const code = getCookie(c, doneCookie(publicUrl));
  if (code !== undefined) deleteCookie(c, doneCookie(publicUrl), options(publicUrl));
  return code;
}

/** Returns whether a request comes from a page of the console, by `Sec-Fetch-Site`, or by the origin in older browsers. */
export function isSameOrigin(c: Context, publicUrl: URL): boolean {
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  return c.req.header('origin') === publicUrl.origin;
}

type BrowserDeps = { trustedProxies: { has(address: string): boolean } };

/** Returns the address of the browser; undefined when it is not known. */
export function callerAddress(c: Context, { trustedProxies }: BrowserDeps): string | undefined {
  const { incoming }: Partial<HttpBindings> = c.env ?? {};
  return findClientAddress(incoming, c.req.header('x-forwarded-for'), trustedProxies);
}

/** Returns the network of the browser, by which guesses are counted. */
export function getNetwork(c: Context, deps: BrowserDeps): string {
  return getClientNetwork(callerAddress(c, deps) ?? 'unknown');
}

/** The console is below this path of the gateway. */
const consolePath = '/console';

/** The attributes of pages that contain addresses of the console. */
const addresses = /( (?:href|src|action|data-live)=")\/console(?=["/?#])/g;

/** A mount of these characters names no other host and contains no markup, so that a caller may choose it. */
const plainMount = /^(\/[\w.~-]+)+$/;

/** Returns the path below which another app has mounted the gateway, such as `/pay`. Decoded; a caller can have chosen a part. */
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

/** The pages to come back to, relative to `/console`: `staff`, `endpoints/ep_1/address`, `payments?status=paid`. */
const pagePattern = /^[a-z]{1,20}(\/[\w-]{1,64}(\/[a-z]{1,20})?)?(\?[\w.&=%+-]{1,300})?$/;

/** Returns the address of a page to which a person comes back. Another text is the home page. */
export function addressOfPage(page: string): string {
  return pagePattern.test(page) ? `/console/${page}` : '/console';
}

/** Returns the address of the page that asks for the password, and comes back to `page`. `isUnsent`: a form was not sent. */
export function confirmAddress(page: string, { isUnsent = false } = {}): string {
  return `/console/confirm?page=${encodeURIComponent(page).replaceAll('%2F', '/')}${isUnsent ? '&unsent=1' : ''}`;
}

/**
 * Returns the page after the password, with its filter: that of the form's subject, or its area. Where the filter cannot be kept, it is the
 * home page, so that no export has more than was asked for. `hasPage`: whether a path is that of a page.
 */
export function pageAfterConfirm(c: Context, path: string, hasPage: (path: string) => boolean): string {
  const [area = '', id = '', ...rest] = getPath(c).replace('/console/', '').split('/');
  // An action without a page of its own is no page.
  const own = [area, id, ...rest].filter((part) => part !== '').join('/');
  const { search } = new URL(c.req.url);
  const isPage = c.req.method === 'GET' || hasPage(path);
  if (isPage) return pagePattern.test(own + search) ? own + search : '';
  return path.startsWith(`/${area}/:id/`) && hasPage(`/${area}/:id`) ? `${area}/${id}` : area;
}

/**
 * Returns the address of the sign-in for a request without a session. It names a session that has ended. A link to one thing or to a filtered list comes back after it;
 * a query with a long number does not, because it can be a phone number.
 */
export function signInAddress(c: Context, publicUrl: URL): string {
  const { search } = new URL(c.req.url);
  const page = `${getPath(c).replace(/^\/console\/?/, '')}${/\d{7}/.test(search) ? '' : search}`;
  const isLink = c.req.method === 'GET' && /[/?]/.test(page) && pagePattern.test(page);
  const query = new URLSearchParams({
    ...(isLink && { page }),
    ...(findToken(c, publicUrl) !== undefined && { ended: '1' }),
  });
  return `/console/sign-in${query.size > 0 ? `?${query}` : ''}`;
}
