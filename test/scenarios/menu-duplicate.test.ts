import { expect, test } from 'vitest';
import { channelNames } from '../kit/callback.ts';
import {
  checkStatement,
  createPayerPhone,
  createShop,
  decline,
  dialAndConfirm,
  other,
  type PayerPhone,
  payer,
  storedCollections,
  untilNewest,
} from '../kit/payers.ts';
import { approve } from '../kit/scenes.ts';
import type { Till } from '../kit/till.ts';

const question = /^You confirmed GHS 20\.00 to Demo Shop at 09:0\d\. Pay the same again\?/;

/** Pays GHS 20.00. */
async function payOnce(till: Till): Promise<void> {
  await dialAndConfirm(till);
  await untilNewest(till, 'initiated');
  await approve(till);
  await untilNewest(till, 'paid');
}

/** Dials and passes the screen of the recent payment. */
async function dialToMenu(phone: PayerPhone): Promise<void> {
  await phone.dial();
  await phone.press('New payment');
}

test.each(channelNames)(
  'on %s, a duplicate is questioned, and only a second confirmation opens a collection',
  async (channel) => {
    const till = await createShop();
    await payOnce(till);
    const phone = createPayerPhone(till, payer, channel);
    await dialToMenu(phone);
    await phone.press('My number');
    await phone.type('20');
    const key = phone.keyOf('Yes');
    expect(await phone.press('Yes')).toMatch(question);
    expect([phone.keyOf('Yes'), phone.keyOf('No')]).not.toContain(key);
    expect(await storedCollections(till)).toHaveLength(1);
    expect(await phone.press('Yes')).toContain('Approve GHS 20.00');
    await untilNewest(till, 'initiated');
    await approve(till);
    await untilNewest(till, 'paid');
    expect((await storedCollections(till)).map(({ retryOf }) => retryOf)).toEqual([null, null]);
    expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 4_040 });
  },
);

test.each(channelNames)('on %s, a No to the question opens no collection', async (channel) => {
  const till = await createShop();
  await payOnce(till);
  const phone = createPayerPhone(till, payer, channel);
  await dialToMenu(phone);
  await phone.press('My number');
  await phone.type('20');
  await phone.press('Yes');
  expect(await phone.press('No')).toBe('Cancelled. Nothing was paid.');
  await till.clock.advance(60_000);
  expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
});

test.each(['africastalking', 'nalo', 'hubtel', 'wigal-v1'])(
  'on %s, copies of the first confirmation never answer the question, however late they arrive',
  async (channel) => {
    const till = await createShop();
    await payOnce(till);
    const phone = createPayerPhone(till, payer, channel);
    await dialToMenu(phone);
    await phone.press('My number');
    await phone.type('20');
    await phone.press('Yes');
    expect(phone.text()).toMatch(question);
    for (const ms of [0, 1_000, 2_500, 60_000]) {
      await till.clock.advance(ms);
      await Promise.all([phone.repeat(), phone.repeat()]);
      expect(await storedCollections(till)).toHaveLength(1);
    }
    await till.clock.advance(60_000);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
  },
);

test.each(['nalo', 'wigal-v1'])(
  'on %s, after the amount 1 the question uses neither of the last two keys, and copies of both keys confirm nothing',
  async (channel) => {
    const till = await createShop();
    await dialAndConfirm(till, payer, '1');
    await untilNewest(till, 'initiated');
    await approve(till);
    await untilNewest(till, 'paid');
    const phone = createPayerPhone(till, payer, channel);
    await dialToMenu(phone);
    await phone.press('My number');
    const confirm = await phone.type('1');
    // The amount equals the key of the menu: such an input counts the second time.
    if (confirm.startsWith('Please type it again.')) await phone.type('1');
    expect(phone.keyOf('Yes')).toBe('7');
    expect(await phone.press('Yes')).toContain('Pay the same again?');
    expect([phone.keyOf('Yes'), phone.keyOf('No')]).toEqual(['9', '2']);
    await till.clock.advance(2_500);
    for (const copy of ['1', '7']) {
      const text = await phone.send(copy);
      expect(text).toContain('Pay the same again?');
      expect(await storedCollections(till)).toHaveLength(1);
      await till.clock.advance(2_500);
    }
    expect(await phone.press('Yes')).toContain('Approve GHS 1.00');
    await untilNewest(till, 'initiated');
    expect(await storedCollections(till)).toHaveLength(2);
    expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 110 });
  },
);

test.each(channelNames)(
  'on %s, a second confirmation that is sent three times opens one collection',
  async (channel) => {
    const till = await createShop();
    await payOnce(till);
    const phone = createPayerPhone(till, payer, channel);
    await dialToMenu(phone);
    await phone.press('My number');
    await phone.type('20');
    await phone.press('Yes');
    await till.clock.advance(2_500);
    const [end, ...copies] = await Promise.all([
      phone.send(phone.keyOf('Yes')),
      phone.repeat(),
      phone.repeat(),
    ]);
    expect(copies).toEqual([end, end]);
    await untilNewest(till, 'initiated');
    expect(await storedCollections(till)).toHaveLength(2);
    expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
  },
);

