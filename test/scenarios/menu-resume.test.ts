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

/** On channels without sequence numbers, the keys differ from the first keys of a menu. */
const resumeScreen = (channel: string) =>
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

const interruptions: {
  how: string;
  channel: string;
  numberIsSession?: true;
  interrupt: (till: Till, phone: PayerPhone) => Promise<void>;
}[] = [
  { how: 'without an end notice', channel: 'africastalking', interrupt: async () => {} },
  { how: 'with an end notice', channel: 'wigal-v1', interrupt: (_, phone) => phone.leave() },
  { how: 'by silence', channel: 'nalo', interrupt: async (till) => till.clock.advance(120_000) },
  { how: 'with the number as session', channel: 'nalo', numberIsSession: true, interrupt: async () => {} },
];

/** Types the inputs; `Yes` stands for the key of that option. */
async function typeAll(phone: PayerPhone, inputs: readonly string[]): Promise<string> {
  for (const input of inputs) await (input === 'Yes' ? phone.press(input) : phone.type(input));
  return phone.text();
}

describe.each(interruptions)('interrupted $how', ({ channel, numberIsSession, interrupt }) => {
  const interrupted = async (till: Till, inputs: readonly string[]) => {
    const phone = createPayerPhone(till, payer, channel, { numberIsSession: numberIsSession ?? false });
    await phone.dial();
    await phone.type(...inputs);
    await interrupt(till, phone);
    await till.clock.advance(2_500);
    return phone;
  };

  test.each(places)(
    'at $at, a redial can resume there with the same answers',
    async ({ inputs, shows, on }) => {
      const till = await createShop();
      const phone = await interrupted(till, inputs);
      expect(await phone.dial()).toBe(resumeScreen(channel));
      expect(await phone.press('Continue')).toContain(shows);
      expect(await storedCollections(till)).toEqual([]);
      expect(await typeAll(phone, on)).toContain('Approve GHS 20.00');
      await untilNewest(till, 'initiated');
      const [reference] =
        (await till.record((await storedCollections(till))[0]?.id ?? '')).collection.reference.match(
          /INV-1234/,
        ) ?? [];
      expect(reference).toBe(inputs[0] === '3' ? 'INV-1234' : undefined);
      expect(await checkStatement(till)).toMatchObject({ pushes: 1 });
    },
  );

  test('starting over discards all answers', async () => {
    const till = await createShop();
    const phone = await interrupted(till, ['3', 'INV-1234', '20']);
    await phone.dial();
    expect(await phone.press('Start over')).toMatch(/^Demo Shop\n1\. My number/);
    await interrupt(till, phone);
    await till.clock.advance(2_500);
    expect(await phone.dial()).toMatch(/^Demo Shop\n1\. My number/);
    await phone.type('1', '30');
    await phone.press('Yes');
    await untilNewest(till, 'initiated');
    expect((await till.only(payer)).reference).not.toBe('INV-1234');
    expect(await checkStatement(till)).toMatchObject({ pushes: 1 });
  });

  test('and interrupted again on the resume screen, the dialogue is still offered', async () => {
    const till = await createShop();
    const phone = await interrupted(till, ['1', '20']);
    await phone.dial();
    await interrupt(till, phone);
    await till.clock.advance(2_500);
    expect(await phone.dial()).toBe(resumeScreen(channel));
    expect(await phone.press('Continue')).toContain('Pay GHS 20.00');
    await till.clock.advance(60_000);
    expect(await checkStatement(till)).toMatchObject({ pushes: 0 });
  });
});

test('a resumed confirm screen needs a confirmation: neither the key for Continue nor a copy of it confirms', async () => {
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
  expect(await storedCollections(till)).toEqual([]);
  expect(await checkStatement(till)).toMatchObject({ pushes: 0 });
});

