import { expect, test } from 'vitest';
import { createTill } from '../kit/till.ts';

test.each(['africastalking', 'nalo'] as const)(
  'a payer dials through %s, approves, and is booked once',
  async (channel) => {
    const till = await createTill();
    const end = await till.pay('0244123456', ['1', '20', '1'], channel);
    expect(end).toMatch(/Approve GHS 20.00 to Demo Shop/);
    await till.untilStatus('0244123456', 'initiated');
    const row = await till.approved();
    expect(row).toMatchObject({
      amountMinor: 2020,
      feeMinor: 20,
      netMinor: 2000,
      amountSource: 'webhook',
      late: 0,
    });
    const { postings } = await till.record(row.id);
    expect(postings.map(({ account, amountMinor }) => [account, amountMinor])).toEqual([
      ['payers', -2020],
      ['merchant:demo-shop', 2000],
      ['service_fees', 20],
    ]);
    // One poll confirms the payment that the event reported.
    await till.until(async () => (await till.only(row.id)).confirmedAt !== null, 2_000);
    expect(till.calls.map((call) => call.name)).toEqual(['create', 'initiate', 'status']);
    expect((await till.verify()).faults).toEqual([]);
  },
);
