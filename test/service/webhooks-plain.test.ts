import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { createPooledFetch } from '../../src/service/webhook/delivery-fetch.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { listenLocally } from '../kit/local-server.ts';
import { openBench } from './support.ts';
import { pay, withEndpoint } from './webhook-support.ts';

/** A receiver on a real port that counts its connections, and a way to send to it as a delivery is sent. */
async function openReceiver(answer: RequestListener) {
  const server = createServer(answer);
  let connections = 0;
  server.on('connection', () => connections++);
  const url = `${(await listenLocally(server)).url}/hook`;
  const send = createPooledFetch(systemClock());
  return {
    connections: () => connections,
    async deliver(signal = new AbortController().signal) {
      const answered = await send(url, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/json', 'service-event-id': 'evt_1' },
        body: '{"id":"evt_1"}',
        signal,
      });
      return { status: answered.status, read: answered.body?.getReader().cancel() };
    },
  };
}

test('deliveries to one endpoint share connections and arrive whole', async () => {
  const bodies: string[] = [];
  const receiver = await openReceiver(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    bodies.push(`${request.headers['service-event-id']} ${request.headers['content-type']} ${body}`);
    response.end('{"received":true}');
  });
  for (let i = 0; i < 10; i++) {
    const { status, read } = await receiver.deliver();
    expect(status).toBe(200);
    await read;
  }
  expect(bodies).toEqual(Array(10).fill('evt_1 application/json {"id":"evt_1"}'));
  // A connection is free a moment after its answer was read: the second delivery may open another.
  expect(receiver.connections()).toBeLessThanOrEqual(2);
});

test('a redirect is a response and is not followed', async () => {
  const paths: unknown[] = [];
  const receiver = await openReceiver((request, response) => {
    paths.push(request.url);
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  expect((await receiver.deliver()).status).toBe(307);
  expect(paths).toEqual(['/hook']);
});

test.each([
  ['never ends', '.'],
  ['is too long', 'x'.repeat(64 * 1024)],
])('a response body that %s closes its connection, and the next delivery succeeds', async (_, more) => {
  const closed: Promise<unknown>[] = [];
  const receiver = await openReceiver((_request, response) => {
    closed.push(once(response, 'close'));
    response.writeHead(200, { 'content-type': 'text/plain' });
    const drip = setInterval(() => response.write(more), 50);
    response.once('close', () => clearInterval(drip));
  });
  const first = await receiver.deliver();
  expect(first.status).toBe(200);
  await first.read;
  await closed[0];
  expect((await receiver.deliver()).status).toBe(200);
});

test('an aborted delivery rejects, and so does one without a listener', async () => {
  const receiver = await openReceiver(() => {});
  const deadline = new AbortController();
  const cut = receiver.deliver(deadline.signal);
  deadline.abort();
  await expect(cut).rejects.toThrow();
  const send = createPooledFetch(systemClock());
  const refused = send('http://127.0.0.1:9/', {
    method: 'POST',
    redirect: 'manual',
    headers: {},
    body: '{}',
    signal: new AbortController().signal,
  });
  await expect(refused).rejects.toThrow();
});

test.each([
  { set: 'to one place', webhook: { maxInFlightPerEndpoint: 2 }, most: 2 },
  { set: 'in all', webhook: { maxInFlight: 1 }, most: 1 },
])('the deliveries in flight never exceed the limit $set, and all arrive', async ({ webhook, most }) => {
  const bench = openBench({ config: { webhook } });
  const { key } = await withEndpoint(bench);
  let inFlight = 0;
  let widest = 0;
  bench.answers.webhook = async () => {
    widest = Math.max(widest, ++inFlight);
    await bench.clock.sleep(100);
    inFlight--;
    return Response.json({ received: true });
  };
  for (let i = 0; i < 5; i++) await pay(bench, key);
  await bench.clock.advance(1_000);
  expect(bench.received).toHaveLength(5);
  expect(widest).toBe(most);
});
