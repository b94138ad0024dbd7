import { Agent, request } from 'undici';
import { type Clock, withTimeout } from '../../shared/clock.ts';
import type { WebhookFetch } from './webhook-fetch.ts';

/** Connections to one endpoint. The deliveries in flight have a bound of their own. */
const maxConnections = 64;

/** How much of a response is read, and for how long, so that its connection serves the next delivery. */
const maxBodyBytes = 16 * 1024;
const maxBodyMs = 1_000;

/**
 * Creates a fetch for test sessions that keeps its connections open and sends to any address. It follows no redirect. A
 * response body that is too long or too slow closes its connection and has no other effect.
 */
export function createPooledFetch(clock: Clock): WebhookFetch {
  const dispatcher = new Agent({ connections: maxConnections });
  return async (url, { method, headers, body, signal }) => {
    const response = await request(url, { method, headers, body, signal, dispatcher });
    const cancel = async () => {
      try {
        await withTimeout(clock, maxBodyMs, (deadline) =>
          response.body.dump({ limit: maxBodyBytes, signal: deadline }),
        );
      } catch {
        response.body.destroy();
      }
    };
    return { status: response.statusCode, body: { cancel } };
  };
}
