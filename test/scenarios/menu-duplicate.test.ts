import { expect, test } from 'vitest';
import { channelNames } from '../kit/callback.ts';
import {
  agree,
  askBook,
  decline,
  held,
  type Line,
  lineOf,
  openShop,
  other,
  payer,
  untilNewest,
} from '../kit/payers.ts';
import { approve } from '../kit/scenes.ts';
import type { Till } from '../kit/till.ts';

const question = /^You confirmed GHS 20\.00 to Demo Shop at 09:0\d\. Pay the same again\?/;

/** Twenty cedis that were paid. */
async function paid(till: Till): Promise<void> {
  await agree(till);
  await untilNewest(till, 'initiated');
  await approve(till);
  await untilNewest(till, 'paid');
}

/** Past the payment that is shown first, to the menu. */
async function dialToMenu(line: Line): Promise<void> {
  await line.dial();
  await line.press('New payment');
}

test.each(channelNames)(
  'on %s, the same again is asked about, and only another yes asks for it',
  async (channel) => {
    const till = await openShop();
    await paid(till);
    const line = lineOf(till, payer, channel);
    await dialToMenu(line);
    await line.press('My number');
    await line.type('20');
    const key = line.keyOf('Yes');
    expect(await line.press('Yes')).toMatch(question);
    expect([line.keyOf('Yes'), line.keyOf('No')]).not.toContain(key);
    expect(held(till)).toHaveLength(1);
    expect(await line.press('Yes')).toContain('Approve GHS 20.00');
    await untilNewest(till, 'initiated');
    await approve(till);
    await untilNewest(till, 'paid');
    expect(held(till).map(({ retryOf }) => retryOf)).toEqual([null, null]);
    expect(await askBook(till)).toMatchObject({ pushes: 2, chargedMinor: 4_040 });
  },
);

test.each(channelNames)('on %s, a no asks for nothing', async (channel) => {
  const till = await openShop();
  await paid(till);
  const line = lineOf(till, payer, channel);
  await dialToMenu(line);
  await line.press('My number');
  await line.type('20');
  await line.press('Yes');
  expect(await line.press('No')).toBe('Cancelled. Nothing was paid.');
  await till.clock.advance(60_000);
  expect(await askBook(till)).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
});

test.each(['africastalking', 'nalo', 'hubtel', 'wigal-v1'])(
  'on %s, copies of the first yes are no second one, however late they come',
  async (channel) => {
    const till = await openShop();
    await paid(till);
    const line = lineOf(till, payer, channel);
    await dialToMenu(line);
    await line.press('My number');
    await line.type('20');
    await line.press('Yes');
    expect(line.text()).toMatch(question);
    for (const ms of [0, 1_000, 2_500, 60_000]) {
      await till.clock.advance(ms);
      await Promise.all([line.repeat(), line.repeat()]);
      expect(held(till)).toHaveLength(1);
    }
    await till.clock.advance(60_000);
    expect(await askBook(till)).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
  },
);

test.each(['nalo', 'wigal-v1'])(
  'on %s, after an amount of 1 no key of the question is one of the last two, and copies of both agree to nothing',
  async (channel) => {
    const till = await openShop();
    await agree(till, payer, '1');
    await untilNewest(till, 'initiated');
    await approve(till);
    await untilNewest(till, 'paid');
    const line = lineOf(till, payer, channel);
    await dialToMenu(line);
    await line.press('My number');
    const confirm = await line.type('1');
    // The key of the menu may come again as the amount: it counts the second time.
    if (confirm.startsWith('Please type it again.')) await line.type('1');
    expect(line.keyOf('Yes')).toBe('7');
    expect(await line.press('Yes')).toContain('Pay the same again?');
    expect([line.keyOf('Yes'), line.keyOf('No')]).toEqual(['9', '2']);
    await till.clock.advance(2_500);
    for (const copy of ['1', '7']) {
      const text = await line.send(copy);
      expect(text).toContain('Pay the same again?');
      expect(held(till)).toHaveLength(1);
      await till.clock.advance(2_500);
    }
    expect(await line.press('Yes')).toContain('Approve GHS 1.00');
    await untilNewest(till, 'initiated');
    expect(held(till)).toHaveLength(2);
    expect(await askBook(till)).toMatchObject({ pushes: 2, chargedMinor: 110 });
  },
);

test.each(channelNames)('on %s, the second yes sent three times asks once', async (channel) => {
  const till = await openShop();
  await paid(till);
  const line = lineOf(till, payer, channel);
  await dialToMenu(line);
  await line.press('My number');
  await line.type('20');
  await line.press('Yes');
  await till.clock.advance(2_500);
  const [end, ...copies] = await Promise.all([line.send(line.keyOf('Yes')), line.repeat(), line.repeat()]);
  expect(copies).toEqual([end, end]);
  await untilNewest(till, 'initiated');
  expect(held(till)).toHaveLength(2);
  expect(await askBook(till)).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
});

