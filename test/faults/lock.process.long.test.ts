import { expect, test, vi } from 'vitest';
import { createPayer, numberOf } from '../process/payer.ts';
import { startProgram } from '../process/processes.ts';
import { startShop, waitOptions } from '../process/shop.ts';
import { expectInvariants, untilIdle, watchCalls } from './invariants.ts';
import { createSender } from './sender.ts';
import { isLong, limits } from './size.ts';

/** Seconds for which another process holds the write lock: longer than a commit waits for it. */
const heldSeconds = isLong ? 5 : 3;

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

test.concurrent(
  'S28: while another process holds the write lock every request is answered in time, and nothing is lost',
  limits,
  async (context) => {
    const shop = await startShop(context);
    const calls = watchCalls(shop);
    await shop.start();
    const sender = createSender(shop);
    const payer = createPayer(shop, numberOf(0));
    for (const typed of [[], ['1'], ['1', '20']]) expect(await payer.request(typed)).toBeDefined();
    expect(await sender.send()).toBe(200);

    const holder = startProgram(context, 'test/process/child-lock.ts', [shop.database]);
    await holder.waitForOutput(/locked/);
    const until = performance.now() + heldSeconds * 1_000;
    const timed = async (work: () => Promise<unknown>) => {
      const startedAt = performance.now();
      await work();
      return performance.now() - startedAt;
    };
    const answers = Promise.all([timed(sender.send), timed(() => payer.request(['1', '20', '1']))]);
    const health: number[] = [];
    while (performance.now() < until) {
      health.push(await timed(async () => expect((await fetch(`${shop.url()}/healthz`)).status).toBe(200)));
      await after(20);
    }
    // An aggregator waits five seconds, the sender of an event longer.
    for (const ms of await answers) expect(ms).toBeLessThan(5_000);
    expect(Math.max(...health)).toBeLessThan(1_000);
    expect(sender.taken.size).toBe(1);
    await holder.end('SIGKILL');

    const end = await payer.confirm(3);
    await payer.approve();
    await payer.expectSameEnd(end);
    expect(await sender.send()).toBe(200);
    await untilIdle(shop);
    expect(await expectInvariants(shop, calls, sender.taken)).toMatchObject({
      collections: 1,
      paid: 1,
      pushes: 1,
    });
  },
);

test.concurrent(
  'a gateway that starts while another program locks the whole file waits for it',
  limits,
  async (context) => {
    const shop = await startShop(context, { standby: true });
    const first = await shop.start();
    expect(await createSender(shop).send()).toBe(200);
    // After a kill, the first program that opens the file recovers it and excludes others.
    await first.end('SIGKILL');
    const other = startProgram(context, 'test/process/child-lock.ts', [shop.database, 'whole']);
    await other.waitForOutput(/locked/);
    const { program, reachable } = shop.begin();
    await vi.waitFor(() => expect(program.stdout()).toContain('starting'), waitOptions);
    // Long enough for several attempts.
    await after(1_500);
    await other.end('SIGKILL');
    await reachable;
    expect(await createSender(shop).send()).toBe(200);
  },
);
