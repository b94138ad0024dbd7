import { describe, expect, test } from 'vitest';
import {
  addOtherShop,
  checkStatement,
  createPayerPhone,
  createShop,
  decline,
  dialAndConfirm,
  type PayerPhone,
  payer,
  statuses,
  storedCollections,
  untilNewest,
} from '../kit/payers.ts';
import { approve, callsOf } from '../kit/scenes.ts';
import { shopMenu } from '../kit/shop-menu.ts';
import type { Till } from '../kit/till.ts';

/** Where a repeat looks like the next answer, the keys are others than those that menus begin with. */
const cutOffOn = (channel: string) =>
  channel === 'africastalking'
    ? 'Demo Shop: your session was interrupted.\n1. Continue\n2. Start over'
    : 'Demo Shop: your session was interrupted.\n7. Continue\n8. Start over';

const places = [
  { at: 'the question for an amount', inputs: ['1'], shows: 'Amount:', on: ['20', 'Yes'] },
  {
    at: 'the question for a number',
    inputs: ['2'],
    shows: 'Number that pays:',
    on: ['0244123457', '20', 'Yes'],
  },
  { at: 'a bill and its amount', inputs: ['3', 'INV-1234'], shows: 'Amount:', on: ['20', 'Yes'] },
  {
    at: 'a confirm screen',
    inputs: ['1', '20'],
    shows: 'Pay GHS 20.00 to Demo Shop from 0244123456?',
    on: ['Yes'],
  },
] as const;

const ways: {
  way: string;
  channel: string;
  numberIsSession?: true;
  go: (till: Till, phone: PayerPhone) => Promise<void>;
}[] = [
  { way: 'without a notice', channel: 'africastalking', go: async () => {} },
  { way: 'with a notice', channel: 'wigal-v1', go: (_, phone) => phone.leave() },
  { way: 'by a silence', channel: 'nalo', go: async (till) => till.clock.advance(120_000) },
  { way: 'with the number as session', channel: 'nalo', numberIsSession: true, go: async () => {} },
];

/** Goes on: an input, or the key beside `Yes`. */
async function goOn(phone: PayerPhone, inputs: readonly string[]): Promise<string> {
  for (const input of inputs) await (input === 'Yes' ? phone.press(input) : phone.type(input));
  return phone.text();
}

describe.each(ways)('cut off $way', ({ channel, numberIsSession, go }) => {
  const cut = async (till: Till, inputs: readonly string[]) => {
    const phone = createPayerPhone(till, payer, channel, { numberIsSession: numberIsSession ?? false });
    await phone.dial();
    await phone.type(...inputs);
    await go(till, phone);
    await till.clock.advance(2_500);
    return phone;
  };

  test.each(places)(
    'at $at, a redial can go on there with the same answers',
    async ({ inputs, shows, on }) => {
      const till = await createShop();
      const phone = await cut(till, inputs);
      expect(await phone.dial()).toBe(cutOffOn(channel));
      expect(await phone.press('Continue')).toContain(shows);
      expect(storedCollections(till)).toEqual([]);
      expect(await goOn(phone, on)).toContain('Approve GHS 20.00');
      await untilNewest(till, 'initiated');
      const [reference] =
        (await till.record(storedCollections(till)[0]?.id ?? '')).collection.reference.match(/INV-1234/) ??
        [];
      expect(reference).toBe(inputs[0] === '3' ? 'INV-1234' : undefined);
      expect(await checkStatement(till)).toMatchObject({ pushes: 1 });
    },
  );

  test('starting over forgets it all', async () => {
    const till = await createShop();
    const phone = await cut(till, ['3', 'INV-1234', '20']);
    await phone.dial();
    expect(await phone.press('Start over')).toMatch(/^Demo Shop\n1\. My number/);
    await go(till, phone);
    await till.clock.advance(2_500);
    expect(await phone.dial()).toMatch(/^Demo Shop\n1\. My number/);
    await phone.type('1', '30');
    await phone.press('Yes');
    await untilNewest(till, 'initiated');
    expect((await till.only(payer)).reference).not.toBe('INV-1234');
    expect(await checkStatement(till)).toMatchObject({ pushes: 1 });
  });

  test('and again on the screen that offers to go on, it is still offered', async () => {
    const till = await createShop();
    const phone = await cut(till, ['1', '20']);
    await phone.dial();
    await go(till, phone);
    await till.clock.advance(2_500);
    expect(await phone.dial()).toBe(cutOffOn(channel));
    expect(await phone.press('Continue')).toContain('Pay GHS 20.00');
    await till.clock.advance(60_000);
    expect(await checkStatement(till)).toMatchObject({ pushes: 0 });
  });
});

