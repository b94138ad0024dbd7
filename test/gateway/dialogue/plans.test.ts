import { expect, test } from 'vitest';
import type { Msisdn } from '../../../src/shared/msisdn.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import { createTill } from '../../kit/till.ts';
import { createBench, number } from '../collection/bench.ts';

const openOnly = expect.stringContaining(
  'collection_open_payer (merchant_id=? AND payer=? AND livemode=? AND requested_by=?',
);

/** The steps of a plan that read collections. */
const readsOf = (steps: readonly string[]) => steps.filter((step) => /\bcollection\b/.test(step));

test('a turn reads the turns of its session by their key, and no collection beside them', async () => {
  const till = await createTill();
  const plans = await queryPlansOf(till.config.database.file, async () => {
    await till.restart();
    await till.pay('0244123456');
  });
  const history = plans.filter(({ sql }) => /max\("turn"\."sequence"\)|max\("sequence"\)/.test(sql));
  expect(history.length).toBe(1);
  expect(history.flatMap(({ steps }) => steps.filter((step) => /\bturn\b/.test(step)))).toEqual([
    expect.stringContaining('COVERING INDEX turn_request (channel=? AND session=? AND dialler=?)'),
    expect.stringContaining('INDEX turn_request (channel=? AND session=? AND dialler=? AND sequence>?)'),
  ]);
});

test('the last turn of a phone at a merchant is read from the recent turns of the phone', async () => {
  const till = await createTill();
  const plans = await queryPlansOf(till.config.database.file, async () => {
    await till.restart();
    await till.pay('0244123456');
  });
  const last = plans.filter(({ sql }) => /"dialler" = \? and "turn"."merchant_id" = \?/.test(sql));
  expect(last.map(({ steps }) => steps)).toEqual([
    ['SEARCH turn USING INDEX turn_phone (dialler=? AND at>?)'],
  ]);
});

test('a rejected collection finds the open one of its dialler in the same index', async () => {
  const { file, collections } = createBench();
  const key = {
    merchantId: 'demo-shop',
    livemode: 0,
    payer: number(1),
    dialler: number(2) as Msisdn,
  } as const;
  const plans = await queryPlansOf(file, () => collections.findOpen(key));
  expect(plans.map(({ steps }) => readsOf(steps))).toEqual([[openOnly]]);
});
