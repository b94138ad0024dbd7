import { describe, expect, test } from 'vitest';
import { lastOf, type RawSession } from '../kit/phone.ts';
import { rowsOf } from '../kit/size.ts';
import { createTill, payer, type Till } from '../kit/till.ts';

const routes = [
  { to: 'an amount like no key', inputs: ['1', '20'] },
  { to: 'an amount that equals the key for Yes', inputs: ['1', '1', '1'] },
  { to: 'an amount like the no key', inputs: ['1', '2'] },
  { to: 'an amount that equals the alternative key for Yes', inputs: ['1', '7'] },
  { to: 'an amount like the other no key', inputs: ['1', '8'] },
  { to: 'another number', inputs: ['2', '0201234567', '2', '1'] },
  { to: 'a bill', inputs: ['3', 'INV-1234', '1'] },
];

/** Returns the key of an option on a screen. */
function keyOf(word: 'Yes' | 'No', screen: string): string {
  const key = new RegExp(`(\\d)\\. ${word}`).exec(screen)?.[1];
  if (key === undefined) throw new Error(`no key for ${word} on: ${screen}`);
  return key;
}

async function atConfirm(
  till: Till,
  inputs: readonly string[],
): Promise<{ session: RawSession; screen: string }> {
  const session = till.session(payer, 'nalo');
  return { session, screen: lastOf(await session.walk(inputs)).body };
}

describe.each(rowsOf(routes, 3))('S02: after $to', ({ inputs }) => {
  const input = inputs.at(-1) ?? '';

  test('S02: the keys of the confirm screen differ from the key that was just typed', async () => {
    const { screen } = await atConfirm(await createTill(), inputs);
    expect([keyOf('Yes', screen), keyOf('No', screen)]).not.toContain(input);
  });

  test.each([0, 2_000, 2_001, 10_000, 240_000])(
    'S02: a repeat %i ms later neither confirms nor cancels',
    async (later) => {
      const till = await createTill();
      const { session, screen } = await atConfirm(till, inputs);
      await till.clock.advance(later);
      const repeated = await session.send(inputs);
      expect(repeated.body).toContain('"MSGTYPE":true');
      // With the line about the invalid option, the screen can have two pages.
      const isPaged = repeated.body.includes('#. More');
      const last = isPaged ? await session.send([...inputs, '#']) : repeated;
      expect(keyOf('Yes', last.body)).toBe(keyOf('Yes', screen));
      expect(await till.find(payer)).toEqual([]);
      await till.clock.advance(2_500);
      const end = await session.send([...inputs, keyOf('Yes', screen)]);
      expect(end.body).toContain('Approve GHS');
      expect(await till.find(payer)).toHaveLength(1);
    },
  );

  test('S02: an endlessly repeated input ends the dialogue, and no prompt is sent', async () => {
    const till = await createTill();
    const { session } = await atConfirm(till, inputs);
    for (let times = 0; times < 6; times++) {
      await till.clock.advance(2_500);
      await session.send(inputs);
    }
    await till.clock.advance(30_000);
    expect(await till.find(payer)).toEqual([]);
    expect(till.calls).toEqual([]);
  });
});

test('S02: within the repeat window a repeat gets the same bytes; later, the next screen asks to type it again', async () => {
  const till = await createTill();
  const session = till.session(payer, 'nalo');
  const amount = lastOf(await session.walk(['1']));
  await till.clock.advance(2_000);
  expect(await session.send(['1'])).toEqual(amount);
  await till.clock.advance(1);
  const answer = await session.send(['1']);
  expect(answer.body).toContain('Please type it again.');
  expect(answer.body).toContain('Amount in GHS');
  await till.clock.advance(2_001);
  expect((await session.send(['1', '1'])).body).toContain('Pay GHS 1.00');
});

test('S02: a choice that is repeated on the next choice is not applied, and the dialogue can continue', async () => {
  const till = await createTill();
  const session = till.session(payer, 'nalo');
  const twi = lastOf(await session.walk(['4']));
  await till.clock.advance(2_500);
  const answer = await session.send(['4']);
  expect(answer.body).toContain('San kyerew bio.');
  expect(answer.body).toContain('1. Fa saa number yi tua');
  expect(answer.body).not.toEqual(twi.body);
  await till.clock.advance(2_500);
  expect((await session.send(['4', '1'])).body).toContain('Sika dodow');
});

