import { Agent, fetch } from 'undici';
import type { LookupFetch } from './call-url.ts';

/** A lookup waits for at most 1.5 s; these limits end requests whose result is no longer used. */
const connectTimeoutMs = 1_500;
const responseTimeoutMs = 3_000;

/** The other end may close a connection that is idle for longer, at the moment when a request is sent. */
const keepAliveMs = 1_000;

/** Creates the HTTP client for lookups. It is separate from that of payments, so that slow merchants block no payment. */
export function createLookupTransport(): { fetch: LookupFetch; close(): Promise<void> } {
  const dispatcher = new Agent({
    connect: { timeout: connectTimeoutMs },
    connections: 64,
    headersTimeout: responseTimeoutMs,
    bodyTimeout: responseTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    pipelining: 1,
  });
  return {
    fetch: (url, init) => fetch(url, { ...init, dispatcher }),
    close: () => dispatcher.destroy(),
  };
}
