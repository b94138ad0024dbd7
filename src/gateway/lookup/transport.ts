import { Agent, fetch } from 'undici';
import type { LookupFetch } from './call-url.ts';

/** A question waits for 1.5 s at most; these end what nobody waits for any more. */
const connectTimeoutMs = 1_500;
const answerTimeoutMs = 3_000;

/** A connection that lay idle longer may be closed at the other end just when a question goes out. */
const keepAliveMs = 1_000;

/** The real network for look-ups, apart from the payments': merchants that hang take no connection from the service. */
export function createLookupTransport(): { fetch: LookupFetch; close(): Promise<void> } {
  const dispatcher = new Agent({
    connect: { timeout: connectTimeoutMs },
    connections: 64,
    headersTimeout: answerTimeoutMs,
    bodyTimeout: answerTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    pipelining: 1,
  });
  return {
    fetch: (url, init) => fetch(url, { ...init, dispatcher }),
    close: () => dispatcher.destroy(),
  };
}
