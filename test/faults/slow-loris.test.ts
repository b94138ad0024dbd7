import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, type TestContext, test, vi } from 'vitest';
import { openShop, type Shop } from '../process/shop.ts';
import { expectInvariants, untilQuiet, watchCalls } from './invariants.ts';
import { numberOf, openPayer } from './payer.ts';
import { openSender } from './sender.ts';
import { long, longest } from './size.ts';

/** More than the gateway holds at once. */
const sockets = 2_500;

const head = 'POST /webhooks/demo-shop HTTP/1.1\r\nhost: gateway\r\ncontent-type: application/json\r\n';

/** How far a slow peer comes, and what it has sent by then; after that, a byte now and then. */
const slownesses = [
  { slowness: 'in the middle of their headers', said: head },
  ...(long
    ? [
        { slowness: 'that say nothing', said: '' },
        { slowness: 'in the middle of their bodies', said: `${head}content-length: 1000\r\n\r\n{` },
      ]
    : []),
];

type Slow = { open(): number; closed(): number };

/** Opens sockets that never come to an end by themselves; another takes the place of each that is closed. */
async function openSlow({ onTestFinished }: TestContext, url: string, said: string): Promise<Slow> {
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  let closed = 0;
  let over = false;
  const openOne = async () => {
    const socket = connect(Number(port), hostname, () => {
      open.add(socket);
      socket.write(said);
    });
    socket.on('error', () => {});
    socket.once('close', () => {
      open.delete(socket);
      closed += 1;
      if (!over) setTimeout(openOne, 50);
    });
    // Turned away is an end too.
    await once(socket, 'connect').catch(() => {});
  };
  onTestFinished(() => {
    over = true;
    clearInterval(trickle);
    for (const socket of open) socket.destroy();
  });
  const trickle = setInterval(() => {
    for (const socket of open) if (said !== '') socket.write('x');
  }, 1_000);
  // No more at once than wait before a listening socket.
  for (let batch = 0; batch < sockets / 250; batch++) await Promise.all(Array.from({ length: 250 }, openOne));
  return { open: () => open.size, closed: () => closed };
}

async function expectServed(shop: Shop, payments: number): Promise<void> {
  const calls = watchCalls(shop);
  const sender = openSender(shop);
  for (let payment = 0; payment < payments; payment++) {
    const payer = openPayer(shop, numberOf(payment));
    for (const typed of [[], ['1'], ['1', '20'], ['1', '20', '1']]) {
      expect(await sender.send()).toBe(200);
      expect(await payer.ask(typed)).toBeDefined();
    }
    await payer.approve();
  }
  await untilQuiet(shop);
  expect(await expectInvariants(shop, calls, sender.taken)).toMatchObject({ paid: payments });
}

for (const { slowness, said } of slownesses) {
  test(`S45: payers and events are served beside 2,500 connections ${slowness}`, longest, async (context) => {
    const shop = await openShop(context);
    const { url } = await shop.start();
    const slow = await openSlow(context, url, said);
    // It has begun to close some: as many are open as it takes.
    await vi.waitFor(() => expect(slow.closed()).toBeGreaterThan(100), { timeout: 20_000 });
    expect(slow.open()).toBeGreaterThan(1_500);
    await expectServed(shop, 3);
  });
}
