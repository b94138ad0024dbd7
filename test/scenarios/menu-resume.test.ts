import { describe, expect, test } from 'vitest';
import type { FileConfig } from '../../src/gateway/config/schema.ts';
import type { MessageName } from '../../src/menu/schema.ts';
import { defaultMessages } from '../../src/menu/text/default-messages.ts';
import { addOtherShop, createShop, other } from '../kit/payers.ts';
import type { Phone } from '../kit/phone.ts';
import { shopMenu } from '../kit/shop-menu.ts';
import { payer, type Till } from '../kit/till.ts';

/* State that is stored between the sessions of a payer. The screens: test/menu/resume and test/menu/language. */

const onePrompt = { pushes: 1, chargedMinor: 0 };

const interruptions: {
  how: string;
  channel: string;
  numberIsSession?: true;
  interrupt: (till: Till, phone: Phone) => Promise<void>;
}[] = [
  { how: 'without an end notice', channel: 'africastalking', interrupt: async () => {} },
  { how: 'with an end notice', channel: 'wigal-v1', interrupt: (_, phone) => phone.leave() },
  { how: 'by silence', channel: 'nalo', interrupt: async (till) => till.clock.advance(120_000) },
  { how: 'with the number as session', channel: 'nalo', numberIsSession: true, interrupt: async () => {} },
];

test.each(interruptions)(
  'a dialogue that is interrupted $how, also on the resume screen, continues with its answers and needs a confirmation',
  async ({ channel, numberIsSession = false, interrupt }) => {
    const till = await createShop();
    const phone = till.phone(payer, channel, { numberIsSession });
    await phone.dial();
    await phone.type('3', 'INV-1234', '20');
    for (let n = 0; n < 2; n++) {
      await interrupt(till, phone);
      await till.clock.advance(2_500);
      expect(await phone.dial()).toContain('your session was interrupted');
    }
    expect(await phone.press('Continue')).toContain('Pay GHS 20.00 to Demo Shop from 0244123456?');
    for (const ms of [0, 2_500]) {
      await till.clock.advance(ms);
      await phone.repeat();
    }
    expect(await till.storedCollections()).toEqual([]);
    expect(await phone.press('Yes')).toContain('Approve GHS 20.00');
    await till.untilNewest('initiated');
    expect((await till.only(payer)).reference).toBe('INV-1234');
    expect(await till.checkStatement()).toMatchObject(onePrompt);
  },
);

test('an interrupted dialogue is offered on every channel, and not at another merchant or to another phone', async () => {
  const till = await createShop();
  await addOtherShop(till);
  const phone = till.phone(payer);
  await phone.dial();
  await phone.type('1');
  expect(await till.phone(payer, 'other-shop').dial()).toMatch(/^Other Shop\n1\./);
  expect(await till.phone('0244123457').dial()).toMatch(/^Demo Shop\n1\./);
  expect(await till.phone(payer, 'nalo').dial()).toContain('your session was interrupted');
  await till.clock.advance(300_001);
  expect(await till.phone(payer, 'nalo').dial()).toMatch(/^Demo Shop\n1\./);
});

test('a resumed payment has a reference of its own, and is recognised when it is repeated', async () => {
  const till = await createShop();
  const phone = till.phone(payer);
  await phone.dial();
  await phone.type('1', '20');
  await phone.dial();
  await phone.press('Continue');
  expect(phone.text()).toContain('Fee GHS 0.20');
  await phone.press('Yes');
  await till.untilNewest('initiated');
  const row = await till.only(payer);
  expect(row.reference).toBe(row.shortReference);
  await till.approve();
  await till.untilNewest('paid');
  await phone.dial();
  await phone.press('New payment', 'My number');
  await phone.type('20');
  expect(await phone.press('Yes')).toContain('Pay the same again?');
  expect(till.callsOf('initiate')).toBe(1);
  expect(await till.checkStatement()).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
});

describe('the interrupted session continues after the resume', () => {
  /** Two sessions of one phone on the same confirm screen: the interrupted one, and the one that resumed its dialogue. */
  async function revived(till: Till): Promise<{ before: Phone; after: Phone }> {
    const [before, after] = [till.phone(payer, 'nalo'), till.phone(payer, 'nalo')];
    await before.dial();
    await before.type('1', '20');
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
    expect(await till.checkStatement()).toMatchObject(onePrompt);
  });

  test('after the other one was paid: only a confirmation of the duplicate pays again', async () => {
    const till = await createShop();
    const { before, after } = await revived(till);
    await after.press('Yes');
    await till.approveNewest();
    expect(await before.press('Yes')).not.toContain('Approve');
    await till.clock.advance(30_000);
    expect(await till.checkStatement()).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
  });

  test.each(['before', 'after'] as const)(
    'after the other one was declined, the late confirmation of the session from %s sends no second prompt',
    async (late) => {
      const till = await createShop();
      const phones = await revived(till);
      await phones[late === 'before' ? 'after' : 'before'].press('Yes');
      await till.declineNewest();
      expect(await phones[late].press('Yes')).not.toContain('Approve');
      await till.clock.advance(30_000);
      expect(await till.statuses()).toEqual(['failed']);
      expect(await till.checkStatement()).toMatchObject(onePrompt);
    },
  );

  test('and both confirm at once: one prompt', async () => {
    const till = await createShop();
    const { before, after } = await revived(till);
    await till.clock.advance(2_500);
    await Promise.all([before.send(before.keyOf('Yes')), after.send(after.keyOf('Yes'))]);
    await till.clock.advance(30_000);
    expect(await till.storedCollections()).toHaveLength(1);
    expect(await till.checkStatement()).toMatchObject(onePrompt);
  });
});

