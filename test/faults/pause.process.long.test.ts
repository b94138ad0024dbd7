import { expect, test } from 'vitest';
import { startShop } from '../process/shop.ts';
import { expectInvariants, untilIdle, watchCalls } from './invariants.ts';
import { createPayer, numberOf } from './payer.ts';
import { limits } from './size.ts';

const speed = 20;
const number = numberOf(0);
/** Call timeouts use real time: one second is twenty of the gateway's. */
const shortLease = { leaseSeconds: 25, callTimeoutSeconds: 1 };

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Waits for this many seconds of the gateway's time. */
const seconds = (count: number) => after((count * 1_000) / speed);

test.concurrent(
  'S13: a process that is suspended for longer than its lease during initiate does not push again',
  limits,
  async (context) => {
    const shop = await startShop(context, {
      speed,
      configure: ({ timings }) => void Object.assign(timings, shortLease),
    });
    const calls = watchCalls(shop);
    const life = await shop.start();
    shop.hooks.pushed = async () => life.signal('SIGSTOP');
    const payer = createPayer(shop, number);
    const end = await payer.confirm();
    await payer.approve();
    const second = shop.begin();
    await expect(second.reachable).rejects.toThrow(/in use by another dialtill process/);
    expect(await second.program.ended).toEqual({ code: 1, signal: null });
    await seconds(40);

    life.signal('SIGCONT');
    await shop.until(number, { status: 'paid', initiateSends: 1 });
    await payer.expectSameEnd(end);
    await untilIdle(shop);
    expect(await expectInvariants(shop, calls)).toMatchObject({
      collections: 1,
      paid: 1,
      pushes: 1,
      charges: 1,
    });
  },
);

test.concurrent(
  'S13: a process that is suspended for longer than its lease before initiate pushes once',
  limits,
  async (context) => {
    const shop = await startShop(context, {
      speed,
      configure: ({ timings }) => void Object.assign(timings, shortLease),
    });
    const calls = watchCalls(shop);
    const life = await shop.start({ endAt: 'before initiate', signal: 'SIGSTOP' });
    const stopped = life.waitForOutput(/^ends /m);
    const payer = createPayer(shop, number);
    await payer.confirm();
    await stopped;
    await seconds(40);

    life.signal('SIGCONT');
    await payer.approve();
    await shop.until(number, { status: 'paid' });
    await untilIdle(shop);
    expect(await expectInvariants(shop, calls)).toMatchObject({
      collections: 1,
      paid: 1,
      pushes: 1,
      charges: 1,
    });
  },
);

test.concurrent(
  'S13: a process that is suspended after prompt_requested for longer than its lease pushes once, also on a slow network',
  limits,
  async (context) => {
    const shop = await startShop(context, {
      speed,
      configure: ({ timings }) => void Object.assign(timings, { ...shortLease, resendGraceSeconds: 15 }),
    });
    const calls = watchCalls(shop);
    const watch = shop.hooks.called;
    // A poll overtakes the initiate call.
    shop.hooks.called = async (call) => {
      watch?.(call);
      if (call.name === 'initiate') await seconds(10);
    };
    const life = await shop.start({ endAt: 'after the commit of prompt_requested', signal: 'SIGSTOP' });
    const stopped = life.waitForOutput(/^ends /m);
    const payer = createPayer(shop, number);
    await payer.confirm();
    await stopped;
    await seconds(40);

    life.signal('SIGCONT');
    await payer.approve();
    await shop.until(number, { status: 'paid' });
    await untilIdle(shop);
    expect(await expectInvariants(shop, calls)).toMatchObject({
      collections: 1,
      paid: 1,
      pushes: 1,
      charges: 1,
    });
  },
);

test.concurrent(
  'S13: a process that is suspended after prompt_requested and resumes after the prompt deadline pushes nothing',
  limits,
  async (context) => {
    const shop = await startShop(context, {
      speed,
      configure: ({ timings }) => void Object.assign(timings, { ...shortLease, promptDeadlineSeconds: 60 }),
    });
    const calls = watchCalls(shop);
    const life = await shop.start({ endAt: 'after the commit of prompt_requested', signal: 'SIGSTOP' });
    const stopped = life.waitForOutput(/^ends /m);
    await createPayer(shop, number).confirm();
    await stopped;
    await seconds(65);

    life.signal('SIGCONT');
    await shop.until(number, { status: 'abandoned', initiateSends: 1 });
    expect(await expectInvariants(shop, calls)).toMatchObject({ collections: 1, paid: 0, pushes: 0 });
    expect(shop.received.filter(({ name }) => name === 'initiate')).toEqual([]);
  },
);
