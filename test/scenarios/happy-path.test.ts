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

test('each claim reads its collection once, and each answer is one batch', async () => {
  const reads: string[] = [];
  const batches: string[] = [];
  const till = await createTill({
    wrapStore: (store) => ({
      ...store,
      query(sql, args, result) {
        const table = /from "(collection|unplaced_payment)" where \(?"\1"\."(id|session_id)" = \?/.exec(sql);
        if (table?.[1]) reads.push(`${table[1]} by ${table[2]}`);
        return store.query(sql, args, result);
      },
      apply(batch, signal) {
        batches.push(batch.map(({ sql }) => /(?:update|insert into) "(\w+)"/.exec(sql)?.[1]).join());
        return store.apply(batch, signal);
      },
    }),
  });
  await till.pay('0244123456', ['1', '20', '1'], 'africastalking');
  await till.untilStatus('0244123456', 'initiated');
  const row = await till.approved();
  await till.until(async () => (await till.only(row.id)).confirmedAt !== null, 2_000);
  const [create, prompt, poll] = Array.from({ length: 3 }, () => 'collection by id');
  const event = ['collection by session_id', 'unplaced_payment by session_id'];
  expect(reads).toEqual([create, prompt, ...event, poll]);
  const opened = batches.findIndex((tables) => tables.startsWith('turn,collection'));
  const after = batches.slice(opened + 1).filter((tables) => /^(collection|inbox)/.test(tables));
  const claim = 'collection';
  expect(after).toEqual([
    ...[claim, 'collection,fact,inbox'],
    ...[claim, 'collection,fact,collection', 'collection,fact'],
    ...['inbox', 'collection,fact,posting,posting,posting,inbox'],
    ...[claim, 'collection,fact'],
  ]);
});
