import { expect, test } from 'vitest';
import type { FeeSchedule } from '../../src/service/fee/schedule.ts';
import { createShop, payer } from '../kit/payers.ts';
import { createTill } from '../kit/till.ts';

const withFee = (ussd: FeeSchedule) => createTill({ service: { fees: { ussd } } });

/** Pays an amount without a shown fee, and returns the collection after a minute. */
async function pay(fee: FeeSchedule, amount: string) {
  const till = await withFee(fee);
  await till.pay(payer, ['1', amount, '1']);
  await till.clock.advance(60_000);
  return { till, row: await till.only(payer) };
}

test('without a shown fee, a total far above the price is never prompted, and the log has both amounts', async () => {
  const { till, row } = await pay({ basisPoints: 5_000 }, '20');
  expect(row).toMatchObject({ status: 'abandoned', reason: 'quote_fee_too_high', goodsMinor: 2_000 });
  expect(till.callsOf('initiate')).toBe(0);
  expect(await till.service.statement()).toMatchObject({ pushes: 0 });
  expect(till.alarms()).toEqual(['quote_fee_too_high']);
  expect(till.logged()).toMatch(/"priceMinor":2000,"totalMinor":3000/);
});

test.each([
  ['50 pesewas on a small price', { basisPoints: 0, fixedMinor: 50 }, '1.00', 150],
  ['2 % of the price', { basisPoints: 200 }, '100', 10_200],
  ['2 % of the price, rounded half up', { basisPoints: 200 }, '25.25', 2_576],
  ['GHS 10 on a large price', { basisPoints: 0, fixedMinor: 1_000 }, '2000', 201_000],
] satisfies [string, FeeSchedule, string, number][])(
  'without a shown fee, a fee of %s is prompted',
  async (_, fee, amount, totalMinor) => {
    const { row } = await pay(fee, amount);
    expect(row).toMatchObject({ status: 'initiated', amountMinor: totalMinor });
  },
);

test.each([
  ['51 pesewas on a small price', { basisPoints: 0, fixedMinor: 51 }, '1.00'],
  ['more than 2 % of the price', { basisPoints: 201 }, '100'],
  ['more than GHS 10 on a large price', { basisPoints: 0, fixedMinor: 1_001 }, '2000'],
] satisfies [string, FeeSchedule, string][])(
  'without a shown fee, a fee of %s is not prompted',
  async (_, fee, amount) => {
    const { row } = await pay(fee, amount);
    expect(row).toMatchObject({ status: 'abandoned', reason: 'quote_fee_too_high', initiateSends: 0 });
  },
);

test('a payment with a fee above the cap is not offered again, because it would end the same way', async () => {
  const { till } = await pay({ basisPoints: 5_000 }, '20');
  const screen = await till.pay(payer, []);
  expect(screen).toContain('New payment');
  expect(screen).not.toContain('Send prompt again');
});

test('a fee that the confirm screen has shown is prompted, whatever it is', async () => {
  const till = await createShop({ service: { fees: { ussd: { basisPoints: 5_000 } } } });
  const phone = till.phone(payer);
  await phone.dial();
  expect(await phone.type('1', '20')).toContain('total GHS 30.00');
  await phone.press('Yes');
  await till.untilNewest('initiated');
  expect(await till.only(payer)).toMatchObject({ shownTotalMinor: 3_000, amountMinor: 3_000 });
});

test('the limits of a fee that is not shown are configurable', async () => {
  const till = await createTill({
    service: { fees: { ussd: { basisPoints: 5_000 } } },
    configure: (config) => {
      config.fees = { maxPercent: 50, maxAmountMinor: 100_00, alwaysAllowedMinor: 0 };
    },
  });
  expect(await till.prompted()).toMatchObject({ amountMinor: 3_000 });
});
