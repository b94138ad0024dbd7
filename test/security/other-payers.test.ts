import { expect, test } from 'vitest';
import { addOtherShop, createShop, other } from '../kit/payers.ts';
import { rowsOf } from '../kit/size.ts';
import { payer, type Till } from '../kit/till.ts';

/*
 * A phone that neither pays nor requested a payment learns nothing about it. Each test lets a stranger dial with the same
 * inputs twice: at a merchant where the payer has a history, and at one where the payer has none. The screens are equal,
 * byte for byte, except for the short reference, which is random.
 */

const stranger = '0209876543';
const limits = { payer: { perHour: 2, perDay: 20 }, declines: { maxDeclines: 2, coolDownMs: 3_600_000 } };

const timings = { retryAllowedAfterMs: 200_000 };

async function pay(till: Till, dialler = payer): Promise<void> {
  const phone = till.phone(dialler);
  await phone.dial();
  if (phone.text().includes('New payment')) await phone.press('New payment');
  await phone.type(...(dialler === payer ? ['1', '20'] : ['2', payer, '20']));
  const text = await phone.press('Yes');
  if (text.includes('Pay the same again?')) await phone.press('Yes');
  await till.untilNewest('initiated');
}

const histories: Record<string, (till: Till) => Promise<void>> = {
  async paid(till) {
    await pay(till);
    await till.approve();
    await till.untilNewest('paid');
  },
  async declined(till) {
    await pay(till);
    await till.decline();
    await till.untilNewest('failed');
  },
  async expired(till) {
    await pay(till);
    await till.untilNewest('expired', 600_000);
  },
  async unknown(till) {
    await pay(till);
    await till.clock.skip(230_000);
  },
  async 'at the limit of own payments'(till) {
    await histories.paid?.(till);
    await histories.paid?.(till);
  },
  async 'paid at the request of another phone'(till) {
    await pay(till, other);
    await till.approve();
    await till.untilNewest('paid');
  },
};

const dials: Record<string, string[]> = {
  'a redial': [],
  'a request of the same amount': ['2', payer, '20', 'Yes'],
  'a request of another amount': ['2', payer, '21', 'Yes'],
  'a No': ['2', payer, '20', 'No'],
  'the screen about requests': ['4'],
  '"Paid?", which only attendants see': ['6'],
  'an invalid number': ['2', '12', '12', '12'],
};

async function screensOf(till: Till, inputs: readonly string[], channel: string): Promise<string[]> {
  const phone = till.phone(stranger, channel);
  const screens = [await phone.dial()];
  for (const input of inputs)
    screens.push(await (/^\d/.test(input) ? phone.type(input) : phone.press(input)));
  // A redial of the same phone shows its own request.
  screens.push(await phone.dial());
  return screens.map((text) =>
    text
      .replace(/\d{4} \d{4}/g, '<ref>')
      .replaceAll('Other Shop', '<shop>')
      .replaceAll('Demo Shop', '<shop>'),
  );
}

const pairs = Object.keys(histories).flatMap((history) =>
  Object.keys(dials).map((dial) => [history, dial] as const),
);

test.each(rowsOf(pairs, 4))(
  'a stranger sees the same for a payer with a payment that is %s as for one without: %s',
  async (history, dial) => {
    const till = await createShop({ limits, timings });
    await addOtherShop(till);
    await histories[history]?.(till);
    const inputs = dials[dial] ?? [];
    const known = await screensOf(till, inputs, 'nalo');
    await till.clock.skip(24 * 3_600_000);
    const unknown = await screensOf(till, inputs, 'other-shop');
    expect(known).toEqual(unknown);
  },
);

const reasons: Record<string, (till: Till) => Promise<void>> = {
  'has an open payment': pay,
  'has an open request': (till) => pay(till, other),
  async 'blocks requests'(till) {
    const phone = till.phone(payer);
    await phone.dial();
    await phone.press('Requests', 'Block requests');
  },
  async 'declined requests'(till) {
    for (let n = 0; n < 2; n++) {
      await pay(till, other);
      await till.decline();
      await till.untilNewest('failed');
    }
  },
  async 'was asked too often'(till) {
    for (let n = 0; n < 2; n++) {
      await pay(till, other);
      await till.approve();
      await till.untilNewest('paid');
    }
  },
};

test.each(Object.keys(reasons))(
  'the rejection of a request does not reveal that the payer %s',
  async (reason) => {
    const till = await createShop({ limits });
    await reasons[reason]?.(till);
    const phone = till.phone(stranger);
    await phone.dial();
    await phone.type('2', payer, '20');
    expect(await phone.press('Yes')).toBe(`Sorry, ${payer} cannot be asked to pay now. Nothing was paid.`);
  },
);
