import { describe, expect, test } from 'vitest';
import { channelNames, lastOf } from '../../kit/phone.ts';
import { createTill, payer } from '../../kit/till.ts';

const codes = { africastalking: '*713*5', nalo: '*920*5' } as const;

describe.each(channelNames)('a dialogue on %s', (channel) => {
  test('accepts inputs for its lifetime after each turn, and is lost after that', async () => {
    const till = await createTill();
    const session = till.session(payer, channel);
    await session.send([]);
    await till.clock.advance(300_000);
    expect((await session.send(['1'])).body).toContain('Amount in GHS');
    await till.clock.advance(300_000);
    expect((await session.send(['1', '20'])).body).toContain('Pay GHS 20.00');
    await till.clock.advance(300_001);
    const late = await session.send(['1', '20', '1']);
    expect(late.body).toContain('Session ended. Please dial again.');
    expect(await session.send(['1', '20', '1'])).toEqual(late);
    expect(await till.find(payer)).toEqual([]);
  });

  test('ends in its own language after its lifetime', async () => {
    const till = await createTill();
    const session = till.session(payer, channel);
    await session.walk(['4']);
    await till.clock.advance(300_001);
    expect((await session.send(['4', '1'])).body).toContain('Session no atwam.');
  });

  test('starts anew when the aggregator reuses its session id, without any state of the old one', async () => {
    const till = await createTill();
    const session = till.session(payer, channel);
    const [first] = await session.walk(['1', '500']);
    await till.clock.advance(300_001);
    expect(await session.send([])).toEqual(first);
    const end = lastOf(await session.walk(['1', '20', '1']));
    expect(end.body).toContain('Approve GHS 20.00');
    const row = await till.only(payer);
    expect(row.goodsMinor).toBe(2_000);
    const { turns } = await till.record(row.id);
    expect(turns.every(({ dialogueId }) => dialogueId === row.dialogueId)).toBe(true);
    expect(turns.map(({ input }) => input)).toEqual([null, '1', '20', '1']);
  });

  test('continues after a restart of the gateway', async () => {
    const till = await createTill();
    const session = till.session(payer, channel);
    await session.walk(['1', '20']);
    await till.restart();
    expect((await session.send(['1', '20', '1'])).body).toContain('Approve GHS 20.00');
  });

  test('without a dial opens no collection', async () => {
    const till = await createTill();
    const { body } = await till.session(payer, channel).send(['1', '20', '1']);
    expect(body).not.toContain('Approve');
    await till.clock.advance(10_000);
    expect(await till.find(payer)).toEqual([]);
  });

  test.each([
    { suffix: '*1', screen: 'Amount in GHS' },
    { suffix: '*1*20', screen: 'Pay GHS 20.00 to Demo Shop' },
    { suffix: '*2*0201234567*2*20', screen: 'from 0201234567?' },
    { suffix: '*9', screen: 'Invalid option.' },
    { suffix: '*1*9000', screen: 'At most GHS 5000.00.' },
    { suffix: '*1*0', screen: 'Pay with this number' },
    { suffix: '*1*20*1', screen: 'Pay GHS 20.00 to Demo Shop' },
    { suffix: '*1*1*7', screen: 'Pay GHS 1.00 to Demo Shop' },
    { suffix: '*1*20*1*1*1', screen: 'Pay GHS 20.00 to Demo Shop' },
  ])('dialled with $suffix is on the screen that the answers lead to, and confirms nothing', async (one) => {
    const till = await createTill();
    const dialled = `${codes[channel]}${one.suffix}#`;
    const answer = await till.session(payer, channel, { dialled }).send([]);
    expect(answer.body).toContain(one.screen);
    await till.clock.advance(10_000);
    expect(await till.find(payer)).toEqual([]);
    expect(till.calls).toEqual([]);
  });

  test('with a dialled suffix is confirmed by the key on its screen, and collects that amount', async () => {
    const till = await createTill();
    const session = till.session(payer, channel, { dialled: `${codes[channel]}*1*20*1#` });
    const [confirm, end] = await session.walk(['1']);
    expect(confirm?.body).toContain('1. Yes');
    expect(end?.body).toContain('Approve GHS 20.00');
    expect((await till.only(payer)).goodsMinor).toBe(2_000);
  });
});

test('two sessions of one phone are two dialogues', async () => {
  const till = await createTill();
  const one = till.session(payer, 'africastalking', { session: 'a' });
  const other = till.session(payer, 'africastalking', { session: 'b' });
  await one.walk(['1', '20']);
  // The first dialogue is unfinished, so the second dial offers to resume it.
  await other.walk(['2', '2', '0201234567', '2']);
  expect((await one.send(['1', '20', '2'])).body).toContain('Cancelled.');
  expect((await other.send(['2', '2', '0201234567', '2', '30'])).body).toContain('from 0201234567?');
});

test('equal session ids of two channels are two dialogues', async () => {
  const till = await createTill();
  const [one, other] = channelNames.map((channel) => till.session(payer, channel, { session: 'same' }));
  if (!one || !other) throw new Error('two channels are needed');
  expect(lastOf(await one.walk(['1'])).body).toContain('Amount in GHS');
  // The first dialogue is unfinished, so the second dial offers to resume it.
  expect(lastOf(await other.walk(['8', '2'])).body).toContain('Number that pays');
  expect((await one.send(['1', '20'])).body).toContain('Pay GHS 20.00');
  expect((await other.send(['8', '2', '0201234567'])).body).toContain('Its network');
});

test('every turn is stored with its input, its screen and its time', async () => {
  const till = await createTill();
  await till.pay(payer, ['1', '0.5', '20', '1']);
  const { turns } = await till.record((await till.only(payer)).id);
  expect(turns.map(({ sequence, input, reply }) => [sequence, input, reply])).toEqual([
    [1, null, 'continue'],
    [2, '1', 'continue'],
    [3, '0.5', 'continue'],
    [4, '20', 'continue'],
    [5, '1', 'end'],
  ]);
  expect(turns[2]?.screen).toMatch(/^At least GHS 1\.00\.\nAmount/);
  expect(turns.map(({ at }) => at)).toEqual([...turns.map(({ at }) => at)].sort((a, b) => a - b));
});

test('after a restart with another menu, an input shows the first screen of that menu', async () => {
  const till = await createTill();
  const session = till.session(payer, 'africastalking');
  await session.walk(['1']);
  const [merchant] = till.config.merchants;
  if (!merchant) throw new Error('no merchant');
  const { amount: _gone, ...screens } = merchant.menu.screens;
  merchant.menu = { ...merchant.menu, screens };
  await till.restart();
  expect((await session.send(['1', '20'])).body).toContain('CON Demo Shop\n1. Pay with this number');
});
