import { expect, test, vi } from 'vitest';
import { type ProxyFault, startProxy } from '../kit/proxy.ts';
import { createPayer, numberOf } from '../process/payer.ts';
import { startShop, waitOptions } from '../process/shop.ts';
import { expectInvariants, untilIdle, watchCalls } from './invariants.ts';
import { isLong, limits } from './size.ts';

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
