import { Agent, fetch } from 'undici';
import type { Fetch } from './client.ts';

export type TransportOptions = { connectTimeoutMs: number; callTimeoutMs: number; callsInFlight: number };

/** Creates the HTTP transport: kept-alive connections, at most `callsInFlight`, with timeouts. */
export function createTransport(options: TransportOptions): { fetch: Fetch; close(): Promise<void> } {
  const dispatcher = new Agent({
    connect: { timeout: options.connectTimeoutMs },
    connections: options.callsInFlight,
    headersTimeout: options.callTimeoutMs,
    bodyTimeout: options.callTimeoutMs,
    pipelining: 1,
  });
  return {
    fetch: (url, init) => fetch(url, { ...init, dispatcher }),
    close: () => dispatcher.destroy(),
  };
}
