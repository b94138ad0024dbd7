import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, type TestContext, test, vi } from 'vitest';
import { type ProxyFault, startProxy } from '../kit/proxy.ts';
import { createPayer, numberOf } from '../process/payer.ts';
import { type Shop, startShop, waitOptions } from '../process/shop.ts';
import { expectInvariants, untilIdle, watchCalls } from './invariants.ts';
import { createSender } from './sender.ts';
import { isLong, limits } from './size.ts';

/** More connections than the gateway keeps open. */
const sockets = 2_500;

const head = 'POST /webhooks/demo-shop HTTP/1.1\r\nhost: gateway\r\ncontent-type: application/json\r\n';

const healthz = 'GET /healthz HTTP/1.1\r\nhost: gateway\r\n\r\n';

/** Where a slow client stops, and what it sent before; in the middle of a request it then sends one byte per second. */
const slownesses = [
  { slowness: 'in the middle of their headers', sent: head },
  ...(isLong
    ? [
        { slowness: 'that send nothing', sent: '' },
        { slowness: 'that stay idle after a request', sent: healthz },
        { slowness: 'in the middle of their bodies', sent: `${head}content-length: 1000\r\n\r\n{` },
      ]
    : []),
];

type Slow = { open(): number; closed(): number };

/** Opens connections that never complete a request, and replaces each one that the server closes. */
async function openSlow({ onTestFinished }: TestContext, url: string, sent: string): Promise<Slow> {
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  let closed = 0;
  let over = false;
  const openOne = async () => {
    const socket = connect(Number(port), hostname, () => {
      open.add(socket);
      socket.write(sent);
    });
    socket.on('error', () => {});
    // The end of a connection is noticed only after what was received before it is read.
    socket.resume();
    socket.once('close', () => {
      open.delete(socket);
      closed += 1;
      if (!over) setTimeout(openOne, 50);
    });
    // A rejected connection also ends.
    await once(socket, 'connect').catch(() => {});
  };
  onTestFinished(() => {
    over = true;
    clearInterval(trickle);
    for (const socket of open) socket.destroy();
  });
  const trickle = setInterval(() => {
    for (const socket of open) if (sent.startsWith(head)) socket.write('x');
  }, 1_000);
  // Batches fit into the backlog of a listening socket.
  for (let batch = 0; batch < sockets / 250; batch++) await Promise.all(Array.from({ length: 250 }, openOne));
  return { open: () => open.size, closed: () => closed };
}

async function expectServed(shop: Shop, payments: number): Promise<void> {
  const calls = watchCalls(shop);
  const sender = createSender(shop);
  for (let payment = 0; payment < payments; payment++) {
    const payer = createPayer(shop, numberOf(payment));
    for (const typed of [[], ['1'], ['1', '20'], ['1', '20', '1']]) {
      expect(await sender.send()).toBe(200);
      expect(await payer.request(typed)).toBeDefined();
    }
    await payer.approve();
  }
  await untilIdle(shop);
  expect(await expectInvariants(shop, calls, sender.taken)).toMatchObject({ paid: payments });
}

for (const { slowness, sent } of slownesses) {
  test(`S45: payers and events are served beside 2,500 connections ${slowness}`, limits, async (context) => {
    const shop = await startShop(context);
    const { url } = await shop.start();
    const slow = await openSlow(context, url, sent);
    // The server closes the connections above its limit.
    await vi.waitFor(() => expect(slow.closed()).toBeGreaterThan(100), { timeout: 20_000 });
    expect(slow.open()).toBeGreaterThan(1_500);
    await expectServed(shop, 3);
  });
}

const callTimeoutMs = 1_000;

const payers = isLong ? 8 : 3;

/** Allows for a slow machine. */
const slackMs = 2_000;

const faults: ProxyFault[] = ['silent', 'a byte a second', 'broken off'];

for (const fault of faults) {
  test.concurrent(
    `S42: a response that is ${fault} keeps no call longer than its timeout, and no socket`,
    limits,
    async (context) => {
      const line = await startProxy();
      context.onTestFinished(line.close);
      const shop = await startShop(context, {
        speed: 10,
        configure(file) {
          Object.assign(file.timings, {
            callTimeoutSeconds: callTimeoutMs / 1_000,
            promptDeadlineSeconds: 900,
            retryAllowedAfterSeconds: 3_600,
          });
          line.targets = [file.service.url];
          file.service.url = line.url;
        },
      });
      const calls = watchCalls(shop);
      await shop.start();
      // The first call of each kind and payer fails.
      const left = { create: payers, initiate: payers, status: payers };
      line.faultOf = (name) => (left[name]-- > 0 ? fault : undefined);

      const paying = Array.from({ length: payers }, async (_, number) => {
        const payer = createPayer(shop, numberOf(number));
        const end = await payer.confirm();
        await payer.approve();
        await payer.expectSameEnd(end);
      });
      await Promise.all(paying);
      await untilIdle(shop);
      expect(await expectInvariants(shop, calls)).toMatchObject({
        collections: payers,
        paid: payers,
        pushes: payers,
      });

      expect(line.met.map(({ name }) => name)).toEqual(expect.arrayContaining(['create', 'initiate']));
      await vi.waitFor(
        () => expect(line.met.filter((one) => one.freedAfterMs === undefined)).toEqual([]),
        waitOptions,
      );
      const maxMs = Math.max(...line.met.map(({ freedAfterMs = 0 }) => freedAfterMs));
      expect(maxMs).toBeLessThan(callTimeoutMs + slackMs);
      console.log(`S42: ${fault}: ${line.met.length} calls, each freed within ${Math.round(maxMs)} ms`);
    },
  );
}
