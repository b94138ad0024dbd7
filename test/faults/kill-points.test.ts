import { expect, test, vi } from 'vitest';
import type { Order } from '../process/orders.ts';
import type { Program } from '../process/processes.ts';
import { openShop, patience, type Shop } from '../process/shop.ts';
import { expectInvariants, untilQuiet, watchCalls } from './invariants.ts';
import { numberOf, openPayer } from './payer.ts';
import { long, longest } from './size.ts';

/**
 * The points of the short form, by the scenario that each stands for. The long form ends a process at every point of a
 * payment, by its number.
 */
const telling = asPoints([
  'after the commit of turn+accepted',
  // S06 crash-after-create: answered, and the session's id not stored.
  'before the commit of created',
  // S08 crash-around-initiate: the right to send was won, not used; and used, with nothing known of what came of it.
  'after the commit of prompt_requested',
  'before the commit of initiated',
  'after the commit of inbox',
]);

/** Gives each point its number among those of the same name. */
function asPoints(names: readonly string[]): Required<Pick<Order, 'endAt' | 'nth'>>[] {
  return names.map((endAt, index) => ({
    endAt,
    nth: names.slice(0, index + 1).filter((name) => name === endAt).length,
  }));
}

/** A payment whose prompt is polled before the payer types the PIN: each kind of step is in it. */
async function payOnce(shop: Shop, number: string): Promise<void> {
  const payer = openPayer(shop, number);
  const end = await payer.agree();
  await shop.until(number, { status: 'initiated' });
  const { sessionId } = await shop.only(number);
  await vi.waitFor(
    () => expect(shop.received.some((one) => one.path.endsWith(`${sessionId}/status`))).toBe(true),
    { timeout: 20_000, interval: 20 },
  );
  await payer.approve();
  await shop.until(number, { status: 'paid', amountSource: 'webhook' });
  await payer.expectSameEnd(end);
}

/** The points of a start on a file that there is, and of a payment, in their order. */
async function pointsOf(shop: Shop): Promise<{ ofStart: string[]; ofPayment: string[] }> {
  const first = await shop.start();
  await first.end('SIGTERM');
  const life = await shop.start({ tellPoints: true });
  await payOnce(shop, numberOf(0));
  await untilQuiet(shop);
  await life.end('SIGTERM');
  const points = [...life.stdout().matchAll(/^point (.*)$/gm)].map(([, point = '']) => point);
  const dial = points.indexOf('before the commit of turn');
  return { ofStart: points.slice(0, dial), ofPayment: points.slice(dial) };
}

test(
  'S24: a gateway killed before and after each commit and each call comes back and collects once',
  longest,
  async (context) => {
    const shop = await openShop(context, { speed: 10, standby: true });
    const calls = watchCalls(shop);
    const ends: string[] = [];
    const noteEnd = async ({ stdout, ended }: Pick<Program, 'stdout' | 'ended'>) => {
      expect(await ended).toEqual({ code: null, signal: 'SIGKILL' });
      ends.push(/^ends (.*)$/m.exec(stdout())?.[1] ?? '');
    };

    const { ofStart, ofPayment } = long ? await pointsOf(shop) : { ofStart: [], ofPayment: [] };
    for (const point of asPoints(ofStart)) {
      const { program, reachable } = shop.begin(point);
      // It may die before it can be reached.
      await reachable.catch(() => {});
      await vi.waitFor(() => expect(program.stdout()).toMatch(/^ends /m), patience);
      await noteEnd(program);
    }

    let life = await shop.start();
    let payments = long ? 1 : 0;
    for (const point of long ? asPoints(ofPayment) : telling) {
      life.tell(JSON.stringify(point));
      const paying = payOnce(shop, numberOf(payments++)).then(() => untilQuiet(shop));
      // Not every payment has as many deliveries and seals as another: the last of their points may not be met.
      const died = await Promise.race([life.ended, paying]);
      if (died) {
        await noteEnd(life);
        life = await shop.start();
      }
      await paying;
    }
    const tally = await expectInvariants(shop, calls);
    expect(tally).toMatchObject({
      collections: payments,
      paid: payments,
      pushes: payments,
      charges: payments,
    });
    const kinds = new Set(ends);
    if (long) expect(kinds).toEqual(new Set([...ofStart, ...ofPayment]));
    else expect(ends).toEqual(telling.map(({ endAt }) => endAt));
    console.log(
      `S24: ${ends.length} kills at ${kinds.size} kinds of points, ${JSON.stringify(tally)}, 0 violations`,
    );
  },
);
