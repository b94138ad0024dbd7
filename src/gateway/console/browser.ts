import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { findClientAddress, getClientNetwork } from '../../shared/http/addresses.ts';
import { sessionLimits } from '../accounts/session-limits.ts';

/** Returns the name of the cookie. Browsers accept the prefix `__Host-` only with TLS, and send it to this host alone. */
function cookieName({ protocol }: URL): string {
  return protocol === 'https:' ? '__Host-dialtill' : 'dialtill_console';
}

function options({ protocol }: URL) {
  return { path: '/', httpOnly: true, secure: protocol === 'https:', sameSite: 'Strict' } as const;
}

/** Gives the browser the token of a session. */
export function setToken(c: Context, publicUrl: URL, token: string): void {
  const maxAge = sessionLimits.maxMs / 1_000;
  setCookie(c, cookieName(publicUrl), token, { ...options(publicUrl), maxAge });
}

export function removeToken(c: Context, publicUrl: URL): void {
  deleteCookie(c, cookieName(publicUrl), options(publicUrl));
}

/** Returns the token of a request's session, if it has one. */
export function findToken(c: Context, publicUrl: URL): string | undefined {
  return getCookie(c, cookieName(publicUrl));
}

/** Returns whether a request carries a session of the console, of a person or not. */
export function hasToken(publicUrl: URL, cookies = ''): boolean {
  return cookies.includes(`${cookieName(publicUrl)}=`);
}

/**
 * Returns whether a request that changes something comes from a page of the console. Browsers send `Sec-Fetch-Site` with every
 * request; older ones send the origin.
 */
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
