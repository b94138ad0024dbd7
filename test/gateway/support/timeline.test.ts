import { describe, expect, test } from 'vitest';
import type { CollectionRow } from '../../../src/gateway/collection/collection.ts';
import type { TurnRow } from '../../../src/gateway/support/collection-query.ts';
import { timeline } from '../../../src/gateway/support/timeline.ts';
import { endings } from '../../../src/shared/ussd.ts';

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

function told(...turns: TurnRow[]): string[] {
  const rest = { retriedAs: null, facts: [], postings: [], events: [] };
  const file = { collection: {} as CollectionRow, turns, ...rest };
  return timeline(file).map(({ at: when, kind, text }) => `${when - at} ${kind}: ${text}`);
}

describe('what the timeline tells of a turn', () => {
  test('a dial, a key, and the last screen, which is marked as one', () => {
    const typed = turn({ sequence: 2, input: '20', screen: 'Approve it.', reply: 'end', at: at + 5 });
    expect(told(turn({}), typed)).toEqual([
      '0 payer: dialled',
      '0 screen: Amount in GHS',
      '5 payer: typed 20',
      '5 screen: Approve it. (END)',
    ]);
  });

  test('a reference by which the aggregator knows the request stands with what was done', () => {
    const typed = turn({ sequence: 2, input: '1', ussdRef: 'a820', at: at + 5 });
    expect(told(turn({ ussdRef: 'a81f' }), typed)).toEqual([
      "0 payer: dialled (aggregator's reference a81f)",
      '0 screen: Amount in GHS',
      "5 payer: typed 1 (aggregator's reference a820)",
      '5 screen: Amount in GHS',
    ]);
  });

  test.each(endings)(
    'that the session is over (%s) is one line: no key was pressed, and no screen seen',
    (ending) => {
      const last = { screen: 'Approve it.', reply: 'end', ussdRef: 'a820' } as const;
      const agreed = turn({ ...last, input: '1' });
      const notice = turn({ ...last, sequence: 2, ending, at: at + 7 });
      expect(told(agreed, notice)).toEqual([
        "0 payer: typed 1 (aggregator's reference a820)",
        '0 screen: Approve it. (END)',
        `7 notice: the network says: session ${ending}`,
      ]);
    },
  );
});
