import { expect, test } from 'vitest';
import { openShop } from '../process/shop.ts';
import { expectInvariants, untilQuiet, watchCalls } from './invariants.ts';
import { numberOf, openPayer } from './payer.ts';
import { longest } from './size.ts';

const speed = 20;
const number = numberOf(0);
/** Calls time out by the network's own clock: a second of it is twenty of the gateway's. */
const shortLease = { leaseSeconds: 25, callTimeoutSeconds: 1 };

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** How much of a gateway's time passes, in seconds. */
const seconds = (count: number) => after((count * 1_000) / speed);

test.concurrent(
  'S13: a process stopped for longer than its lease while a prompt goes out does not push again',
  longest,
  async (context) => {
    const shop = await openShop(context, {
      speed,
      configure: ({ timings }) => void Object.assign(timings, shortLease),
    });
    const calls = watchCalls(shop);
    const life = await shop.start();
    shop.hooks.pushed = async () => life.signal('SIGSTOP');
    const payer = openPayer(shop, number);
    const end = await payer.agree();
    await payer.approve();
    const second = shop.begin();
    await expect(second.reachable).rejects.toThrow(/in use by another dialtill process/);
    expect(await second.program.ended).toEqual({ code: 1, signal: null });
    await seconds(40);

    life.signal('SIGCONT');
    await shop.until(number, { status: 'paid', initiateSends: 1 });
    await payer.expectSameEnd(end);
    await untilQuiet(shop);
    expect(await expectInvariants(shop, calls)).toMatchObject({
      collections: 1,
      paid: 1,
      pushes: 1,
      charges: 1,
    });
  },
);

test.concurrent(
  'S13: a process stopped for longer than its lease just before a prompt goes out pushes once',
  longest,
  async (context) => {
    const shop = await openShop(context, {
      speed,
      configure: ({ timings }) => void Object.assign(timings, shortLease),
    });
    const calls = watchCalls(shop);
    const life = await shop.start({ endAt: 'before initiate', by: 'SIGSTOP' });
    const stopped = life.says(/^ends /m);
    const payer = openPayer(shop, number);
    await payer.agree();
    await stopped;
    await seconds(40);

    life.signal('SIGCONT');
    await payer.approve();
    await shop.until(number, { status: 'paid' });
    await untilQuiet(shop);
    expect(await expectInvariants(shop, calls)).toMatchObject({
      collections: 1,
      paid: 1,
      pushes: 1,
      charges: 1,
    });
  },
);

test.concurrent(
  'S13: a process stopped with the right to push for longer than its lease asks for one prompt, however slow the line',
  longest,
  async (context) => {
    const shop = await openShop(context, {
      speed,
      configure: ({ timings }) => void Object.assign(timings, { ...shortLease, resendGraceSeconds: 15 }),
    });
    const calls = watchCalls(shop);
    const watch = shop.hooks.called;
    // A poll overtakes the request for the prompt.
    shop.hooks.called = async (call) => {
      watch?.(call);
      if (call.name === 'initiate') await seconds(10);
    };
    const life = await shop.start({ endAt: 'after the commit of prompt_requested', by: 'SIGSTOP' });
    const stopped = life.says(/^ends /m);
    const payer = openPayer(shop, number);
    await payer.agree();
    await stopped;
    await seconds(40);

    life.signal('SIGCONT');
    await payer.approve();
    await shop.until(number, { status: 'paid' });
    await untilQuiet(shop);
    expect(await expectInvariants(shop, calls)).toMatchObject({
      collections: 1,
      paid: 1,
      pushes: 1,
      charges: 1,
    });
  },
);

test.concurrent(
  "S13: a process stopped with the right to push, and woken after the prompt's deadline, pushes nothing",
  longest,
  async (context) => {
    const shop = await openShop(context, {
      speed,
      configure: ({ timings }) => void Object.assign(timings, { ...shortLease, promptDeadlineSeconds: 60 }),
    });
    const calls = watchCalls(shop);
    const life = await shop.start({ endAt: 'after the commit of prompt_requested', by: 'SIGSTOP' });
    const stopped = life.says(/^ends /m);
    await openPayer(shop, number).agree();
    await stopped;
    await seconds(65);

    life.signal('SIGCONT');
    await shop.until(number, { status: 'abandoned', initiateSends: 1 });
    expect(await expectInvariants(shop, calls)).toMatchObject({ collections: 1, paid: 0, pushes: 0 });
    expect(shop.received.filter(({ name }) => name === 'initiate')).toEqual([]);
  },
);
