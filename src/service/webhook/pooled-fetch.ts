import type { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
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
    return { status: response.statusCode, body: bodyStream(response.body, clock) };
  };
}

/** The body as a stream. Its cancellation reads on within the bounds, in the background. */
function bodyStream(body: Readable, clock: Clock): ReadableStream<Uint8Array> {
  const chunks = body.iterator({ destroyOnReturn: false });
  let size = 0;
  async function readOn(): Promise<void> {
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      size += next.value.byteLength;
      if (size > maxBodyBytes) throw new Error('the body is too long');
    }
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await chunks.next();
        if (next.done) return controller.close();
        size += next.value.byteLength;
        controller.enqueue(next.value);
      },
      cancel: () => withTimeout(clock, maxBodyMs, readOn).catch(() => void body.destroy()),
    },
    { highWaterMark: 0 },
  );
}
