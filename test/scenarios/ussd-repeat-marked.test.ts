import { expect, test } from 'vitest';
import { createTill, type Till } from '../kit/till.ts';

const payer = '0244123456';
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
