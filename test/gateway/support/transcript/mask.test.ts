import { expect, test } from 'vitest';
import type { TurnRow } from '../../../../src/gateway/support/collection-query.ts';
import type { Missing } from '../../../../src/gateway/support/transcript/history-query.ts';
import { toTranscript } from '../../../../src/gateway/support/transcript/transcript.ts';
import { intent, rowIn } from '../../collection/support.ts';

const collection = rowIn('accepted');

type StoredTurn = { input: string | null; screen: string; state: object };

/** Returns the masked transcript of a dialogue with these turns. */
function mask(turns: readonly StoredTurn[], missing: readonly Missing[] = []): string {
  const rows = turns.map(
    ({ input, screen, state }, index): TurnRow => ({
      ...{ channel: 'till', session: 's-1', sequence: index + 1, dialogueId: 'dlg_1', merchantId: 'shop' },
      ...{ dialler: intent.dialler, operator: 'mtn', position: null, payer: null, ussdRef: null },
      ...{ ending: null, reply: 'continue', collectionId: null, at: intent.openedAt + index },
      ...{ input, screen, state: JSON.stringify(state) },
    }),
  );
  return toTranscript({ collection, turns: rows, opened: [], missing: new Set(missing) }, {}, true);
}

test('names in lookup answers are replaced, also in lists and on screens in upper case', () => {
  const found = { student: 'Ama Serwaa', due: { amountMinor: 12_000 }, fees: [{ name: 'Hostel of Kofi' }] };
  const lookedUp = [
    { key: 'q', answer: 'not_found' },
    { key: 'r', answer: found },
  ];
  const text = mask([
    { input: null, screen: 'Student number:', state: { answers: {} } },
    {
      input: '7',
      screen: 'Pay for AMA SERWAA?\n1 Hostel of Kofi',
      state: { answers: { values: found }, lookedUp },
    },
    {
      input: '120',
      screen: 'Ama Serwaa owes GHS 120.00, not found',
      state: { answers: { values: found, amountMinor: 12_000 }, lookedUp },
    },
  ]);
  expect(text).not.toMatch(/ama|serwaa|kofi/i);
  expect(text).toContain('Pay for MAS MASKED?');
  expect(text).toContain('1 Masked ma Mask');
  expect(text).toContain('Mas Masked owes GHS 120.00, not found');
  expect(text).toContain("- send: '120'");
});

test('an input of letters or of more than two digits is replaced, on screens too', () => {
  const text = mask([
    { input: null, screen: 'Room:', state: { answers: {} } },
    { input: 'B 117', screen: 'Room B 117: pay?', state: { answers: { values: { room: 'B 117' } } } },
    { input: '4711', screen: 'Invalid option.\nRoom B 117: pay?', state: { answers: {} } },
  ]);
  expect(text).not.toMatch(/117|4711/);
  expect(text).toContain("- send: 'M 000'");
  expect(text).toContain('Room M 000: pay?');
  expect(text).toContain("- send: '0000'");
});

test('keys, amounts and short numbers that the menu accepted stay', () => {
  const values = { class: '2', tickets: { number: 150 } };
  const text = mask([
    { input: null, screen: 'Which class?\n1. Class 1\n2. Class 2', state: { answers: {} } },
    { input: '2', screen: 'Tickets:', state: { answers: { values } } },
    { input: '150', screen: 'Amount:', state: { answers: { values } } },
    { input: '350.50', screen: 'Class 2, 150 tickets?', state: { answers: { values, amountMinor: 35_050 } } },
  ]);
  for (const input of ['2', '150', '350.50']) expect(text).toContain(`- send: '${input}'`);
  expect(text).toContain('Class 2, 150 tickets?');
});

test('a reference becomes the example of the screen, and a long number of a lookup keeps its first digit', () => {
  const found = { account: { number: 4_123_456 }, due: { amountMinor: 12_050 } };
  const asked = { lookup: 'meter', dialler: intent.dialler, payer: intent.dialler, values: {} };
  const lookedUp = [{ key: JSON.stringify([null, { ...asked, reference: '14253647' }]), answer: found }];
  const text = mask([
    { input: null, screen: 'Meter, such as 10000001:', state: { answers: {} } },
    {
      input: '14253647',
      screen: 'Meter 14253647, account 4,123,456 or 4123456, owes GHS 120.50',
      state: { answers: { reference: '14253647', values: found }, lookedUp },
    },
  ]);
  expect(text).toContain("- send: '10000001'");
  expect(text).toContain('Meter 10000001, account 4,000,000 or 4000000, owes GHS 120.50');
  expect(text).toContain('account: 4000000\n        due: 12050\n');
  expect(text).toContain('reference: "10000001"\n');
  expect(text).not.toMatch(/14253647|4,?123,?456/);
});

test('inputs of earlier dialogues that are not in the transcript are replaced', () => {
  const interrupted = { answers: { reference: 'KA1024', values: { giver: 'Abena' } } };
  const screen = 'Continue: KA1024 for Abena?\n1. Yes';
  const text = mask(
    [{ input: null, screen, state: { answers: {}, callerHistory: { interrupted } } }],
    ['resume'],
  );
  expect(text).toContain('Continue: MA0000 for Maske?');
});
