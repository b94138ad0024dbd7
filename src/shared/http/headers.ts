import type { MiddlewareHandler } from 'hono';

/**
 * For whoever opens an answer in a browser: nothing in it runs, nothing is loaded, nobody frames it, nothing on the way
 * keeps it, and its type is what it says. Programs read none of these.
 */
const usual = Object.entries({
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  // Without TLS nobody minds it; behind a proxy that ends TLS it holds for a year.
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
});

/** The headers of every answer, also of refusals and faults. A route that has set one of them by itself keeps its own. */
export function responseHeaders(): MiddlewareHandler {
  return async (c, next) => {
    await next();
    const { headers } = c.res;
    for (const [name, value] of usual) if (!headers.has(name)) headers.set(name, value);
  };
}