test.each([
  [899_000, true],
  [901_000, false],
])('%i ms after the first yes the question is asked: %s', async (ms, isAsked) => {
  // Shown first for longer than that.
  const till = await openShop({ timings: { recentPaymentMs: 3_600_000 } });
  await agree(till);
  const { id } = await untilNewest(till, 'initiated');
  await approve(till);
  await untilNewest(till, 'paid');
  const { openedAt } = (await till.file(id)).collection;
  const line = lineOf(till, payer);
  await till.clock.advance(openedAt + ms - till.clock.now() - 15_000);
  await dialToMenu(line);
  await line.press('My number');
  await line.type('20');
  await till.clock.advance(openedAt + ms - till.clock.now() - 2_500);
  const text = await line.press('Yes');
  if (isAsked) expect(text).toMatch(question);
  else expect(text).toContain('Approve GHS 20.00');
  await till.clock.advance(30_000);
  expect(await askBook(till)).toMatchObject({ pushes: isAsked ? 1 : 2, chargedMinor: 2_020 });
});

test.each([
  ['another amount', ['1', '21'], 'Approve GHS 21.00'],
  ['a reference', ['3', 'INV-1234', '20'], 'Approve GHS 20.00'],
])('%s is another payment, and needs one yes', async (_, inputs, end) => {
  const till = await openShop();
  await paid(till);
  const line = lineOf(till, payer);
  await dialToMenu(line);
  await line.type(...inputs);
  expect(await line.press('Yes')).toContain(end);
  await untilNewest(till, 'initiated');
  expect(await askBook(till)).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
});

test('the same bill again is asked about, also in small letters, and another bill is not', async () => {
  const till = await openShop();
  const line = lineOf(till, payer);
  await line.dial();
  await line.type('3', 'INV-1234', '20');
  await line.press('Yes');
  await untilNewest(till, 'initiated');
  await approve(till);
  await untilNewest(till, 'paid');
  await dialToMenu(line);
  await line.type('3', 'inv-1234', '20');
  expect(await line.press('Yes')).toMatch(question);
  await line.press('No');
  await dialToMenu(line);
  await line.type('3', 'INV-1235', '20');
  expect(await line.press('Yes')).toContain('Approve GHS 20.00');
  await untilNewest(till, 'initiated');
  expect(await askBook(till)).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
});

test('it is the wallet that counts: another phone that asks the same payer for the same is asked too, and not told who paid', async () => {
  const till = await openShop();
  await paid(till);
  const line = lineOf(till, other);
  await line.dial();
  await line.type('2', payer, '20');
  expect(await line.press('Yes')).toMatch(
    /^GHS 20\.00 to Demo Shop was requested from 0244\*\*\*456 a short time ago\. Request it again\?/,
  );
  await till.clock.advance(30_000);
  expect(await askBook(till)).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
});

test('after one that was declined, nothing is asked: no money has moved', async () => {
  const till = await openShop();
  await agree(till);
  await untilNewest(till, 'initiated');
  await decline(till);
  await untilNewest(till, 'failed');
  const line = lineOf(till, payer);
  await dialToMenu(line);
  await line.press('My number');
  await line.type('20');
  expect(await line.press('Yes')).toContain('Approve GHS 20.00');
  await untilNewest(till, 'initiated');
  expect(await askBook(till)).toMatchObject({ pushes: 2, chargedMinor: 0 });
});

test('after one that may still be paid, it is', async () => {
  const till = await openShop({ service: { rail: { promptLifetimeMs: 3_600_000 } } });
  await agree(till);
  await untilNewest(till, 'initiated');
  await till.until(() => held(till)[0]?.lapsed === 1, 600_000);
  const line = lineOf(till, payer);
  await dialToMenu(line);
  await line.press('My number');
  await line.type('20');
  expect(await line.press('Yes')).toMatch(question);
  expect(await askBook(till)).toMatchObject({ pushes: 1, chargedMinor: 0 });
});

test('two sessions that both stand on the question and agree at once: one is asked for', async () => {
  const till = await openShop();
  await paid(till);
  const lines = channelNames.map((channel) => lineOf(till, payer, channel));
  for (const line of lines) {
    await dialToMenu(line);
    // The second finds the first one's dialogue cut off.
    if (line.text().includes('your session was interrupted')) await line.press('Start over');
    await line.type('1', '20');
    await line.press('Yes');
    expect(line.text()).toMatch(question);
  }
  await till.clock.advance(2_500);
  const ends = await Promise.all(lines.map((line) => line.send(line.keyOf('Yes'))));
  expect(ends.filter((text) => text.startsWith('Approve'))).toHaveLength(1);
  expect(ends.filter((text) => text.includes('is already waiting'))).toHaveLength(1);
  await till.clock.advance(30_000);
  expect(await askBook(till)).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
});

test('a payment behind many newer ones is asked about all the same, once', async () => {
  const till = await openShop({ timings: { duplicateWindowMs: 86_400_000, recentPaymentMs: 86_400_000 } });
  const line = lineOf(till, payer);
  const pay = async (amount: string) => {
    await line.dial();
    if (line.text().includes('New payment')) await line.press('New payment');
    await line.press('My number');
    if ((await line.type(amount)).startsWith('Please type it again.')) await line.type(amount);
    return line.press('Yes');
  };
  for (let n = 0; n < 10; n++) {
    await pay(String(20 + n));
    await untilNewest(till, 'initiated');
    await approve(till);
    await untilNewest(till, 'paid');
  }
  expect(await pay('20')).toMatch(question);
  expect(held(till)).toHaveLength(10);
  expect(await line.press('No')).toBe('Cancelled. Nothing was paid.');
  await pay('20');
  expect(await line.press('Yes')).toContain('Approve GHS 20.00');
  expect(await untilNewest(till, 'initiated')).toMatchObject({ goodsMinor: 2_000 });
  expect(await askBook(till)).toMatchObject({ pushes: 11 });
});