test('S02: without a session id the number identifies the session, and a redial after the END screen is a new dialogue', async () => {
  const till = await createTill();
  const session = till.session(payer, 'nalo', { session: '' });
  await session.walk(['1', '20', '1']);
  await till.untilStatus(payer, 'initiated');
  await till.approved();
  await till.clock.advance(2_500);
  expect((await session.send([])).body).toContain('GHS 20.00 to Demo Shop was paid at 09:00.');
  // The key for a new payment differs from the next key of the menu, so no input is taken for a repeat.
  const second = await session.walk(['7', '1', '30', '1']);
  expect(lastOf(second).body).toContain('Approve GHS 30.00');
  expect((await till.find(payer)).map(({ goodsMinor }) => goodsMinor).sort()).toEqual([2_000, 3_000]);
});

test('S02: a quick payer reaches Yes on the second page of a confirm screen, also after an invalid input', async () => {
  for (const textLimit of [60, 70, 80, 90, 100]) {
    const till = await createTill({
      configure({ channels }) {
        for (const channel of channels) channel.textLimit = textLimit;
      },
    });
    const typed = ['1', '20'];
    const session = till.session(payer, 'nalo');
    let screen = lastOf(await session.walk(typed)).body;
    const type = async (input: string) => {
      await till.clock.advance(300);
      typed.push(input);
      screen = (await session.send(typed)).body;
    };
    if (screen.includes('More')) await type('x');
    for (let pages = 0; screen.includes('More') && pages < 5; pages++) await type('#');
    const last = screen;
    // The last page offers no further one: the same key is a repeat.
    await till.clock.advance(300);
    if (typed.at(-1) === '#') expect((await session.send(typed)).body).toBe(last);
    await type(keyOf('Yes', last));
    expect(screen).toContain('GHS 20.00');
    expect(await till.find(payer)).toHaveLength(1);
  }
});

const inputs = ['1', '20', '1'];

async function initiates(till: Till): Promise<number> {
  await till.clock.advance(60_000);
  return till.calls.filter(({ name }) => name === 'initiate').length;
}

test('S01: a whole session that is sent again after the payment opens no further collection', async () => {
  const till = await createTill();
  const session = till.session(payer, 'hubtel');
  const first = await session.walk(inputs);
  await till.untilStatus(payer, 'initiated');
  await till.approved();
  expect(await session.walk(inputs)).toEqual(first);
  expect(await initiates(till)).toBe(1);
  expect(await till.find(payer)).toHaveLength(1);
});

test('S02: without sequence numbers, a repeat is recognised by time and is not taken for an amount', async () => {
  const till = await createTill();
  const url = till.config.channels.find(({ id }) => id === 'hubtel');
  const send = async (Type: string, Message: string) => {
    const body = {
      Type,
      Message,
      Mobile: '233244123456',
      SessionId: 's1',
      ServiceCode: '711*5',
      Operator: 'mtn',
    };
    const answer = await till.gateway().app.request(`http://gateway.test/ussd/hubtel/${url?.secret}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    return ((await answer.json()) as { Message: string }).Message;
  };
  await send('Initiation', '*711*5#');
  await till.clock.advance(2_500);
  const amountScreen = await send('Response', '1');
  expect(amountScreen).toContain('Amount in GHS');
  await till.clock.advance(100);
  expect(await send('Response', '1')).toBe(amountScreen);
  await till.clock.advance(2_500);
  expect(await send('Response', '1')).toContain('Please type it again.');
});

test('after a channel has moved to another merchant, a pending payment at the former one is not shown', async () => {
  const till = await createTill();
  await till.pay(payer, inputs, 'arkesel');
  const again = till.session(payer, 'arkesel', { session: 'second' });
  await again.walk(['8', '1', '50']);
  const [shop] = till.config.merchants;
  const channel = till.config.channels.find(({ id }) => id === 'arkesel');
  if (!shop || !channel) throw new Error('expected a merchant and a channel');
  till.config.merchants.push({ ...shop, id: 'shop-b', name: 'Shop B' });
  channel.merchant = 'shop-b';
  await till.restart();
  const end = await again.send(['8', '1', '50', '1']);
  expect(end.body).toContain('Approve GHS 50.00 to Shop B');
  expect(end.body).not.toContain('waiting');
});
