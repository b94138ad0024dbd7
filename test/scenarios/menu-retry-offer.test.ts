import { describe, expect, test } from 'vitest';
import type { FileConfig } from '../../src/gateway/config/schema.ts';
import type { MessageName } from '../../src/menu/schema.ts';
import { defaultMessages } from '../../src/menu/text/default-messages.ts';
import { createShop, other } from '../kit/payers.ts';
import { shopMenu } from '../kit/shop-menu.ts';
import { payer, type Till } from '../kit/till.ts';

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
