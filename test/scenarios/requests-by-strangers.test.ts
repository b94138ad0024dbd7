import { expect, test } from 'vitest';
import { msisdnOf } from '../kit/msisdn.ts';
import { createShop } from '../kit/payers.ts';
import { channelNames, type Phone } from '../kit/phone.ts';
import { payer, type Till } from '../kit/till.ts';

/* A request by another phone never stops, delays or replaces a payment that a payer makes with the own phone. */

const stranger = (n: number) => `02440000${String(n).padStart(2, '0')}`;
const requested = 'GHS 20.';
const refused = `Sorry, ${payer} cannot be asked to pay now. Nothing was paid.`;

/** Presses the key of an option, on the page where it is. */
async function choose(phone: Phone, label: string): Promise<string> {
  while (!phone.text().includes(`. ${label}`) && phone.text().includes('#. More')) await phone.type('#');
  return phone.press(label);
}

/** Passes the screens about earlier payments. Returns what they show. */
async function passPayment(phone: Phone): Promise<string[]> {
  const screens = [phone.text()];
  while (/waiting for the PIN|was not paid|was paid at|result not yet known/.test(screens.join('\n'))) {
    return [...screens, await choose(phone, 'New payment')];
  }
  return screens;
}

/** Requests GHS 20.00 from the payer. */
async function request(till: Till, dialler: string, channel = 'africastalking'): Promise<string> {
  const phone = till.phone(dialler, channel);
  await phone.dial();
  await passPayment(phone);
  await phone.press('Other number');
  await phone.type(payer, '20');
  return phone.press('Yes');
}

/** Dials and pays with the own phone. Returns every screen. */
async function payOwn(till: Till, { channel = 'africastalking', amount = '50' } = {}): Promise<string[]> {
  const phone = till.phone(payer, channel);
  await phone.dial();
  const screens = await passPayment(phone);
  return [...screens, await phone.press('My number'), await phone.type(amount), await phone.press('Yes')];
}

/** Returns the amounts of the payer's pending prompts. */
async function pendingPrompts(till: Till): Promise<number[]> {
  await till.clock.advance(5_000);
  const prompts = await till.service.phone.pending(msisdnOf(payer));
  return prompts.map(({ amountMinor }) => amountMinor).sort((a, b) => a - b);
}

test.each(channelNames)(
  'on %s, a payer with a waiting request of another phone pays at once, and reads only about the own payment',
  async (channel) => {
    const till = await createShop();
    expect(await request(till, stranger(1))).toContain('Approve GHS 20.00');
    const [, ...screens] = await payOwn(till, { channel });
    expect(screens.at(-1)).toContain('Approve GHS 50.00');
    expect(screens.slice(1).join('\n')).not.toContain(requested);
    expect(await pendingPrompts(till)).toEqual([2_020, 5_050]);
    const redial = till.phone(payer, channel);
    expect(await redial.dial()).toMatch(/^GHS 50\.50 to Demo Shop is waiting for the PIN/);
    expect(await choose(redial, 'How to approve')).toContain('Approve GHS 50.50');
    expect(await till.checkStatement()).toMatchObject({ pushes: 2 });
  },
);

test.each(channelNames)(
  'on %s, after "Block requests" no dial shows the blocked request',
  async (channel) => {
    const till = await createShop();
    await request(till, stranger(1));
    await till.clock.advance(5_000);
    const phone = till.phone(payer, channel);
    expect(await phone.dial()).toContain('Requested by another phone:');
    await choose(phone, 'Block requests');
    const screens = await payOwn(till, { channel });
    expect(screens.join('\n')).not.toContain(requested);
    expect(screens.at(-1)).toContain('Approve GHS 50.00');
    expect(await request(till, stranger(2))).toBe(refused);
    expect(await pendingPrompts(till)).toEqual([2_020, 5_050]);
  },
);

