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

test('a turn reads its open collection by the index of open collections, however many a phone has requested', async () => {
  const till = await createTill();
  const plans = await queryPlansOf(till.config.database.file, () => till.restart());
  expect(plans.length).toBeGreaterThan(0);
  const turns = await queryPlansOf(till.config.database.file, () => till.pay('0244123456'));
  const history = turns.filter(({ sql }) => /from "turn" left join "collection"/.test(sql));
  expect(history.map(({ steps }) => readsOf(steps))).toEqual([[openOnly]]);
});

test('the last turn of a phone at a merchant is one entry of an index, however often it dialled others', async () => {
  const till = await createTill();
  const plans = await queryPlansOf(till.config.database.file, async () => {
    await till.restart();
    await till.pay('0244123456');
  });
  const last = plans.filter(({ sql }) => /"dialler" = \? and "turn"."merchant_id" = \?/.test(sql));
  expect(last.map(({ steps }) => steps)).toEqual([
    ['SEARCH turn USING INDEX turn_dialler (dialler=? AND merchant_id=?)'],
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
