import type { MiddlewareHandler } from 'hono';

/** Protect a person who opens a response in a browser: it runs and loads nothing, and is neither framed nor cached. */
const defaults = Object.entries({
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  // Browsers ignore it without TLS; behind a proxy that terminates TLS it applies for a year.
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
});

/** Adds the security headers to every response, errors included. A route's own header takes precedence. */
export function responseHeaders(): MiddlewareHandler {
  return async (c, next) => {
    await next();
    const { headers } = c.res;
    for (const [name, value] of defaults) if (!headers.has(name)) headers.set(name, value);
  };
}