test('a confirm screen that is gone on with needs a yes of its own: neither the key to go on nor a copy of it', async () => {
  const till = await createShop();
  const first = createPayerPhone(till, payer, 'nalo');
  await first.dial();
  await first.type('1', '20');
  const phone = createPayerPhone(till, payer, 'nalo');
  await phone.dial();
  const key = phone.keyOf('Continue');
  await phone.press('Continue');
  expect([phone.keyOf('Yes'), phone.keyOf('No')]).not.toContain(key);
  for (const ms of [0, 2_500, 60_000]) {
    await till.clock.advance(ms);
    await phone.repeat();
  }
  await till.clock.advance(60_000);
  expect(storedCollections(till)).toEqual([]);
  expect(await checkStatement(till)).toMatchObject({ pushes: 0 });
});

test('where nothing would be lost, or it was too long ago, nothing is offered', async () => {
  const till = await createShop();
  const phone = createPayerPhone(till, payer);
  await phone.dial();
  await till.clock.advance(10_000);
  expect(await phone.dial()).toMatch(/^Demo Shop\n1\./);
  await phone.type('1');
  await till.clock.advance(300_001);
  expect(await phone.dial()).toMatch(/^Demo Shop\n1\./);
  await phone.type('1', '20');
  await phone.press('No');
  await till.clock.advance(2_500);
  expect(await phone.dial()).toMatch(/^Demo Shop\n1\./);
  expect(await checkStatement(till)).toMatchObject({ pushes: 0 });
});

test('what was cut off at one merchant is not offered at another, nor to another phone', async () => {
  const till = await createShop();
  await addOtherShop(till);
  const phone = createPayerPhone(till, payer);
  await phone.dial();
  await phone.type('1');
  expect(await createPayerPhone(till, payer, 'other-shop').dial()).toMatch(/^Other Shop\n1\./);
  expect(await createPayerPhone(till, '0244123457').dial()).toMatch(/^Demo Shop\n1\./);
  expect(await createPayerPhone(till, payer, 'nalo').dial()).toBe(cutOffOn('nalo'));
});

test.each(['africastalking', 'nalo'])(
  'on %s, what was left by starting over is not offered again to who is cut off on the choice of a language',
  async (channel) => {
    const till = await createShop({ menu: shopMenu({ languages: ['en', 'tw'] }) });
    const phone = createPayerPhone(till, payer, channel);
    // Who dials answers along is not asked for a language.
    expect(await phone.dial('1')).toContain('Amount:');
    await till.clock.advance(2_500);
    expect(await phone.dial()).toBe(cutOffOn(channel));
    const languages = await phone.press('Start over');
    expect(languages).toContain('. Twi');
    await till.clock.advance(2_500);
    expect(await phone.dial()).toMatch(/^Demo Shop\n\d\. English\n\d\. Twi$/);
    expect(await phone.press('English')).toMatch(/^Demo Shop\n1\. My number/);
    expect(await checkStatement(till)).toMatchObject({ pushes: 0 });
  },
);

test('a menu that lost the screen meanwhile offers nothing', async () => {
  const till = await createShop();
  const phone = createPayerPhone(till, payer);
  await phone.dial();
  await phone.type('3');
  till.config.merchants = till.config.merchants.map((one) => {
    const { bill: _, ...screens } = shopMenu().screens;
    return { ...one, menu: { ...one.menu, screens } };
  });
  await till.restart();
  expect(await phone.dial()).toMatch(/^Demo Shop\n1\./);
});

describe('the session from before comes back to life', () => {
  /** Two sessions of one phone on the same confirm screen: the one that was cut off, and the one that went on. */
  async function revived(till: Till): Promise<{ before: PayerPhone; after: PayerPhone }> {
    const before = createPayerPhone(till, payer, 'nalo');
    await before.dial();
    await before.type('1', '20');
    const after = createPayerPhone(till, payer, 'nalo');
    await after.dial();
    await after.press('Continue');
    return { before, after };
  }

  test('while the other one waits: it is shown', async () => {
    const till = await createShop();
    const { before, after } = await revived(till);
    expect(await after.press('Yes')).toContain('Approve');
    expect(await before.press('Yes')).toContain('is already waiting');
    await till.clock.advance(30_000);
    expect(storedCollections(till)).toHaveLength(1);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1 });
  });

  test('after the other one was paid: only a yes of its own would pay once more', async () => {
    const till = await createShop();
    const { before, after } = await revived(till);
    await after.press('Yes');
    await untilNewest(till, 'initiated');
    await approve(till);
    await untilNewest(till, 'paid');
    expect(await before.press('Yes')).not.toContain('Approve');
    await till.clock.advance(30_000);
    expect(storedCollections(till)).toHaveLength(1);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
  });

  test.each(['before', 'after'] as const)(
    'after the other one was declined, the late yes of the one from %s sends no second prompt',
    async (late) => {
      const till = await createShop();
      const phones = await revived(till);
      await phones[late === 'before' ? 'after' : 'before'].press('Yes');
      await untilNewest(till, 'initiated');
      await decline(till);
      await untilNewest(till, 'failed');
      expect(await phones[late].press('Yes')).not.toContain('Approve');
      await till.clock.advance(30_000);
      expect(statuses(till)).toEqual(['failed']);
      expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 0 });
    },
  );

  test('and both agree at once: one prompt', async () => {
    const till = await createShop();
    const { before, after } = await revived(till);
    await till.clock.advance(2_500);
    await Promise.all([before.send(before.keyOf('Yes')), after.send(after.keyOf('Yes'))]);
    await till.clock.advance(30_000);
    expect(storedCollections(till)).toHaveLength(1);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 0 });
  });
});

