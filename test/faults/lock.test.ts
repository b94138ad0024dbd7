import { expect, test, vi } from 'vitest';
import { startProgram } from '../process/processes.ts';
import { openShop, patience } from '../process/shop.ts';
import { expectInvariants, untilQuiet, watchCalls } from './invariants.ts';
import { numberOf, openPayer } from './payer.ts';
import { openSender } from './sender.ts';
import { long, longest } from './size.ts';

/** How long another process holds the right to write, in seconds: longer than a commit tries to begin. */
const heldSeconds = long ? 5 : 3;

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

test.concurrent(
  'S28: while another process holds the write lock all are answered in time, and nothing is lost',
  longest,
  async (context) => {
    const shop = await openShop(context);
    const calls = watchCalls(shop);
    await shop.start();
    const sender = openSender(shop);
    const payer = openPayer(shop, numberOf(0));
    for (const typed of [[], ['1'], ['1', '20']]) expect(await payer.ask(typed)).toBeDefined();
    expect(await sender.send()).toBe(200);

    const holder = startProgram(context, 'test/process/child-lock.ts', [shop.database]);
    await holder.says(/locked/);
    const until = performance.now() + heldSeconds * 1_000;
    const timed = async (work: () => Promise<unknown>) => {
      const startedAt = performance.now();
      await work();
      return performance.now() - startedAt;
    };
    const answers = Promise.all([timed(sender.send), timed(() => payer.ask(['1', '20', '1']))]);
    const health: number[] = [];
    while (performance.now() < until) {
      health.push(await timed(async () => expect((await fetch(`${shop.url()}/healthz`)).status).toBe(200)));
      await after(20);
    }
    // An aggregator waits for five seconds, a sender of events for longer.
    for (const ms of await answers) expect(ms).toBeLessThan(5_000);
    expect(Math.max(...health)).toBeLessThan(1_000);
    expect(sender.taken.size).toBe(1);
    await holder.end('SIGKILL');

    const end = await payer.agree();
    await payer.approve();
    await payer.expectSameEnd(end);
    expect(await sender.send()).toBe(200);
    await untilQuiet(shop);
    expect(await expectInvariants(shop, calls, sender.taken)).toMatchObject({
      collections: 1,
      paid: 1,
      pushes: 1,
    });
  },
);

test.concurrent(
  'a gateway that starts while another program has the whole file to itself waits for it',
  longest,
  async (context) => {
    const shop = await openShop(context, { standby: true });
    const first = await shop.start();
    expect(await openSender(shop).send()).toBe(200);
    // After a kill, whoever opens the file first puts it right, a report or a backup as well; others are kept out.
    await first.end('SIGKILL');
    const other = startProgram(context, 'test/process/child-lock.ts', [shop.database, 'whole']);
    await other.says(/locked/);
    const { program, reachable } = shop.begin();
    await vi.waitFor(() => expect(program.stdout()).toContain('begins'), patience);
    // It has long tried by now.
    await after(1_500);
    await other.end('SIGKILL');
    await reachable;
    expect(await openSender(shop).send()).toBe(200);
  },
);
