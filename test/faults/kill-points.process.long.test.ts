import { expect, test, vi } from 'vitest';
import type { Program } from '../kit/launch.ts';
import type { Order } from '../process/order.ts';
import { createPayer, numberOf } from '../process/payer.ts';
import { type Shop, startShop, waitOptions } from '../process/shop.ts';
import { expectInvariants, untilIdle, untilSealed, watchCalls } from './invariants.ts';
import { isLong, limits } from './size.ts';

/**
 * The kill points of the short form, with their scenarios. The long form kills a process at every point of a
 * payment.
 */
const shortForm = asPoints([
  'after the commit of turn+accepted',
  // S06 crash-after-create: the response arrived, and the session id is not stored.
  'before the commit of created',
  // S08 crash-around-initiate: the send is recorded but not made, and made with an unknown result.
  'after the commit of prompt_requested',
  'before the commit of initiated',
  'after the commit of inbox',
]);

/** Numbers the points that have the same name. */
function asPoints(names: readonly string[]): Required<Pick<Order, 'endAt' | 'nth'>>[] {
  return names.map((endAt, index) => ({
    endAt,
    nth: names.slice(0, index + 1).filter((name) => name === endAt).length,
  }));
}

/** A payment with every kind of step: its prompt is polled before the payer approves. */
async function payOnce(shop: Shop, number: string): Promise<void> {
  const payer = createPayer(shop, number);
  const end = await payer.confirm();
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

async function isAlive(shop: Shop): Promise<boolean> {
  return fetch(`${shop.url()}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Waits until a payment has passed all its points: its postings are sealed after it is booked. */
async function untilDone(shop: Shop): Promise<void> {
  await untilIdle(shop);
  await untilSealed(shop);
}

/** Returns the points of a start and of a payment, in order. */
async function pointsOf(shop: Shop): Promise<{ ofStart: string[]; ofPayment: string[] }> {
  const first = await shop.start();
  await first.end('SIGTERM');
  const life = await shop.start({ printPoints: true });
  await payOnce(shop, numberOf(0));
  await untilDone(shop);
  await life.end('SIGTERM');
  const points = [...life.stdout().matchAll(/^point (.*)$/gm)].map(([, point = '']) => point);
  const dial = points.indexOf('before the commit of turn');
  return { ofStart: points.slice(0, dial), ofPayment: points.slice(dial) };
}

test(
  'S24: a gateway that is killed before or after any commit or call recovers and collects once',
  limits,
  async (context) => {
    const shop = await startShop(context, { speed: 10, standby: true });
    const calls = watchCalls(shop);
    const ends: string[] = [];
    const noteEnd = async ({ stdout, ended }: Pick<Program, 'stdout' | 'ended'>) => {
      expect(await ended).toEqual({ code: null, signal: 'SIGKILL' });
      ends.push(/^ends (.*)$/m.exec(stdout())?.[1] ?? '');
    };

    const { ofStart, ofPayment } = isLong ? await pointsOf(shop) : { ofStart: [], ofPayment: [] };
    for (const point of asPoints(ofStart)) {
      const { program, reachable } = shop.begin(point);
      // The process may end before it listens.
      await reachable.catch(() => {});
      await vi.waitFor(() => expect(program.stdout()).toMatch(/^ends /m), waitOptions);
      await noteEnd(program);
    }

    let life = await shop.start();
    let payments = isLong ? 1 : 0;
    for (const point of isLong ? asPoints(ofPayment) : shortForm) {
      life.writeLine(JSON.stringify(point));
      const paying = payOnce(shop, numberOf(payments++)).then(() => untilDone(shop));
      // Payments differ in deliveries and seals, so the last points may not occur. The last commit is visible before the
      // process has ended after it, so only a response shows that it has not.
      const present = life;
      const survived = paying.then(async () => ((await isAlive(shop)) ? undefined : present.ended));
      const died = await Promise.race([life.ended, survived]);
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
    if (isLong) expect(kinds).toEqual(new Set([...ofStart, ...ofPayment]));
    else expect(ends).toEqual(shortForm.map(({ endAt }) => endAt));
    console.log(
      `S24: ${ends.length} kills at ${kinds.size} kinds of points, ${JSON.stringify(tally)}, 0 violations`,
    );
  },
);