test('what was paid from the old session between the offer and the key to go on is not asked for a second time by one quote', async () => {
  const till = await createShop();
  const before = createPayerPhone(till, payer);
  await before.dial();
  await before.type('1', '20');
  const after = createPayerPhone(till, payer);
  await after.dial();
  await before.press('Yes');
  await untilNewest(till, 'initiated');
  await decline(till);
  await untilNewest(till, 'failed');
  expect(await after.press('Continue')).toContain('Pay GHS 20.00');
  expect(await after.press('Yes')).toContain('Approve GHS 20.00');
  await untilNewest(till, 'initiated');
  await approve(till);
  await untilNewest(till, 'paid');
  expect(statuses(till)).toEqual(['failed', 'paid']);
  expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
});

test('a payment that was gone on with is known as the same when it comes again', async () => {
  const till = await createShop();
  const phone = createPayerPhone(till, payer);
  await phone.dial();
  await phone.type('1', '20');
  const again = createPayerPhone(till, payer);
  await again.dial();
  await again.press('Continue');
  expect(again.text()).toContain('Fee GHS 0.20');
  await again.press('Yes');
  await untilNewest(till, 'initiated');
  const row = await till.only(payer);
  expect(row.reference).toBe(row.shortReference);
  await approve(till);
  await untilNewest(till, 'paid');
  await phone.dial();
  await phone.press('New payment');
  await phone.press('My number');
  await phone.type('20');
  expect(await phone.press('Yes')).toContain('Pay the same again?');
  expect(callsOf(till, 'initiate')).toBe(1);
  expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
});

test.each(['africastalking', 'nalo'])(
  'on %s, cut off on the question whether to pay the same again, the confirm screen comes again with its fee, and its total holds',
  async (channel) => {
    const till = await createShop();
    await dialAndConfirm(till);
    await untilNewest(till, 'initiated');
    await approve(till);
    await untilNewest(till, 'paid');
    const phone = createPayerPhone(till, payer, channel);
    await phone.dial();
    await phone.press('New payment', 'My number');
    await phone.type('20');
    expect(await phone.press('Yes')).toContain('Pay the same again?');
    await till.clock.advance(2_500);
    await phone.dial();
    await phone.press('New payment');
    const confirm = await phone.press('Continue');
    expect(confirm).toMatch(
      /^Pay GHS 20\.00 to Demo Shop from 0244123456\?\nFee GHS 0\.20, total GHS 20\.20\n/,
    );
    expect(await phone.press('Yes')).toContain('Pay the same again?');
    expect(storedCollections(till)).toHaveLength(1);
    // From now on the service would take more than the screen has named.
    till.faults.call = async ({ name }, pass) => {
      const passed = await pass();
      if (name !== 'create') return passed;
      const session = (await passed.json()) as object;
      return Response.json(
        { ...session, expected_fee_minor: 30, amount_minor: 2_030 },
        { status: passed.status },
      );
    };
    expect(await phone.press('Yes')).toContain('Approve GHS 20.00');
    expect(await untilNewest(till, 'abandoned')).toMatchObject({ reason: 'quote_shown_total' });
    expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
  },
);

test('what was cut off in another menu is not offered: its answers were given to other questions', async () => {
  const till = await createShop();
  const phone = createPayerPhone(till, payer);
  await phone.dial();
  await phone.type('1', '20');
  const menu = shopMenu({ languages: ['en', 'tw'] });
  till.config.merchants = till.config.merchants.map((one) => ({ ...one, menu }));
  await till.restart();
  expect(await createPayerPhone(till, payer).dial()).not.toContain('cut off');
});
