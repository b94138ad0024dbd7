import { expect, test } from 'vitest';
import { createKeyRates } from '../../../src/gateway/collection/calls/key-rates.ts';
import { collectionQueue } from '../../../src/gateway/collection/queue.ts';
import { createSilentLog } from '../../kit/log.ts';
import { createBench, number } from './bench.ts';

type CollectionQueueDeps = Parameters<typeof collectionQueue>[0];

/** Opens the queue of collections, whose jobs end at once when they run: another worker has advanced the collection. */
function openQueue({ callsInFlight = 16, callsPerSecond = 100 } = {}) {
  const { clock, collections, open } = createBench();
  const rates = createKeyRates({ clock, log: createSilentLog() }, callsPerSecond);
  /** The merchants whose calls are in flight, the first one first. */
  let inFlight: { merchantId: string; run(): Promise<void> }[] = [];
  let claimed: string[] = [];
  let isLost = false;
  const watched = {
    ...collections,
    find: async () => undefined,
    async claim(...args: Parameters<typeof collections.claim>) {
      const claims = isLost ? [] : await collections.claim(...args);
      claimed = claims.map(({ merchantId }) => merchantId);
      return claims;
    },
  };
  const deps: Partial<CollectionQueueDeps> = { clock, collections: watched };
  const queue = collectionQueue(deps as CollectionQueueDeps, rates, {
    livemode: 0,
    leaseMs: 30_000,
    callsInFlight,
  });
  let payers = 0;
  const count = (merchantId: string) => inFlight.filter((one) => one.merchantId === merchantId).length;
  return {
    count,
    /** Lets payers of a merchant confirm, until their prompts are due. */
    async confirm(merchantId: string, times: number): Promise<void> {
      for (; times > 0; times--) {
        const payer = number(++payers);
        await open({ merchantId, payer, dialler: payer });
      }
      clock.advance(1_500);
    },
    /** Claims as the worker does, until nothing more is claimed. */
    async fill(): Promise<void> {
      for (let runs = 1; runs > 0; ) {
        const jobs = await queue.claim(clock.now(), callsInFlight - inFlight.length);
        runs = jobs.length;
        inFlight = [...inFlight, ...jobs.map((run, n) => ({ merchantId: claimed[n] ?? '', run }))];
      }
    },
    /** Ends the call of a merchant that is in flight the longest. */
    async answer(merchantId: string): Promise<void> {
      const first = inFlight.find((one) => one.merchantId === merchantId);
      inFlight = inFlight.filter((one) => one !== first);
      await first?.run();
    },
    /** Lets another worker win each claim, or no longer. */
    loseClaims(loses: boolean): void {
      isLost = loses;
    },
  };
}

test('a merchant whose calls hang leaves room for the calls of every other merchant', async () => {
  const { confirm, fill, count } = openQueue();
  await confirm('quiet-shop', 1);
  await confirm('slow-shop', 40);
  await fill();
  expect(count('quiet-shop')).toBe(1);
  await confirm('third-shop', 1);
  await confirm('slow-shop', 5);
  await fill();
  expect([count('slow-shop'), count('third-shop')]).toEqual([11, 1]);
});

test('the calls of all merchants together stay within the total, and the first ones do not take all of it', async () => {
  const { confirm, fill, count } = openQueue();
  const shops = Array.from({ length: 6 }, (_, n) => `shop-${n}`);
  for (const shop of shops) await confirm(shop, 20);
  for (let rounds = 0; rounds < 3; rounds++) await fill();
  const counts = shops.map(count);
  expect(counts.reduce((sum, one) => sum + one, 0)).toBe(16);
  expect(Math.max(...counts)).toBeLessThan(12);
});

test('a call that ends makes room for the next one of its merchant', async () => {
  const { confirm, fill, answer, count } = openQueue();
  await confirm('slow-shop', 40);
  await fill();
  const full = count('slow-shop');
  for (let ended = 0; ended < 20; ended++) {
    await answer('slow-shop');
    expect(count('slow-shop')).toBe(full - 1);
    await fill();
    expect(count('slow-shop')).toBe(full);
  }
});

test.each([1, 2, 3])('with %i calls in flight, a merchant alone still has one', async (callsInFlight) => {
  const { confirm, fill, count } = openQueue({ callsInFlight });
  await confirm('slow-shop', 5);
  await fill();
  expect(count('slow-shop')).toBeGreaterThan(0);
  expect(count('slow-shop')).toBeLessThanOrEqual(Math.max(1, callsInFlight - 1));
});

test('a collection that another worker has claimed takes no token and no room', async () => {
  const { confirm, fill, count, loseClaims } = openQueue({ callsPerSecond: 5 });
  await confirm('slow-shop', 20);
  loseClaims(true);
  for (let claims = 0; claims < 3; claims++) await fill();
  loseClaims(false);
  await fill();
  expect(count('slow-shop')).toBe(5);
});
