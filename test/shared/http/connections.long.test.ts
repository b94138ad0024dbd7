import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, type TestContext, test, vi } from 'vitest';
import { createAddressList } from '../../../src/shared/http/addresses.ts';
import { Connections } from '../../../src/shared/http/connections.ts';
import { listenLocally, serve } from '../../kit/local-server.ts';
import { exchange, getOnce, openSocket } from './siege.ts';

/** The server's limit of open connections. */
const maxConnections = 2_000;

const healthz = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n';

const limits = { timeout: 60_000 };

/** Opens connections that complete one request each and then stay idle. */
async function openIdle({ onTestFinished }: TestContext, port: number, count: number): Promise<Set<Socket>> {
  const idle = new Set<Socket>();
  onTestFinished(() => {
    for (const socket of idle) socket.destroy();
  });
  for (let opened = 0; opened < count; opened += 100) {
    const batch = await Promise.all(Array.from({ length: 100 }, () => openSocket(port, healthz)));
    for (const { socket } of batch) idle.add(socket);
  }
  return idle;
}

test('S45: new connections are served while idle connections fill the server', limits, async (context) => {
  const { port } = await serve({ fetch: () => new Response('ok') });
  const idle = await openIdle(context, port, maxConnections);
  expect([...idle].filter((socket) => !socket.destroyed).length).toBeGreaterThan(maxConnections - 100);
  const statuses = [];
  for (let n = 0; n < 20; n++) statuses.push(await getOnce(port));
  expect(statuses).toEqual(Array(20).fill(200));
});

test('S45: new connections are served while idle connections are renewed', limits, async (context) => {
  const { port } = await serve({ fetch: () => new Response('ok') });
  await openIdle(context, port, maxConnections);
  let isOver = false;
  const renewed = (async () => {
    while (!isOver) await openIdle(context, port, 100);
  })();
  const statuses = [];
  for (let n = 0; n < 20; n++) statuses.push(await getOnce(port));
  isOver = true;
  await renewed;
  expect(statuses).toEqual(Array(20).fill(200));
});

test(
  'S45: an idle connection of one client outlives the idle connections of a client that fills the server',
  limits,
  async (context) => {
    const { port } = await serve({ fetch: () => new Response('ok') });
    const client = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    context.onTestFinished(() => void client.destroy());
    client.write(healthz);
    await once(client, 'data');
    const closed = once(client, 'close').then(() => ['the server closed the connection']);
    await openIdle(context, port, maxConnections + 500);
    client.write(healthz);
    expect(String((await Promise.race([once(client, 'data'), closed]))[0])).toMatch(/^HTTP\/1\.1 200 /);
  },
);

test(
  'S45: a request in progress keeps its connection while idle connections are closed',
  limits,
  async (context) => {
    let answer = (_: Response) => {};
    const slow = new Promise<Response>((resolve) => {
      answer = resolve;
    });
    const { port } = await serve({
      fetch: (request) => (request.url.endsWith('/slow') ? slow : new Response('ok')),
    });
    const pending = getOnce(port, '/slow');
    await openIdle(context, port, maxConnections + 500);
    answer(new Response('late'));
    expect(await pending).toBe(200);
  },
);

test('S45: the second request of a pipeline is not served; the first is answered and the connection closes', async (_context) => {
  const paths: string[] = [];
  const { port } = await serve({
    async fetch(request) {
      paths.push(new URL(request.url).pathname);
      await new Promise((resolve) => setImmediate(resolve));
      return new Response('ok');
    },
  });
  const pipeline = Array.from({ length: 1_000 }, (_, n) => `GET /${n} HTTP/1.1\r\nhost: x\r\n\r\n`).join('');
  const replies = await exchange(port, pipeline);
  expect(paths).toEqual(['/0']);
  expect(replies.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  expect(replies).toMatch(/^HTTP\/1\.1 200 /);
  expect(replies).toMatch(/^connection: close/im);
});

test('S45: requests that follow each other share a connection', async (_context) => {
  const { port } = await serve({ fetch: () => new Response('ok') });
  const { socket } = await openSocket(port, healthz);
  for (let n = 0; n < 50; n++) {
    socket.write(healthz);
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
  }
  socket.destroy();
});

test('S45: a client that does not read its replies excludes no other client', async (context) => {
  const maxOpen = 5;
  const connections = new Connections({ maxOpen, trustedProxies: createAddressList([]) });
  let answered = 0;
  const server = createServer((request, response) => {
    if (!connections.startRequest(request, response)) return;
    if (request.url === '/healthz') return void response.end('ok');
    // More than the buffers of a connection hold.
    response.end(Buffer.alloc(32 * 2 ** 20));
    answered += 1;
  });
  server.on('connection', (socket: Socket) => connections.add(socket));
  server.maxConnections = maxOpen + 1;
  const { port } = await listenLocally(server, context.onTestFinished);
  for (let n = 0; n <= maxOpen; n++) {
    const socket = connect(port, '127.0.0.1', () => socket.write('GET /large HTTP/1.1\r\nhost: x\r\n\r\n'));
    socket.on('error', () => {});
    context.onTestFinished(() => void socket.destroy());
    await vi.waitFor(() => expect(answered).toBe(n + 1), { timeout: 10_000 });
  }
  expect([await getOnce(port), await getOnce(port), await getOnce(port)]).toEqual([200, 200, 200]);
});

test('S45: requests with an unknown expectation are no way around the limit of one request at a time', async (_context) => {
  let served = 0;
  const { port } = await serve({
    fetch() {
      served += 1;
      return new Response('ok');
    },
  });
  const replies = await exchange(port, 'GET / HTTP/1.1\r\nhost: x\r\nexpect: x\r\n\r\n'.repeat(500));
  expect(replies.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  expect(served).toBe(1);
});
