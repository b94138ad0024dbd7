import { expect, type TestContext, test } from 'vitest';
import { createPayer, numberOf, type Payer } from '../process/payer.ts';
import { type Shop, startShop } from '../process/shop.ts';
import { expectInvariants, untilIdle, watchCalls } from './invariants.ts';
import { limits } from './size.ts';

const speed = 20;
const number = numberOf(0);
/** Call timeouts use real time: one second is twenty of the gateway's. */
const shortLease = { leaseSeconds: 25, callTimeoutSeconds: 1 };

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Waits for this many seconds of the gateway's time. */
const seconds = (count: number) => after((count * 1_000) / speed);

/** Starts a shop on fast clocks whose gateways have a short lease, and watches its calls. */
async function startFast(context: TestContext, timings: object = {}) {
  const shop = await startShop(context, {
    speed,
    configure: (file) => void Object.assign(file.timings, { ...shortLease, ...timings }),
  });
  return { shop, calls: watchCalls(shop) };
}

/** Confirms a payment whose process is suspended at a point, and resumes the process after a time. */
async function suspendAt(shop: Shop, endAt: string, forSeconds: number): Promise<Payer> {
  const life = await shop.start({ endAt, signal: 'SIGSTOP' });
  const stopped = life.waitForOutput(/^ends /m);
  const payer = createPayer(shop, number);
  await payer.confirm();
  await stopped;
  await seconds(forSeconds);
  life.signal('SIGCONT');
  return payer;
}

async function expectOneCharge(shop: Shop, calls: ReturnType<typeof watchCalls>): Promise<void> {
  await untilIdle(shop);
  const one = { collections: 1, paid: 1, pushes: 1, charges: 1 };
  expect(await expectInvariants(shop, calls)).toMatchObject(one);
}

test.concurrent(
  'S13: a process that is suspended for longer than its lease during initiate does not push again',
  limits,
  async (context) => {
    const { shop, calls } = await startFast(context);
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
    await expectOneCharge(shop, calls);
  },
);

test.concurrent(
  'S13: a process that is suspended for longer than its lease before initiate pushes once',
  limits,
  async (context) => {
    const { shop, calls } = await startFast(context);
    const payer = await suspendAt(shop, 'before initiate', 40);
    await payer.approve();
    await shop.until(number, { status: 'paid' });
    await expectOneCharge(shop, calls);
  },
);

test.concurrent(
  'S13: a process that is suspended after prompt_requested for longer than its lease pushes once, also on a slow network',
  limits,
  async (context) => {
    const { shop, calls } = await startFast(context, { resendGraceSeconds: 15 });
    const watch = shop.hooks.called;
    // A poll overtakes the initiate call.
    shop.hooks.called = async (call) => {
      watch?.(call);
      if (call.name === 'initiate') await seconds(10);
    };
    const payer = await suspendAt(shop, 'after the commit of prompt_requested', 40);
    await payer.approve();
    await shop.until(number, { status: 'paid' });
    await expectOneCharge(shop, calls);
  },
);

test.concurrent(
  'S13: a process that is suspended after prompt_requested and resumes after the prompt deadline pushes nothing',
  limits,
  async (context) => {
    const { shop, calls } = await startFast(context, { promptDeadlineSeconds: 60 });
    await suspendAt(shop, 'after the commit of prompt_requested', 65);
    await shop.until(number, { status: 'abandoned', initiateSends: 1 });
    expect(await expectInvariants(shop, calls)).toMatchObject({ collections: 1, paid: 0, pushes: 0 });
    expect(shop.received.filter(({ name }) => name === 'initiate')).toEqual([]);
  },
);
