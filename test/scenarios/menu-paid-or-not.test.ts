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
const only = 'For attendants only.';

/** A payer's yes, and the short reference as the payer reads it. */
async function asked(till: Till): Promise<string> {
  const phone = createPayerPhone(till, payer);
  await phone.dial();
  await phone.type('1', '20');
  const end = await phone.press('Yes');
  await untilNewest(till, 'initiated');
  return /Ref (\d{4} \d{4})/.exec(end)?.[1] ?? '';
}

async function ask(till: Till, reference: string, number = attendant): Promise<string> {
  const phone = createPayerPhone(till, number);
  await phone.dial();
  await phone.press('Paid?');
  return phone.type(reference);
}

const states: [string, RegExp, (till: Till) => Promise<unknown>][] = [
  ['waiting', /^WAITING FOR PIN\nGHS 20\.00 from 0244\*\*\*456\nsince 09:0\d\nRef/, async () => {}],
  [
    'paid',
    /^PAID\nGHS 20\.00 from 0244\*\*\*456\nat 09:0\d\nRef/,
    async (till) => {
      await approve(till);
      await untilNewest(till, 'paid');
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
    'unanswered for long',
    /^NOT YET KNOWN\n/,
    (till) => till.until(() => storedCollections(till)[0]?.lapsed === 1, 600_000),
  ],
  [
    'with a person to look at it',
    /^NOT YET KNOWN\n/,
    async (till) => {
      await decline(till);
      await untilNewest(till, 'failed');
      await deliverHandled(till, paidEvent(await till.only(payer)));
    },
  ],
];

describe('an attendant asks whether it was paid', () => {
  test.each(states)('%s', async (_, told, come) => {
    const till = await createShop({
      attendants: [attendant],
      service: { rail: { promptLifetimeMs: 3_600_000 } },
    });
    const reference = await asked(till);
    await come(till);
    const text = await ask(till, reference);
    expect(text).toMatch(told);
    expect(text).toContain(`Ref ${reference}`);
    expect(text).not.toContain('0244123456');
    // Dialled along, with blanks left out as a dial has them.
    const digits = reference.replace(' ', '');
    expect(await createPayerPhone(till, attendant).dial('6', digits)).toBe(text);
    expect(await createPayerPhone(till, attendant, 'nalo').dial('6', digits)).toBe(text);
    expect((await till.service.statement()).pushes).toBe(1);
  });

  test('a digit that is wrong, or two swapped, is told as such, and another one as no payment', async () => {
    const till = await createShop({ attendants: [attendant] });
    const digits = (await asked(till)).replace(' ', '');
    const phone = createPayerPhone(till, attendant);
    const wrong = `${digits.slice(0, 7)}${(Number(digits[7]) + 1) % 10}`;
    await phone.dial();
    await phone.press('Paid?');
    expect(await phone.type(wrong)).toMatch(/^Invalid reference\. Check the 8 digits\.\nShort reference:/);
    expect(await phone.type(digits)).toMatch(/^WAITING/);
    expect(await ask(till, '00000000')).toBe('NO PAYMENT\nhas Ref 0000 0000.');
    expect(await checkStatement(till)).toMatchObject({ pushes: 1 });
  });

  test('three digits mistyped end it, and say nothing of any payment', async () => {
    const till = await createShop({ attendants: [attendant] });
    const phone = createPayerPhone(till, attendant);
    await phone.dial();
    await phone.press('Paid?');
    for (const typed of ['1', '12']) await phone.type(typed);
    expect(await phone.type('123')).toBe('Too many invalid entries. Please dial again.');
  });

  test("of another merchant's payment nothing is told", async () => {
    const till = await createShop({ attendants: [attendant] });
    await addOtherShop(till);
    const digits = (await asked(till)).replace(' ', '');
    expect(await createPayerPhone(till, attendant, 'other-shop').dial('6', digits)).toContain('NOT FOUND');
    expect(await checkStatement(till)).toMatchObject({ pushes: 1 });
  });
});

test('whoever is no attendant sees no Paid?, and is told nothing, typed or dialled along', async () => {
  const till = await createShop({ attendants: [attendant] });
  const digits = (await asked(till)).replace(' ', '');
  const phone = createPayerPhone(till, '0244999888');
  expect(await phone.dial()).not.toContain('Paid?');
  expect(await phone.type('6')).toContain('Invalid option.');
  const along = await createPayerPhone(till, '0244999888', 'nalo').dial('6', digits);
  expect(along).not.toMatch(/PAID|WAITING|KNOWN/);
  expect(await checkStatement(till)).toMatchObject({ pushes: 1 });
});

test('one who stops being an attendant in the middle of the question is told nothing', async () => {
  const till = await createShop({ attendants: [attendant] });
  const reference = await asked(till);
  const phone = createPayerPhone(till, attendant);
  await phone.dial();
  await phone.press('Paid?');
  till.config.merchants = till.config.merchants.map((one) => ({ ...one, attendants: [] }));
  await till.restart();
  expect(await phone.type(reference)).toBe(only);
  // Nor is the question gone on with after a redial.
  await phone.dial();
  expect(phone.text()).not.toContain('Short reference');
});
