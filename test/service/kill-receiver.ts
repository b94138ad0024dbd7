import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'vitest';
import { eventEnvelope } from '../../src/contract/reading.ts';

/** What is known of a session's event: its type, under which ids it came, and how often. */
export type Heard = { type: string; ids: Set<string>; times: number };

/** A receiver of webhooks that outlives every process of the service. It believes signed deliveries alone. */
export async function openKillReceiver({ onTestFinished }: TestContext, secret: string) {
  const heard = new Map<string, Heard>();
  const receiver = {
    heard,
    unsigned: 0,
    /** Called when a delivery has arrived and is not yet answered, and when it has been answered. */
    arrived: () => {},
    answered: () => {},
    url: '',
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    const [t = '', ...signatures] = String(request.headers['service-signature']).split(',');
    const expected = createHmac('sha256', secret)
      .update(`${t.slice(2)}.${body}`)
      .digest('hex');
    if (!signatures.includes(`v1=${expected}`)) receiver.unsigned++;
    const { id, type, data } = eventEnvelope.parse(JSON.parse(body));
    const session = String(data.id);
    const before = heard.get(session) ?? { type, ids: new Set(), times: 0 };
    heard.set(session, { type, ids: before.ids.add(id), times: before.times + 1 });
    receiver.arrived();
    response.once('close', () => receiver.answered());
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"received":true}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return receiver;
}
