import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';
import { z } from 'zod';
import type { Parameters } from './peer.ts';

export type Delivery = { method: string; headers: IncomingHttpHeaders; body: string };

const event = z.object({
  id: z.string(),
  type: z.string(),
  created_at: z.string(),
  data: z.record(z.string(), z.unknown()),
});

/** Receives webhooks at the configured address, until the last test of the file has ended. */
export async function openReceiver({ host, port, setUrl }: NonNullable<Parameters['webhooks']>) {
  const deliveries: Delivery[] = [];
  /** Responds with 500 to the next deliveries. */
  const refuse = { next: 0 };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', headers } = request;
    deliveries.push({ method, headers, body: Buffer.concat(chunks).toString('utf8') });
    response.writeHead(refuse.next-- > 0 ? 500 : 200, { 'content-type': 'application/json' });
    response.end('{"received":true}');
  });
  await once(server.listen(port, host), 'listening');
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  await setUrl?.(`http://${host}:${(server.address() as AddressInfo).port}/webhooks`);

  return {
    refuse,
    /** Waits up to 30 s until an event of the session and type was delivered this many times. */
    async events(sessionId: unknown, type: string, times = 1) {
      for (let tries = 0; tries < 600; tries++) {
        const found = deliveries
          .map((delivery) => ({ ...delivery, event: event.parse(JSON.parse(delivery.body)) }))
          .filter((one) => one.event.data.id === sessionId && one.event.type === type);
        if (found.length >= times) return found;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(`no ${type} of ${sessionId}`);
    },
  };
}
