import { expect, test } from 'vitest';
import { inSuspense, paidInFull } from '../kit/scenes.ts';
import { createTill, paidEvent } from '../kit/till.ts';

const payer = '0244123456';

test('S22: a payment that is approved after the payer may retry is booked as paid and marked late', async () => {
  const till = await createTill({ service: { rail: { promptLifetimeMs: 3_600_000 } } });
  await till.prompted();
  await till.until(async () => (await till.only(payer)).lapsedAt !== null, 600_000);
  expect(await till.only(payer)).toMatchObject({ status: 'initiated', closedAt: null });
  await till.clock.skip(30 * 60_000);
  const row = await till.approved();
  expect(row).toMatchObject({ late: 1, amountSource: 'webhook', review: null });
  expect(await till.booked(row.id)).toEqual(paidInFull);
  expect((await till.verify()).faults).toEqual([]);
});

test('S22: a late payment that a poll reports is marked late as well', async () => {
  const till = await createTill({ service: { rail: { promptLifetimeMs: 3_600_000 } } });
  till.loseWebhooks();
  await till.prompted();
  await till.until(async () => (await till.only(payer)).lapsedAt !== null, 600_000);
  expect(await till.approved(payer, 120_000)).toMatchObject({ late: 1, amountSource: 'quote' });
});

test.each([
  ['failed', 60_000],
  ['failed', 3 * 24 * 3_600_000],
  ['expired', 60_000],
  ['expired', 3 * 24 * 3_600_000],
])(
  'S22: the service reports %s, and %i ms later paid: the money goes into suspense, once',
  async (status, later) => {
    const till = await createTill();
    const row = await till.prompted();
    if (status === 'failed') await till.service.phone.decline((await till.prompt(payer)).id);
    await till.untilStatus(payer, status, 300_000);
    await till.clock.skip(later);
    await till.deliverHandled(paidEvent(row));
    expect(await till.only(payer)).toMatchObject({ status: 'review', review: `paid_while_${status}` });
    await till.deliverHandled(paidEvent(row, 'evt_again'));
    expect(await till.booked(row.id)).toEqual(inSuspense(2_020));
    expect((await till.verify()).faults).toEqual([]);
  },
);
