import { createHmac } from 'node:crypto';
import type { TestContext } from 'vitest';
import { eventEnvelope } from '../../src/contract/service/reading.ts';
import { startServer } from '../kit/local-server.ts';

/** The event of a session as it was received: its type, its ids, and the number of deliveries. */
export type RecordedEvent = { type: string; ids: Set<string>; times: number };

/** Starts a receiver of webhooks that outlives every process of the service. It counts unsigned deliveries. */
export async function openKillReceiver({ onTestFinished }: TestContext, secret: string) {
  const events = new Map<string, RecordedEvent>();
  const receiver = {
    events,
    unsigned: 0,
    /** Called when a delivery has arrived, before its response, and again after its response. */
    arrived: () => {},
    answered: () => {},
    url: '',
  };
  const { url } = await startServer(
    (response, { headers, body }) => {
      const [t = '', ...signatures] = String(headers['service-signature']).split(',');
      const expected = createHmac('sha256', secret)
        .update(`${t.slice(2)}.${body}`)
        .digest('hex');
      if (!signatures.includes(`v1=${expected}`)) receiver.unsigned++;
      const { id, type, data } = eventEnvelope.parse(JSON.parse(body));
      const session = String(data.id);
      const before = events.get(session) ?? { type, ids: new Set(), times: 0 };
      events.set(session, { type, ids: before.ids.add(id), times: before.times + 1 });
      receiver.arrived();
      response.once('close', () => receiver.answered());
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"received":true}');
    },
    { finished: onTestFinished },
  );
  receiver.url = `${url}/webhooks`;
  return receiver;
}