test('a payment in the old session between the offer and Continue: its quote is not used for a second prompt', async () => {
  const till = await createShop();
  const [before, after] = [till.phone(payer), till.phone(payer)];
  await before.dial();
  await before.type('1', '20');
  await after.dial();
  await before.press('Yes');
  await till.declineNewest();
  expect(await after.press('Continue')).toContain('Pay GHS 20.00');
  expect(await after.press('Yes')).toContain('Approve GHS 20.00');
  await till.approveNewest();
  expect(await till.statuses()).toEqual(['failed', 'paid']);
  expect(await till.checkStatement()).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
});

test('the language is asked for once at each merchant, and remembered on every channel and after a restart', async () => {
  const till = await createShop({ menu: shopMenu({ languages: ['en', 'tw'] }) });
  await addOtherShop(till);
  const phone = till.phone(payer);
  expect(await phone.dial()).toBe('Demo Shop\n1. English\n2. Twi');
  // A payer whose session breaks on the language screen sees it again.
  expect(await phone.dial()).toBe('Demo Shop\n1. English\n2. Twi');
  await phone.press('Twi');
  const otherShop = till.phone(payer, 'other-shop');
  expect(await otherShop.dial()).toBe('Other Shop\n7. English\n8. Twi');
  await otherShop.press('English');
  expect(await till.phone(payer, 'nalo').dial()).toMatch(/^Demo Shop\n1\. My number/);
  await till.clock.skip(86_400_000);
  await till.restart();
  await phone.dial();
  expect(await phone.type('9')).toMatch(/^San paw bio\./);
  await phone.press('Change language');
  await phone.dial();
  expect(await phone.type('9')).toMatch(/^Invalid option\./);
  expect(await till.phone(other).dial()).toBe('Demo Shop\n1. English\n2. Twi');
});

/* "Send prompt again" is offered only where it can succeed. Otherwise the screen of the payment states the reason. */

const none = { perHour: null, perDay: null };

const third = '0244999888';

/** Requests GHS 20.00 with a phone from a payer, who declines the prompt. */
async function declined(till: Till, say: (name: MessageName) => string, dialler: string, from: string) {
  const phone = till.phone(dialler);
  await phone.dial();
  await phone.type(...(dialler === from ? ['1'] : ['2', from]), '20');
  await phone.press(say('yes'));
  await till.declineNewest(from);
}

type Before = (till: Till) => Promise<unknown>;

const declines = (maxDeclines: number) => ({ declines: { maxDeclines, coolDownMs: 3_600_000 } });

const one = { perHour: 1, perDay: null };

const endService: Before = async (till) => {
  till.faults.call = async () => new Response('', { status: 503 });
  await till.pay(third);
  await till.clock.advance(20_000);
};

const endNetwork: Before = (till) => {
  till.config.service.networks.mtn = null;
  return till.restart();
};

/** The phones request a declined payment, the one that redials last. */
const cases: [because: string, MessageName, diallers: string[], Partial<FileConfig['limits']>, Before?][] = [
  ['of the limit of the payer', 'rejectedTooMany', [payer], { payer: one }],
  ['of the limit of the phone', 'rejectedTooMany', [other], { dialler: one }],
  ['the payer has a cool-down', 'rejectedPayer', [third, other], declines(2)],
  ['the phone has a cool-down', 'rejectedCoolDown', [other], declines(1)],
  ['others asked the payer too often', 'rejectedPayer', [other], { requests: { dialler: none, payer: one } }],
  ['the service does not answer', 'paymentNotPossible', [payer], {}, endService],
  ['the network is no longer offered', 'networkNotOffered', [payer], {}, endNetwork],
];

describe.each(Object.keys(defaultMessages))('in the language %s', (language) => {
  const say = (name: MessageName) => defaultMessages[language]?.[name] ?? '';

  test.each(cases)('it is not offered because %s: %s', async (_, message, diallers, limits, before) => {
    const till = await createShop({ menu: shopMenu({ languages: [language] }), limits });
    for (const dialler of diallers) await declined(till, say, dialler, payer);
    await before?.(till);
    const dialler = diallers.at(-1) ?? payer;
    const stored = await till.storedCollections();
    const phone = till.phone(dialler);
    const text = await phone.dial();
    const shown = dialler === payer ? payer : '0244***456';
    const reason = say(message).replace('{merchant}', 'Demo Shop').replace('{payer}', shown);
    expect(text.replaceAll('\n', ' ')).toContain(reason);
    expect(text).not.toContain(say('sendPromptAgain'));
    expect(text).toContain(`1. ${say('newPayment')}`);
    await phone.type('1');
    expect(await till.storedCollections()).toEqual(stored);
  });
});

test('it is offered again when the cool-down is over, and the outage', async () => {
  const { en } = defaultMessages;
  const till = await createShop({ limits: { declines: { maxDeclines: 1, coolDownMs: 300_000 } } });
  await declined(till, (name) => en?.[name] ?? '', other, payer);
  await till.clock.advance(301_000);
  const phone = till.phone(other);
  await phone.dial();
  expect(await phone.press('Send prompt again')).toContain('Approve GHS 20.20');
});

test('a screen that was shown without it never sends a prompt, whatever ends meanwhile', async () => {
  const { en } = defaultMessages;
  const till = await createShop({ limits: { declines: { maxDeclines: 1, coolDownMs: 60_000 } } });
  await declined(till, (name) => en?.[name] ?? '', other, payer);
  const phone = till.phone(other);
  await phone.dial();
  await till.clock.advance(61_000);
  expect(await phone.send('1')).toContain('1. My number');
  expect(await till.storedCollections()).toHaveLength(1);
});