test.each([
  [899_000, true],
  [901_000, false],
])('%i ms after the first confirmation, the question is shown: %s', async (ms, isShown) => {
  // The recent payment is shown first for longer than the duplicate window.
  const till = await createShop({ timings: { recentPaymentMs: 3_600_000 } });
  await dialAndConfirm(till);
  const { id } = await untilNewest(till, 'initiated');
  await approve(till);
  await untilNewest(till, 'paid');
  const { openedAt } = (await till.record(id)).collection;
  const phone = createPayerPhone(till, payer);
  await till.clock.advance(openedAt + ms - till.clock.now() - 15_000);
  await dialToMenu(phone);
  await phone.press('My number');
  await phone.type('20');
  await till.clock.advance(openedAt + ms - till.clock.now() - 2_500);
  const text = await phone.press('Yes');
  if (isShown) expect(text).toMatch(question);
  else expect(text).toContain('Approve GHS 20.00');
  await till.clock.advance(30_000);
  expect(await checkStatement(till)).toMatchObject({ pushes: isShown ? 1 : 2, chargedMinor: 2_020 });
});

test.each([
  ['another amount', ['1', '21'], 'Approve GHS 21.00'],
  ['a reference', ['3', 'INV-1234', '20'], 'Approve GHS 20.00'],
])('a payment with %s is no duplicate and needs one confirmation', async (_, inputs, end) => {
  const till = await createShop();
  await payOnce(till);
  const phone = createPayerPhone(till, payer);
  await dialToMenu(phone);
  await phone.type(...inputs);
  expect(await phone.press('Yes')).toContain(end);
  await untilNewest(till, 'initiated');
  expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
});

test('a second payment of the same bill is questioned, also in lower case, and another bill is not', async () => {
  const till = await createShop();
  const phone = createPayerPhone(till, payer);
  await phone.dial();
  await phone.type('3', 'INV-1234', '20');
  await phone.press('Yes');
  await untilNewest(till, 'initiated');
  await approve(till);
  await untilNewest(till, 'paid');
  await dialToMenu(phone);
  await phone.type('3', 'inv-1234', '20');
  expect(await phone.press('Yes')).toMatch(question);
  await phone.press('No');
  await dialToMenu(phone);
  await phone.type('3', 'INV-1235', '20');
  expect(await phone.press('Yes')).toContain('Approve GHS 20.00');
  await untilNewest(till, 'initiated');
  expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
});

test('duplicates are detected by wallet: another phone that requests the same payment sees no question, and its second request does', async () => {
  const till = await createShop();
  await payOnce(till);
  const phone = createPayerPhone(till, other);
  await phone.dial();
  await phone.type('2', payer, '20');
  expect(await phone.press('Yes')).toContain('Approve GHS 20.00');
  await untilNewest(till, 'initiated');
  await approve(till);
  await untilNewest(till, 'paid');
  await dialToMenu(phone);
  await phone.type('2', payer, '20');
  expect(await phone.press('Yes')).toMatch(question);
  await till.clock.advance(30_000);
  expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 4_040 });
});

test('a payment after a declined one is no duplicate, because no money has moved', async () => {
  const till = await createShop();
  await dialAndConfirm(till);
  await untilNewest(till, 'initiated');
  await decline(till);
  await untilNewest(till, 'failed');
  const phone = createPayerPhone(till, payer);
  await dialToMenu(phone);
  await phone.press('My number');
  await phone.type('20');
  expect(await phone.press('Yes')).toContain('Approve GHS 20.00');
  await untilNewest(till, 'initiated');
  expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 0 });
});

test('a payment after a lapsed one that may still be paid is a duplicate', async () => {
  const till = await createShop({ service: { rail: { promptLifetimeMs: 3_600_000 } } });
  await dialAndConfirm(till);
  await untilNewest(till, 'initiated');
  await till.until(async () => (await storedCollections(till))[0]?.lapsed === 1, 600_000);
  const phone = createPayerPhone(till, payer);
  await dialToMenu(phone);
  await phone.press('My number');
  await phone.type('20');
  expect(await phone.press('Yes')).toMatch(question);
  expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 0 });
});

test('two sessions that confirm the question at once open one collection', async () => {
  const till = await createShop();
  await payOnce(till);
  const phones = channelNames.map((channel) => createPayerPhone(till, payer, channel));
  for (const phone of phones) {
    await dialToMenu(phone);
    // The second session finds the interrupted dialogue of the first one.
    if (phone.text().includes('your session was interrupted')) await phone.press('Start over');
    await phone.type('1', '20');
    await phone.press('Yes');
    expect(phone.text()).toMatch(question);
  }
  await till.clock.advance(2_500);
  const ends = await Promise.all(phones.map((phone) => phone.send(phone.keyOf('Yes'))));
  expect(ends.filter((text) => text.startsWith('Approve'))).toHaveLength(1);
  expect(ends.filter((text) => text.includes('is already waiting'))).toHaveLength(1);
  await till.clock.advance(30_000);
  expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
});

test('a duplicate of a payment before many newer ones is questioned, once', async () => {
  const till = await createShop({ timings: { duplicateWindowMs: 86_400_000, recentPaymentMs: 86_400_000 } });
  const phone = createPayerPhone(till, payer);
  const pay = async (amount: string) => {
    await phone.dial();
    if (phone.text().includes('New payment')) await phone.press('New payment');
    await phone.press('My number');
    if ((await phone.type(amount)).startsWith('Please type it again.')) await phone.type(amount);
    return phone.press('Yes');
  };
  for (let n = 0; n < 10; n++) {
    await pay(String(20 + n));
    await untilNewest(till, 'initiated');
    await approve(till);
    await untilNewest(till, 'paid');
  }
  expect(await pay('20')).toMatch(question);
  expect(await storedCollections(till)).toHaveLength(10);
  expect(await phone.press('No')).toBe('Cancelled. Nothing was paid.');
  await pay('20');
  expect(await phone.press('Yes')).toContain('Approve GHS 20.00');
  expect(await untilNewest(till, 'initiated')).toMatchObject({ goodsMinor: 2_000 });
  expect(await checkStatement(till)).toMatchObject({ pushes: 11 });
});
