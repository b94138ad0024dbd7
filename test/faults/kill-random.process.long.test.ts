import { expect, test } from 'vitest';
import { createPayer, numberOf } from '../process/payer.ts';
import { type Shop, startShop } from '../process/shop.ts';
import { expectInvariants, untilIdle, watchCalls } from './invariants.ts';
import { createSender } from './sender.ts';
import { killRounds, limits } from './size.ts';

const payers = 6;
const senders = 3;

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function sendEvents({ send }: ReturnType<typeof createSender>, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await send();
    await after(15);
  }
}

/**
 * Serves payers one after another: of four, two approve, one declines and one ignores the prompt.
 *
 * @returns the number of payers that no gateway answered in time.
 */
async function servePayers(shop: Shop, nextNumber: () => number, isOver: () => boolean): Promise<number> {
  let gaveUp = 0;
  while (!isOver()) {
    const number = nextNumber();
    const payer = createPayer(shop, numberOf(number));
    const end = await payer.confirm().catch(() => undefined);
    if (end === undefined) gaveUp += 1;
    if (end === undefined || number % 4 === 0) continue;
    await payer.answer(number % 4 === 1 ? 'declines' : 'approves');
  }
  return gaveUp;
}

/** Starts a gateway and kills it at a random time of its start or its work. */
async function liveBriefly(shop: Shop): Promise<void> {
  const { program, reachable } = shop.begin();
  const alive = reachable.then(
    () => true,
    () => false,
  );
  if (Math.random() < 0.2) await after(Math.random() * 100);
  else if (await alive) await after(Math.random() * 800);
  program.signal('SIGKILL');
  expect(await program.ended, program.stderr()).toEqual({ code: null, signal: 'SIGKILL' });
}

test(
  `S24: a gateway killed ${killRounds} times at random under load loses no acknowledged event and sends no second prompt`,
  limits,
  async (context) => {
    const shop = await startShop(context, {
      speed: 10,
      standby: true,
      promptLifetimeMs: 20_000,
      configure: (file) => {
        file.log.level = 'error';
        // On a slow machine 15 seconds can pass between two screens.
        Object.assign(file.timings, {
          dialogueLifetimeSeconds: 900,
          promptDeadlineSeconds: 900,
          retryAllowedAfterSeconds: 3_600,
        });
      },
    });
    const calls = watchCalls(shop);
    const sender = createSender(shop);
    let number = 0;
    let over = false;
    const isOver = () => over;
    const sending = Array.from({ length: senders }, () => sendEvents(sender, isOver));
    const paying = Array.from({ length: payers }, () => servePayers(shop, () => number++, isOver));
    for (let round = 1; round <= killRounds; round++) {
      await liveBriefly(shop);
      if (round % 50 === 0) console.log(`${round} kills, ${number} payers, ${sender.taken.size} events`);
    }
    over = true;
    const last = await shop.start();
    await Promise.all(sending);
    const gaveUp = (await Promise.all(paying)).reduce((sum, one) => sum + one, 0);
    await untilIdle(shop, 60_000);
    expect(await last.end('SIGTERM')).toEqual({ code: 0, signal: null });

    const tally = await expectInvariants(shop, calls, sender.taken);
    // A payer who gave up may have confirmed.
    expect(tally.collections).toBeLessThanOrEqual(number);
    expect(tally.collections).toBeGreaterThanOrEqual(number - gaveUp);
    expect(tally.charges).toBe(tally.paid);
    expect(tally.paid).toBeGreaterThan(0);
    console.log(`S24: ${killRounds} kills at random, ${JSON.stringify(tally)}, 0 violations`);
  },
);
