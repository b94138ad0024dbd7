import { expect, test, vi } from 'vitest';
import { openShop, patience } from '../process/shop.ts';
import { expectInvariants, untilQuiet, watchCalls } from './invariants.ts';
import { type LineFault, openLine } from './line.ts';
import { numberOf, openPayer } from './payer.ts';
import { long, longest } from './size.ts';

const callTimeoutMs = 1_000;
const payers = long ? 8 : 3;

/** Of a machine that has more to do. */
const slackMs = 2_000;

const faults: LineFault[] = ['silent', 'a byte a second', 'broken off'];

for (const fault of faults) {
  test.concurrent(
    `S42: a service whose answers are ${fault} holds no call longer than its time-out, and no socket`,
    longest,
    async (context) => {
      const line = await openLine(context);
      const shop = await openShop(context, {
        speed: 10,
        configure(file) {
          Object.assign(file.timings, {
            callTimeoutSeconds: callTimeoutMs / 1_000,
            promptDeadlineSeconds: 900,
            retryAllowedAfterSeconds: 3_600,
          });
          line.to = file.service.url;
          file.service.url = line.url;
        },
      });
      const calls = watchCalls(shop);
      await shop.start();
      // Every call is met once: the first create, the first poll and the first initiate of each payer.
      const left = { create: payers, initiate: payers, status: payers };
      line.faultOf = (name) => (left[name]-- > 0 ? fault : undefined);

      const paying = Array.from({ length: payers }, async (_, number) => {
        const payer = openPayer(shop, numberOf(number));
        const end = await payer.agree();
        await payer.approve();
        await payer.expectSameEnd(end);
      });
      await Promise.all(paying);
      await untilQuiet(shop);
      expect(await expectInvariants(shop, calls)).toMatchObject({
        collections: payers,
        paid: payers,
        pushes: payers,
      });

      expect(line.met.map(({ name }) => name)).toEqual(expect.arrayContaining(['create', 'initiate']));
      await vi.waitFor(
        () => expect(line.met.filter((one) => one.freedAfterMs === undefined)).toEqual([]),
        patience,
      );
      const maxMs = Math.max(...line.met.map(({ freedAfterMs = 0 }) => freedAfterMs));
      expect(maxMs).toBeLessThan(callTimeoutMs + slackMs);
      console.log(`S42: ${fault}: ${line.met.length} calls, each freed within ${Math.round(maxMs)} ms`);
    },
  );
}
