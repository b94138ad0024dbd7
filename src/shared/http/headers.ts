import type { IncomingMessage, ServerResponse } from 'node:http';
import { Hono, type MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';

/** Adds security headers to every response, errors included: it runs, loads and frames nothing. A route's own header takes precedence. */
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
async function renderResponseHeaders(): Promise<readonly string[]> {
  const app = new Hono();
  app.use(responseHeaders());
  app.get('/', (c) => c.body(null));
  const { headers } = await app.request('/');
  return [...headers].flat();
}

/** Returns whether a header occurs at most once. Node shows only the first of several, and Hono all of them. */
export function occursOnce({ rawHeaders }: IncomingMessage, name: string): boolean {
  let found = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] ?? '';
    if (given.length === name.length && given.toLowerCase() === name) found++;
  }
  return found <= 1;
}

/** A response with its final bytes. `headers` are names and values in turn, without those of every response. */
type DirectResponse = { status: number; headers: readonly string[]; body: string };

/** Creates a function that answers on Node's own response: the web-standard wrapping costs more than the rest of a short route. */
export function createDirectSender(): (outgoing: ServerResponse, response: DirectResponse) => void {
  let fixedHeaders: readonly string[] | undefined;
  const rendered = renderResponseHeaders().then((headers) => {
    fixedHeaders = headers;
    return headers;
  });
  const write = (outgoing: ServerResponse, fixed: readonly string[], response: DirectResponse) => {
    const { status, headers, body } = response;
    outgoing.writeHead(status, [...fixed, ...headers, 'content-length', String(Buffer.byteLength(body))]);
    outgoing.end(body);
  };
  return (outgoing, response) => {
    if (fixedHeaders) write(outgoing, fixedHeaders, response);
    else void rendered.then((fixed) => write(outgoing, fixed, response));
  };
}
