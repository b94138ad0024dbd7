import { describe, expect, test } from 'vitest';
import type { CollectionRow } from '../../../src/gateway/collection/collection.ts';
import type { TurnRow } from '../../../src/gateway/support/collection-query.ts';
import { listCollections } from '../../../src/gateway/support/list-query.ts';
import type { CollectionFilter } from '../../../src/gateway/support/selection-query.ts';
import { timeline } from '../../../src/gateway/support/timeline.ts';
import { endings } from '../../../src/shared/ussd.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import { type Bench, createBench, number } from '../collection/bench.ts';

const at = Date.parse('2026-03-06T09:00:00Z');

const turn = (changed: Partial<TurnRow>): TurnRow => ({
  channel: 'till',
  session: 's-1',
  sequence: 1,
  dialogueId: 'dlg_1',
  merchantId: 'shop',
  dialler: '233244123456',
  operator: 'mtn',
  input: null,
  position: null,
  payer: null,
  ussdRef: null,
  ending: null,
  state: '{}',
  reply: 'continue',
  screen: 'Amount in GHS',
  collectionId: null,
  at,
  ...changed,
});

function entriesOf(...turns: TurnRow[]): string[] {
  const others = { retriedAs: null, facts: [], postings: [], events: [], charges: [], actions: [] };
  const record = { collection: {} as CollectionRow, turns, ...others };
  return timeline(record).map(({ at: when, kind, text }) => `${when - at} ${kind}: ${text}`);
}

describe('the timeline entries of a turn', () => {
  test('are the dial or the input, and the screen; the last screen is marked', () => {
    const second = turn({ sequence: 2, input: '20', screen: 'Approve it.', reply: 'end', at: at + 5 });
    expect(entriesOf(turn({}), second)).toEqual([
      '0 payer: dialled',
      '0 screen: Amount in GHS',
      '5 payer: entered 20',
      '5 screen: Approve it. (END)',
    ]);
  });

  test('include the reference of the aggregator for the request', () => {
    const second = turn({ sequence: 2, input: '1', ussdRef: 'a820', at: at + 5 });
    expect(entriesOf(turn({ ussdRef: 'a81f' }), second)).toEqual([
      "0 payer: dialled (aggregator's reference a81f)",
      '0 screen: Amount in GHS',
      "5 payer: entered 1 (aggregator's reference a820)",
      '5 screen: Amount in GHS',
    ]);
  });

  test.each(endings)('are one notice without input and screen when the session has ended (%s)', (ending) => {
    const last = { screen: 'Approve it.', reply: 'end', ussdRef: 'a820' } as const;
    const confirmed = turn({ ...last, input: '1' });
    const notice = turn({ ...last, sequence: 2, ending, at: at + 7 });
    expect(entriesOf(confirmed, notice)).toEqual([
      "0 payer: entered 1 (aggregator's reference a820)",
      '0 screen: Approve it. (END)',
      `7 notice: the aggregator reports: session ${ending}`,
    ]);
  });
});

test('the timeline entry of an action names its fields in words, and says when it was refused', () => {
  const detail = JSON.stringify({ outcome: 'accept', reference: null, why: 'another person must approve' });
  const action = {
    ...({ seq: 1, at: at + 3, actor: 'ama', action: 'approve', result: 'refused', detail } as const),
    ...{ subjectKind: 'collection', subjectId: 'col_1', merchantId: 'shop', livemode: 0 },
  };
  const others = { retriedAs: null, facts: [], postings: [], events: [], charges: [], turns: [] };
  const record = { collection: {} as CollectionRow, actions: [action], ...others };
  expect(timeline(record).map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    'support ama: approve: outcome: accept, why: another person must approve (refused)',
  ]);
});

async function openFailed(bench: Bench, merchantId: string, payer: number): Promise<void> {
  const { row, done } = await bench.open({ merchantId, payer: number(payer), dialler: number(payer) });
  expect(done).toBe(true);
  await bench.end(row, { status: 'failed', reason: 'declined' });
  await bench.clock.advance(1_000);
}

/** Returns what a list finds, and the indexes of collections that its page and its sum use. */
async function listed(bench: Bench, filter: CollectionFilter) {
  let ids: string[] = [];
  const plans = await queryPlansOf(bench.file, async () => {
    const page = await listCollections(bench.store, filter, { limit: 10 }, { maxRead: 2 });
    if (page !== 'unknown_cursor') ids = page.data.map(({ payer }) => payer);
  });
  const steps = plans
    .filter(({ sql }) => sql.includes('"collection"') && !sql.includes('offset'))
    .flatMap((plan) => plan.steps);
  const indexes = steps.flatMap((step) => /USING (?:COVERING )?INDEX (\w+)/.exec(step)?.[1] ?? []);
  return { ids, indexes: [...new Set(indexes)] };
}

test('a list by status and merchant reads the index of the one that few payments have', async () => {
  const bench = createBench();
  for (const payer of [1, 2, 3, 4]) await openFailed(bench, 'demo-shop', payer);
  await openFailed(bench, 'other-shop', 5);
  const { row } = await bench.open({ payer: number(6), dialler: number(6) });
  await bench.end(row, { status: 'review', review: 'amount_mismatch' });

  expect(await listed(bench, { status: 'review', merchantId: 'demo-shop' })).toEqual({
    ids: [number(6)],
    indexes: ['collection_closed'],
  });
  expect(await listed(bench, { status: 'failed', merchantId: 'other-shop' })).toEqual({
    ids: [number(5)],
    indexes: ['collection_merchant_opened'],
  });
});
