import type { Context } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';
import { sessionLimits } from '../accounts/session-limits.ts';

/** Returns the name of the cookie. Browsers accept the prefix `__Host-` only with TLS, and send it to this host alone. */
export function cookieName({ protocol }: URL): string {
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

/** Returns whether a request carries a session of the console, of a person or not. */
export function hasToken(publicUrl: URL, cookies = ''): boolean {
  return cookies.includes(`${cookieName(publicUrl)}=`);
}
