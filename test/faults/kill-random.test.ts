import { expect, test } from 'vitest';
import { openShop, type Shop } from '../process/shop.ts';
import { expectInvariants, untilQuiet, watchCalls } from './invariants.ts';
import { numberOf, openPayer } from './payer.ts';
import { openSender } from './sender.ts';
import { killRounds, longest } from './size.ts';

const payers = 6;
const senders = 3;

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function sendEvents({ send }: ReturnType<typeof openSender>, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await send();
    await after(15);
  }
}

/**
 * Payers one after another, of whom two in four approve, one declines, and one puts the phone away. Returns how many
 * gave up because no life of the gateway answered them in time.
 */
async function servePayers(shop: Shop, nextNumber: () => number, isOver: () => boolean): Promise<number> {
  let gaveUp = 0;
  while (!isOver()) {
    const number = nextNumber();
    const payer = openPayer(shop, numberOf(number));
    const end = await payer.agree().catch(() => undefined);
    if (end === undefined) gaveUp += 1;
    if (end === undefined || number % 4 === 0) continue;
    await payer.answer(number % 4 === 1 ? 'declines' : 'approves');
  }
  return gaveUp;
}

/** One life of a gateway, cut off at a moment of its start or of its work. */
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
  `S24: a gateway killed ${killRounds} times at random under load loses no acknowledged event and asks nobody twice`,
  longest,
  async (context) => {
    const shop = await openShop(context, {
      speed: 10,
      standby: true,
      promptLifetimeMs: 20_000,
      configure: (file) => {
        file.log.level = 'error';
        // A machine that has more to do lets a quarter of a minute pass between two screens.
        Object.assign(file.timings, {
          dialogueLifetimeSeconds: 900,
          promptDeadlineSeconds: 900,
          retryAllowedAfterSeconds: 3_600,
        });
      },
    });
    const calls = watchCalls(shop);
    const sender = openSender(shop);
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
    await untilQuiet(shop, 60_000);
    expect(await last.end('SIGTERM')).toEqual({ code: 0, signal: null });

    const tally = await expectInvariants(shop, calls, sender.taken);
    // One who gave up may have agreed all the same.
    expect(tally.collections).toBeLessThanOrEqual(number);
    expect(tally.collections).toBeGreaterThanOrEqual(number - gaveUp);
    expect(tally.charges).toBe(tally.paid);
    expect(tally.paid).toBeGreaterThan(0);
    console.log(`S24: ${killRounds} kills at random, ${JSON.stringify(tally)}, 0 violations`);
  },
);
