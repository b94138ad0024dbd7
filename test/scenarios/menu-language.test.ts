import { expect, test } from 'vitest';
import { addOtherShop, askBook, lineOf, openShop, other, payer, untilNewest } from '../kit/payers.ts';
import { approve } from '../kit/scenes.ts';
import { shopMenu } from '../kit/shop-menu.ts';

const menu = shopMenu({ languages: ['en', 'tw'] });
const which = 'Demo Shop\n1. English\n2. Twi';

test('a language is asked for once, and remembered on the next dial, on whatever channel', async () => {
  const till = await openShop({ menu });
  const line = lineOf(till, payer);
  expect(await line.dial()).toBe(which);
  await line.press('Twi');
  await line.type('2', '12');
  expect(line.text()).toContain('Number no nye.');
  await line.type('0');
  expect(await lineOf(till, payer, 'nalo').dial()).toMatch(/^Demo Shop\n1\. My number/);
  await till.clock.skip(86_400_000);
  await till.restart();
  await line.dial();
  expect(await line.type('9')).toMatch(/^San paw bio\./);
  expect(await lineOf(till, other).dial()).toBe(which);
});

test('a payer who was cut off on the question is asked again', async () => {
  const till = await openShop({ menu });
  const line = lineOf(till, payer);
  await line.dial();
  await till.clock.advance(2_500);
  expect(await line.dial()).toBe(which);
});

test('what is chosen inside the menu is remembered as well, and counts from the next screen on', async () => {
  const till = await openShop({ menu });
  const line = lineOf(till, payer);
  await line.dial();
  await line.press('English', 'Change language');
  expect(await line.type('9')).toMatch(/^San paw bio\./);
  await line.dial();
  expect(await line.type('9')).toMatch(/^San paw bio\./);
});

test("it is one merchant's alone", async () => {
  const till = await openShop({ menu });
  await addOtherShop(till);
  const line = lineOf(till, payer);
  await line.dial();
  await line.press('Twi');
  const there = lineOf(till, payer, 'other-shop');
  expect(await there.dial()).toBe('Other Shop\n7. English\n8. Twi');
  await there.press('English');
  await line.dial();
  expect(await line.type('9')).toMatch(/^San paw bio\./);
});

test('the payment that is shown first is told in the language of the last choice', async () => {
  const till = await openShop({ menu });
  const line = lineOf(till, payer);
  await line.dial();
  await line.press('Twi', 'My number');
  await line.type('20');
  await line.press('Aane');
  await untilNewest(till, 'initiated');
  expect(await line.dial()).toContain('GHS 20.20 ma Demo Shop retwen 0244123456 PIN.');
  await approve(till);
  await untilNewest(till, 'paid');
  expect(await askBook(till)).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
});

test('what was cut off goes on in its own language', async () => {
  const till = await openShop({ menu });
  const line = lineOf(till, payer);
  await line.dial();
  await line.press('Twi', 'My number');
  await line.dial();
  expect(line.text()).toContain('wo session twae');
  await line.press('Toa so');
  await line.type('20');
  expect(line.text()).toContain('Aane');
  expect(await askBook(till)).toMatchObject({ pushes: 0 });
});

test('dialled along, the menu answers in the first language, and nothing is asked between', async () => {
  const till = await openShop({ menu });
  expect(await lineOf(till, payer).dial('1', '20')).toContain('Pay GHS 20.00 to Demo Shop from 0244123456?');
});

test.each(['nalo', 'wigal-v1'])(
  'on %s, where repeats look like answers, nothing is held back on the way from the question to the first answer',
  async (channel) => {
    const till = await openShop({ menu });
    const line = lineOf(till, payer, channel);
    expect(await line.dial()).toBe('Demo Shop\n7. English\n8. Twi');
    expect(await line.type('7')).toMatch(/^Demo Shop\n1\. My number/);
    expect(await line.type('1')).toBe('Amount:\n0. Back');
  },
);

test.each([0, 2_000, 2_001, 60_000])(
  'a copy of the choice that comes %i ms late changes nothing, and the menu goes on',
  async (later) => {
    const till = await openShop({ menu });
    const line = lineOf(till, payer, 'nalo');
    await line.dial();
    await line.type('8');
    await till.clock.advance(later);
    const copied = await line.repeat();
    expect(copied).toMatch(/^(San kyerew bio\.\n)?Demo Shop\n1\. My number/);
    expect(copied.startsWith('San kyerew bio.')).toBe(later > 2_000);
    await line.type('1', '20');
    expect(line.text()).toContain('Pay GHS 20.00 to Demo Shop');
    expect(line.text()).toContain('1. Aane');
    expect(await askBook(till)).toMatchObject({ pushes: 0 });
  },
);
