import { describe, expect, test } from 'vitest';
import {
  addOtherShop,
  checkStatement,
  createPayerPhone,
  createShop,
  decline,
  payer,
  storedCollections,
  untilNewest,
} from '../kit/payers.ts';
import { approve, deliverHandled } from '../kit/scenes.ts';
import { paidEvent, type Till } from '../kit/till.ts';

const attendant = '0277654321';
const attendantsOnly = 'For attendants only.';

/** Confirms a payment and returns the short reference on the payer's last screen. */
async function confirmPayment(till: Till): Promise<string> {
  const phone = createPayerPhone(till, payer);
  await phone.dial();
  await phone.type('1', '20');
  const end = await phone.press('Yes');
  await untilNewest(till, 'initiated');
  return /Ref (\d{4} \d{4})/.exec(end)?.[1] ?? '';
}

/** Returns the screen that an attendant gets for a reference. */
async function checkPayment(till: Till, reference: string, number = attendant): Promise<string> {
  const phone = createPayerPhone(till, number);
  await phone.dial();
  await phone.press('Paid?');
  return phone.type(reference);
}

const states: [string, RegExp, (till: Till) => Promise<unknown>][] = [
  ['waiting', /^WAITING FOR PIN\nGHS 20\.00 from 0244\*\*\*456\nsince 09:0\d\nRef/, async () => {}],
  [
    'reported as paid by an event that no poll has confirmed',
    /^CONFIRMING\nGHS 20\.00 from 0244\*\*\*456\nat 09:0\d\nRef \d{4} \d{4}\nCheck again in a minute\.$/,
    async (till) => deliverHandled(till, paidEvent(await till.only(payer))),
  ],
  [
    'paid',
    /^PAID\nGHS 20\.00 from 0244\*\*\*456\nat 09:0\d\nRef/,
    async (till) => {
      await approve(till);
      await untilNewest(till, 'paid');
      await till.until(async () => (await till.only(payer)).confirmedAt !== null);
    },
  ],
  [
    'declined',
    /^NOT PAID\nGHS 20\.00 from 0244\*\*\*456/,
    async (till) => {
      await decline(till);
      await untilNewest(till, 'failed');
    },
  ],
  [
    'lapsed',
    /^NOT YET KNOWN\n/,
    (till) => till.until(async () => (await storedCollections(till))[0]?.lapsed === 1, 600_000),
  ],
  [
    'under review',
    /^NOT YET KNOWN\n/,
    async (till) => {
      await decline(till);
      await untilNewest(till, 'failed');
      await deliverHandled(till, paidEvent(await till.only(payer)));
    },
  ],
];

describe('the payment status for an attendant', () => {
  test.each(states)('%s', async (_, expected, reach) => {
    const till = await createShop({
      attendants: [attendant],
      service: { rail: { promptLifetimeMs: 3_600_000 } },
    });
    const reference = await confirmPayment(till);
    await reach(till);
    const text = await checkPayment(till, reference);
    expect(text).toMatch(expected);
    expect(text).toContain(`Ref ${reference}`);
    expect(text).not.toContain('0244123456');
    // A dialled suffix has no blanks.
    const digits = reference.replace(' ', '');
    expect(await createPayerPhone(till, attendant).dial('6', digits)).toBe(text);
    expect(await createPayerPhone(till, attendant, 'nalo').dial('6', digits)).toBe(text);
    expect((await till.service.statement()).pushes).toBe(1);
  });

  test('a mistyped reference is reported as invalid, and a valid unknown one as no payment', async () => {
    const till = await createShop({ attendants: [attendant] });
    const digits = (await confirmPayment(till)).replace(' ', '');
    const phone = createPayerPhone(till, attendant);
    const wrong = `${digits.slice(0, 7)}${(Number(digits[7]) + 1) % 10}`;
    await phone.dial();
    await phone.press('Paid?');
    expect(await phone.type(wrong)).toMatch(/^Invalid reference\. Check the 8 digits\.\nShort reference:/);
    expect(await phone.type(digits)).toMatch(/^WAITING/);
    expect(await checkPayment(till, '00000000')).toBe('NOT FOUND\nNo payment has Ref 0000 0000.');
    expect(await checkStatement(till)).toMatchObject({ pushes: 1 });
  });

  test('three invalid references end the dialogue and reveal no payment', async () => {
    const till = await createShop({ attendants: [attendant] });
    const phone = createPayerPhone(till, attendant);
    await phone.dial();
    await phone.press('Paid?');
    for (const typed of ['1', '12']) await phone.type(typed);
    expect(await phone.type('123')).toBe('Too many invalid entries. Please dial again.');
  });

  test('a payment of another merchant is not found', async () => {
    const till = await createShop({ attendants: [attendant] });
    await addOtherShop(till);
    const digits = (await confirmPayment(till)).replace(' ', '');
    expect(await createPayerPhone(till, attendant, 'other-shop').dial('6', digits)).toContain('NOT FOUND');
    expect(await checkStatement(till)).toMatchObject({ pushes: 1 });
  });
});

test('a phone that is not an attendant sees no Paid? entry and gets no status, typed or by a direct-dial string', async () => {
  const till = await createShop({ attendants: [attendant] });
  const digits = (await confirmPayment(till)).replace(' ', '');
  const phone = createPayerPhone(till, '0244999888');
  expect(await phone.dial()).not.toContain('Paid?');
  expect(await phone.type('6')).toContain('Invalid option.');
  const dialled = await createPayerPhone(till, '0244999888', 'nalo').dial('6', digits);
  expect(dialled).not.toMatch(/PAID|WAITING|KNOWN/);
  expect(await checkStatement(till)).toMatchObject({ pushes: 1 });
});

test('a phone that is removed from the attendants during the dialogue gets no status', async () => {
  const till = await createShop({ attendants: [attendant] });
  const reference = await confirmPayment(till);
  const phone = createPayerPhone(till, attendant);
  await phone.dial();
  await phone.press('Paid?');
  till.config.merchants = till.config.merchants.map((one) => ({ ...one, attendants: [] }));
  await till.restart();
  expect(await phone.type(reference)).toBe(attendantsOnly);
  // A redial does not resume the question.
  await phone.dial();
  expect(phone.text()).not.toContain('Short reference');
});
