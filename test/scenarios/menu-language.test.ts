import { expect, test } from 'vitest';
import {
  addOtherShop,
  checkStatement,
  createPayerPhone,
  createShop,
  other,
  payer,
  untilNewest,
} from '../kit/payers.ts';
import { approve } from '../kit/scenes.ts';
import { shopMenu } from '../kit/shop-menu.ts';

const menu = shopMenu({ languages: ['en', 'tw'] });
const languageChoice = 'Demo Shop\n1. English\n2. Twi';

test('the language is asked for once and remembered for the next dial on every channel', async () => {
  const till = await createShop({ menu });
  const phone = createPayerPhone(till, payer);
  expect(await phone.dial()).toBe(languageChoice);
  await phone.press('Twi');
  await phone.type('2', '12');
  expect(phone.text()).toContain('Number no nye.');
  await phone.type('0');
  expect(await createPayerPhone(till, payer, 'nalo').dial()).toMatch(/^Demo Shop\n1\. My number/);
  await till.clock.skip(86_400_000);
  await till.restart();
  await phone.dial();
  expect(await phone.type('9')).toMatch(/^San paw bio\./);
  expect(await createPayerPhone(till, other).dial()).toBe(languageChoice);
});

test('a payer whose session was interrupted on the language screen sees it again', async () => {
  const till = await createShop({ menu });
  const phone = createPayerPhone(till, payer);
  await phone.dial();
  await till.clock.advance(2_500);
  expect(await phone.dial()).toBe(languageChoice);
});

test('a language chosen inside the menu applies from the next screen on and is remembered', async () => {
  const till = await createShop({ menu });
  const phone = createPayerPhone(till, payer);
  await phone.dial();
  await phone.press('English', 'Change language');
  expect(await phone.type('9')).toMatch(/^San paw bio\./);
  await phone.dial();
  expect(await phone.type('9')).toMatch(/^San paw bio\./);
});

test('each merchant has its own remembered language', async () => {
  const till = await createShop({ menu });
  await addOtherShop(till);
  const phone = createPayerPhone(till, payer);
  await phone.dial();
  await phone.press('Twi');
  const otherShop = createPayerPhone(till, payer, 'other-shop');
  expect(await otherShop.dial()).toBe('Other Shop\n7. English\n8. Twi');
  await otherShop.press('English');
  await phone.dial();
  expect(await phone.type('9')).toMatch(/^San paw bio\./);
});

test('the recent payment on a redial is shown in the chosen language', async () => {
  const till = await createShop({ menu });
  const phone = createPayerPhone(till, payer);
  await phone.dial();
  await phone.press('Twi', 'My number');
  await phone.type('20');
  await phone.press('Aane');
  await untilNewest(till, 'initiated');
  expect(await phone.dial()).toContain('GHS 20.20 ma Demo Shop retwen 0244123456 PIN.');
  await approve(till);
  await untilNewest(till, 'paid');
  expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
});

test('a resumed dialogue continues in its own language', async () => {
  const till = await createShop({ menu });
  const phone = createPayerPhone(till, payer);
  await phone.dial();
  await phone.press('Twi', 'My number');
  await phone.dial();
  expect(phone.text()).toContain('wo session twae');
  await phone.press('Toa so');
  await phone.type('20');
  expect(phone.text()).toContain('Aane');
  expect(await checkStatement(till)).toMatchObject({ pushes: 0 });
});

test('a direct-dial string uses the default language and skips the language screen', async () => {
  const till = await createShop({ menu });
  expect(await createPayerPhone(till, payer).dial('1', '20')).toContain(
    'Pay GHS 20.00 to Demo Shop from 0244123456?',
  );
});

test.each(['nalo', 'wigal-v1'])(
  'on %s, no input from the language screen to the first answer is taken for a repeat',
  async (channel) => {
    const till = await createShop({ menu });
    const phone = createPayerPhone(till, payer, channel);
    expect(await phone.dial()).toBe('Demo Shop\n7. English\n8. Twi');
    expect(await phone.type('7')).toMatch(/^Demo Shop\n1\. My number/);
    expect(await phone.type('1')).toBe('Amount:\n0. Back');
  },
);

test.each([0, 2_000, 2_001, 60_000])(
  'a copy of the language choice after %i ms changes nothing, and the menu continues',
  async (later) => {
    const till = await createShop({ menu });
    const phone = createPayerPhone(till, payer, 'nalo');
    await phone.dial();
    await phone.type('8');
    await till.clock.advance(later);
    const copied = await phone.repeat();
    expect(copied).toMatch(/^(San kyerew bio\.\n)?Demo Shop\n1\. My number/);
    expect(copied.startsWith('San kyerew bio.')).toBe(later > 2_000);
    await phone.type('1', '20');
    expect(phone.text()).toContain('Pay GHS 20.00 to Demo Shop');
    expect(phone.text()).toContain('1. Aane');
    expect(await checkStatement(till)).toMatchObject({ pushes: 0 });
  },
);
