import { Hono, type MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';

/**
 * Adds the security headers to every response, errors included: a browser that opens a response runs and loads nothing,
 * does not frame it and does not cache it. A route's own header takes precedence.
 */
export function responseHeaders(): MiddlewareHandler {
  const addSecureHeaders = secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
      objectSrc: ["'none'"],
    },
    // Browsers ignore it without TLS. Behind a proxy that terminates TLS it applies for a year.
    strictTransportSecurity: 'max-age=31536000; includeSubDomains',
    // The policy above covers these headers, or they concern browsers that are no longer in use.
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xFrameOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    overwrite: false,
  });
  return async (c, next) => {
    await addSecureHeaders(c, next);
    const { headers } = c.res;
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
  };
}

/** Returns the headers of every response, as names and values in turn, for a response that is written without Hono. */
export async function renderResponseHeaders(): Promise<readonly string[]> {
  const app = new Hono();
  app.use(responseHeaders());
  app.get('/', (c) => c.body(null));
  const { headers } = await app.request('/');
  return [...headers].flat();
}
