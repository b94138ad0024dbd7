import { expect, test } from 'vitest';
import { aggregatorNames } from '../../src/aggregators/registry.ts';
import { createTill, payer } from '../kit/till.ts';

const inputs = ['1', '20', '1'];

test.each(aggregatorNames)(
  'S01: an immediate repeat of each request through %s gets the first answer byte for byte and advances nothing',
  async (channel) => {
    const till = await createTill();
    const session = till.session(payer, channel);
    const screens = ['Pay with this number', 'Amount in GHS', 'Pay GHS 20.00', 'Approve GHS 20.00'];
    for (const [typed, screen] of screens.entries()) {
      await till.clock.advance(2_500);
      const first = await session.send(inputs.slice(0, typed));
      expect(first.status).toBe(200);
      expect(first.body).toContain(screen);
      for (const later of [0, 1, 900]) {
        await till.clock.advance(later);
        expect(await session.send(inputs.slice(0, typed))).toEqual(first);
      }
    }
    const row = await till.only(payer);
    expect(row.goodsMinor).toBe(2_000);
    const { turns } = await till.record(row.id);
    expect(turns.map(({ input }) => input)).toEqual([null, ...inputs]);
    await till.untilStatus(payer, 'initiated');
    expect(till.calls.map(({ name }) => name)).toEqual(['create', 'initiate']);
    expect((await till.service.statement()).pushes).toBe(1);
  },
);
