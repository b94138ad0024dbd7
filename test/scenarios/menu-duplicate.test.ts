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

/** Twenty cedis that were paid. */
async function paid(till: Till): Promise<void> {
  await dialAndConfirm(till);
  await untilNewest(till, 'initiated');
  await approve(till);
  await untilNewest(till, 'paid');
}

/** Past the payment that is shown first, to the menu. */
async function dialToMenu(phone: PayerPhone): Promise<void> {
  await phone.dial();
  await phone.press('New payment');
}

test.each(channelNames)(
  'on %s, the same again is asked about, and only another yes asks for it',
  async (channel) => {
    const till = await createShop();
    await paid(till);
    const phone = createPayerPhone(till, payer, channel);
    await dialToMenu(phone);
    await phone.press('My number');
    await phone.type('20');
    const key = phone.keyOf('Yes');
    expect(await phone.press('Yes')).toMatch(question);
    expect([phone.keyOf('Yes'), phone.keyOf('No')]).not.toContain(key);
    expect(storedCollections(till)).toHaveLength(1);
    expect(await phone.press('Yes')).toContain('Approve GHS 20.00');
    await untilNewest(till, 'initiated');
    await approve(till);
    await untilNewest(till, 'paid');
    expect(storedCollections(till).map(({ retryOf }) => retryOf)).toEqual([null, null]);
    expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 4_040 });
  },
);

test.each(channelNames)('on %s, a no asks for nothing', async (channel) => {
  const till = await createShop();
  await paid(till);
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
  'on %s, copies of the first yes are no second one, however late they come',
  async (channel) => {
    const till = await createShop();
    await paid(till);
    const phone = createPayerPhone(till, payer, channel);
    await dialToMenu(phone);
    await phone.press('My number');
    await phone.type('20');
    await phone.press('Yes');
    expect(phone.text()).toMatch(question);
    for (const ms of [0, 1_000, 2_500, 60_000]) {
      await till.clock.advance(ms);
      await Promise.all([phone.repeat(), phone.repeat()]);
      expect(storedCollections(till)).toHaveLength(1);
    }
    await till.clock.advance(60_000);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
  },
);

test.each(['nalo', 'wigal-v1'])(
  'on %s, after an amount of 1 no key of the question is one of the last two, and copies of both agree to nothing',
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
    // The key of the menu may come again as the amount: it counts the second time.
    if (confirm.startsWith('Please type it again.')) await phone.type('1');
    expect(phone.keyOf('Yes')).toBe('7');
    expect(await phone.press('Yes')).toContain('Pay the same again?');
    expect([phone.keyOf('Yes'), phone.keyOf('No')]).toEqual(['9', '2']);
    await till.clock.advance(2_500);
    for (const copy of ['1', '7']) {
      const text = await phone.send(copy);
      expect(text).toContain('Pay the same again?');
      expect(storedCollections(till)).toHaveLength(1);
      await till.clock.advance(2_500);
    }
    expect(await phone.press('Yes')).toContain('Approve GHS 1.00');
    await untilNewest(till, 'initiated');
    expect(storedCollections(till)).toHaveLength(2);
    expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 110 });
  },
);

test.each(channelNames)('on %s, the second yes sent three times asks once', async (channel) => {
  const till = await createShop();
  await paid(till);
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
  expect(storedCollections(till)).toHaveLength(2);
  expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
});

test.each([
  [899_000, true],
  [901_000, false],
])('%i ms after the first yes the question is asked: %s', async (ms, isAsked) => {
  // Shown first for longer than that.
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
  if (isAsked) expect(text).toMatch(question);
  else expect(text).toContain('Approve GHS 20.00');
  await till.clock.advance(30_000);
  expect(await checkStatement(till)).toMatchObject({ pushes: isAsked ? 1 : 2, chargedMinor: 2_020 });
});

test.each([
  ['another amount', ['1', '21'], 'Approve GHS 21.00'],
  ['a reference', ['3', 'INV-1234', '20'], 'Approve GHS 20.00'],
])('%s is another payment, and needs one yes', async (_, inputs, end) => {
  const till = await createShop();
  await paid(till);
  const phone = createPayerPhone(till, payer);
  await dialToMenu(phone);
  await phone.type(...inputs);
  expect(await phone.press('Yes')).toContain(end);
  await untilNewest(till, 'initiated');
  expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
});

test('the same bill again is asked about, also in small letters, and another bill is not', async () => {
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

test('it is the wallet that counts: another phone that asks the same payer for the same is asked too, and not told who paid', async () => {
  const till = await createShop();
  await paid(till);
  const phone = createPayerPhone(till, other);
  await phone.dial();
  await phone.type('2', payer, '20');
  expect(await phone.press('Yes')).toMatch(
    /^GHS 20\.00 to Demo Shop was requested from 0244\*\*\*456 a short time ago\. Request it again\?/,
  );
  await till.clock.advance(30_000);
  expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
});

test('after one that was declined, nothing is asked: no money has moved', async () => {
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

test('after one that may still be paid, it is', async () => {
  const till = await createShop({ service: { rail: { promptLifetimeMs: 3_600_000 } } });
  await dialAndConfirm(till);
  await untilNewest(till, 'initiated');
  await till.until(() => storedCollections(till)[0]?.lapsed === 1, 600_000);
  const phone = createPayerPhone(till, payer);
  await dialToMenu(phone);
  await phone.press('My number');
  await phone.type('20');
  expect(await phone.press('Yes')).toMatch(question);
  expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 0 });
});

test('two sessions that both stand on the question and agree at once: one is asked for', async () => {
  const till = await createShop();
  await paid(till);
  const phones = channelNames.map((channel) => createPayerPhone(till, payer, channel));
  for (const phone of phones) {
    await dialToMenu(phone);
    // The second finds the first one's dialogue cut off.
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

test('a payment behind many newer ones is asked about all the same, once', async () => {
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
  expect(storedCollections(till)).toHaveLength(10);
  expect(await phone.press('No')).toBe('Cancelled. Nothing was paid.');
  await pay('20');
  expect(await phone.press('Yes')).toContain('Approve GHS 20.00');
  expect(await untilNewest(till, 'initiated')).toMatchObject({ goodsMinor: 2_000 });
  expect(await checkStatement(till)).toMatchObject({ pushes: 11 });
});