test('a dialogue without answers, or one that is too old, is not offered', async () => {
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

test('an interrupted dialogue is not offered at another merchant or to another phone', async () => {
  const till = await createShop();
  await addOtherShop(till);
  const phone = createPayerPhone(till, payer);
  await phone.dial();
  await phone.type('1');
  expect(await createPayerPhone(till, payer, 'other-shop').dial()).toMatch(/^Other Shop\n1\./);
  expect(await createPayerPhone(till, '0244123457').dial()).toMatch(/^Demo Shop\n1\./);
  expect(await createPayerPhone(till, payer, 'nalo').dial()).toBe(resumeScreen('nalo'));
});

test.each(['africastalking', 'nalo'])(
  'on %s, after starting over, an interruption on the language screen does not offer the discarded dialogue',
  async (channel) => {
    const till = await createShop({ menu: shopMenu({ languages: ['en', 'tw'] }) });
    const phone = createPayerPhone(till, payer, channel);
    // A direct-dial string skips the language screen.
    expect(await phone.dial('1')).toContain('Amount:');
    await till.clock.advance(2_500);
    expect(await phone.dial()).toBe(resumeScreen(channel));
    const languages = await phone.press('Start over');
    expect(languages).toContain('. Twi');
    await till.clock.advance(2_500);
    expect(await phone.dial()).toMatch(/^Demo Shop\n\d\. English\n\d\. Twi$/);
    expect(await phone.press('English')).toMatch(/^Demo Shop\n1\. My number/);
    expect(await checkStatement(till)).toMatchObject({ pushes: 0 });
  },
);

test('a dialogue on a screen that the menu no longer has is not offered', async () => {
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

describe('the interrupted session continues after the resume', () => {
  /** Two sessions of one phone on the same confirm screen: the interrupted one, and the one that resumed its dialogue. */
  async function revived(till: Till): Promise<{ before: PayerPhone; after: PayerPhone }> {
    const before = createPayerPhone(till, payer, 'nalo');
    await before.dial();
    await before.type('1', '20');
    const after = createPayerPhone(till, payer, 'nalo');
    await after.dial();
    await after.press('Continue');
    return { before, after };
  }

  test('while the prompt of the other one is pending: it is shown', async () => {
    const till = await createShop();
    const { before, after } = await revived(till);
    expect(await after.press('Yes')).toContain('Approve');
    expect(await before.press('Yes')).toContain('is already waiting');
    await till.clock.advance(30_000);
    expect(await storedCollections(till)).toHaveLength(1);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1 });
  });

  test('after the other one was paid: only a confirmation of the duplicate pays again', async () => {
    const till = await createShop();
    const { before, after } = await revived(till);
    await after.press('Yes');
    await untilNewest(till, 'initiated');
    await approve(till);
    await untilNewest(till, 'paid');
    expect(await before.press('Yes')).not.toContain('Approve');
    await till.clock.advance(30_000);
    expect(await storedCollections(till)).toHaveLength(1);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
  });

  test.each(['before', 'after'] as const)(
    'after the other one was declined, the late confirmation of the session from %s sends no second prompt',
    async (late) => {
      const till = await createShop();
      const phones = await revived(till);
      await phones[late === 'before' ? 'after' : 'before'].press('Yes');
      await untilNewest(till, 'initiated');
      await decline(till);
      await untilNewest(till, 'failed');
      expect(await phones[late].press('Yes')).not.toContain('Approve');
      await till.clock.advance(30_000);
      expect(await statuses(till)).toEqual(['failed']);
      expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 0 });
    },
  );

  test('and both confirm at once: one prompt', async () => {
    const till = await createShop();
    const { before, after } = await revived(till);
    await till.clock.advance(2_500);
    await Promise.all([before.send(before.keyOf('Yes')), after.send(after.keyOf('Yes'))]);
    await till.clock.advance(30_000);
    expect(await storedCollections(till)).toHaveLength(1);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 0 });
  });
});

test('a payment in the old session between the offer and Continue: its quote is not used for a second prompt', async () => {
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
  expect(await statuses(till)).toEqual(['failed', 'paid']);
  expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
});

test('a resumed payment is recognised as a duplicate when it is repeated', async () => {
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
  'on %s, a dialogue that was interrupted on the duplicate question resumes on the confirm screen, and its total shown still holds',
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
    expect(await storedCollections(till)).toHaveLength(1);
    // From now on, the service charges more than the total shown.
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

test('a dialogue of another menu is not offered, because its answers belong to other questions', async () => {
  const till = await createShop();
  const phone = createPayerPhone(till, payer);
  await phone.dial();
  await phone.type('1', '20');
  const menu = shopMenu({ languages: ['en', 'tw'] });
  till.config.merchants = till.config.merchants.map((one) => ({ ...one, menu }));
  await till.restart();
  expect(await createPayerPhone(till, payer).dial()).not.toContain('cut off');
});