test.each(channelNames)(
  'on %s, a blocked phone that asks again changes nothing for the payer',
  async (channel) => {
    const till = await createShop();
    await request(till, stranger(1));
    await till.untilNewest('initiated');
    const phone = till.phone(payer, channel);
    await phone.dial();
    await choose(phone, 'Block requests');
    await till.decline();
    await till.untilNewest('failed');
    expect(await request(till, stranger(1), channel)).toBe(refused);
    const screens = await payOwn(till, { channel });
    expect(screens.join('\n')).not.toContain(requested);
    expect(screens.at(-1)).toContain('Approve GHS 50.00');
    expect(await request(till, stranger(1), channel)).toBe(refused);
    expect(await pendingPrompts(till)).toEqual([5_050]);
  },
);

test.each(channelNames)(
  'on %s, eight strangers one after another neither limit the payer nor take the place of the own payment on a redial',
  async (channel) => {
    const limits = { payer: { perHour: 6, perDay: 20 }, merchant: { perMinute: 9 } };
    const till = await createShop({ limits });
    expect((await payOwn(till, { channel })).at(-1)).toContain('Approve GHS 50.00');
    await till.declineNewest();
    const answers: string[] = [];
    for (let n = 1; n <= 8; n++) {
      answers.push(await request(till, stranger(n)));
      await till.clock.advance(5_000);
      if (answers.at(-1)?.includes('Approve')) await till.decline();
      await till.clock.advance(5_000);
    }
    expect(answers.filter((text) => text.includes('Approve'))).toHaveLength(6);
    expect(answers.slice(6)).toEqual([refused, refused]);
    const redial = till.phone(payer, channel);
    expect(await redial.dial()).toMatch(/^GHS 50\.50 to Demo Shop was not paid\./);
    expect((await payOwn(till, { channel, amount: '51' })).at(-1)).toContain('Approve GHS 51.00');
    expect(await pendingPrompts(till)).toEqual([5_151]);
  },
);

test.each(channelNames)(
  'on %s, a dialled payment starts without the screen of a waiting request, and with it the same amount is no duplicate',
  async (channel) => {
    const till = await createShop();
    await request(till, stranger(1));
    await till.clock.advance(5_000);
    const phone = till.phone(payer, channel);
    expect(await phone.dial('1', '20')).toMatch(/^Pay GHS 20\.00 to Demo Shop/);
    expect(await phone.press('Yes')).toContain('Approve GHS 20.00');
    expect(await pendingPrompts(till)).toEqual([2_020, 2_020]);
  },
);

test('a confirmation is not mistaken for a late one when a stranger opened the same payment in between', async () => {
  const till = await createShop();
  const phone = till.phone(payer);
  await phone.dial();
  await phone.type('1', '20');
  await request(till, stranger(1));
  await till.declineNewest();
  expect(await phone.press('Yes')).toContain('Approve GHS 20.00');
  expect(await pendingPrompts(till)).toEqual([2_020]);
});

test('a request that was never answered does not question the payment of the payer', async () => {
  const till = await createShop({ timings: { retryAllowedAfterMs: 200_000 } });
  await request(till, stranger(1));
  await till.clock.skip(230_000);
  expect((await payOwn(till, { amount: '20' })).at(-1)).toContain('Approve GHS 20.00');
});

test('while a payment of the own phone is open, no other phone can request from it', async () => {
  const till = await createShop();
  await payOwn(till, { amount: '20' });
  for (let n = 1; n <= 8; n++) expect(await request(till, stranger(n))).toBe(refused);
  expect(await pendingPrompts(till)).toEqual([2_020]);
  expect(await till.storedCollections()).toHaveLength(1);
});

test('a payer still has one own payment at a time: a second confirmation shows the first one', async () => {
  const till = await createShop();
  await request(till, stranger(1));
  await payOwn(till);
  expect((await payOwn(till, { amount: '51' })).at(-1)).toMatch(
    /^GHS 50\.50 to Demo Shop is already waiting/,
  );
  expect(await pendingPrompts(till)).toEqual([2_020, 5_050]);
});
