import { expect, test } from 'vitest';
import type { TurnRow } from '../../../src/gateway/support/collection-query.ts';
import { transcriptOf } from '../../../src/gateway/support/transcript/transcript.ts';
import { opening, rowIn } from '../collection/support.ts';

const collection = rowIn('accepted');

/** The dialogue's turns: what was typed, the screen that came of it, and what the menu stored with it. */
function masked(...turns: { input: string | null; screen: string; state: object }[]): string {
  const rows = turns.map(
    ({ input, screen, state }, index): TurnRow => ({
      ...{ channel: 'till', session: 's-1', sequence: index + 1, dialogueId: 'dlg_1', merchantId: 'shop' },
      ...{
        dialler: opening.dialler,
        operator: 'mtn',
        position: null,
        payer: null,
        ussdRef: null,
        ending: null,
      },
      ...{ reply: 'continue', collectionId: null, at: opening.openedAt + index, input, screen },
      state: JSON.stringify(state),
    }),
  );
  return transcriptOf({ collection, turns: rows, opened: [], missing: new Set() }, {}, true);
}

test('a masked transcript names nobody whom a look-up named, alone or in a list, however a screen spells it', () => {
  const found = { student: 'Ama Serwaa', due: { amountMinor: 12_000 }, fees: [{ name: 'Hostel of Kofi' }] };
  const lookedUp = [
    { question: 'q', answer: 'not_found' },
    { question: 'r', answer: found },
  ];
  const text = masked(
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
  );
  expect(text).not.toMatch(/ama|serwaa|kofi/i);
  expect(text).toContain('Pay for MAS MASKED?');
  expect(text).toContain('1 Masked ma Mask');
  expect(text).toContain('Mas Masked owes GHS 120.00, not found');
  expect(text).toContain("- send: '120'");
});

test.each(['values', 'texts'])('what was typed for a text is masked, stored in %s as it may be', (name) => {
  const state = { answers: { [name]: { room: '12' } } };
  const text = masked(
    { input: null, screen: 'Room:', state: { answers: {} } },
    { input: '12', screen: 'Room 12: pay?', state },
  );
  expect(text).toContain("- send: '00'");
  expect(text).toContain('Room 00: pay?');
});

test('a key that chooses what is stored under the same digit stays a key', () => {
  const text = masked(
    { input: null, screen: 'Which class?\n1. Class 1\n2. Class 2', state: { answers: {} } },
    { input: '2', screen: 'Class 2: pay?', state: { answers: { values: { class: '2' } } } },
  );
  expect(text).toContain("- send: '2'");
  expect(text).toContain('Class 2: pay?');
});

test('an amount and a number that were looked up become others of the same size, wherever they are told', () => {
  const found = { due: { amountMinor: 12_050 }, left: { number: 1_234 }, none: { amountMinor: 0 } };
  const asked = { lookup: 'meter', dialler: opening.dialler, payer: opening.dialler, values: {} };
  const lookedUp = [{ question: JSON.stringify([null, { ...asked, reference: '14253647' }]), answer: found }];
  const text = masked(
    { input: null, screen: 'Meter, such as 10000001:', state: { answers: {} } },
    {
      input: '14253647',
      screen: 'Meter 14253647 owes GHS 120.50, one hundred and twenty, 1,234 or 1234 left, GHS 0.00',
      state: { answers: { reference: '14253647', values: found }, lookedUp },
    },
  );
  expect(text).toContain("- send: '10000001'");
  expect(text).toContain(
    'Meter 10000001 owes GHS 100.01, one hundred and twenty, 1,001 or 1001 left, GHS 0.00',
  );
  expect(text).toContain('due: 10001\n        left: 1001\n        none: 0\n');
  expect(text).toContain('reference: "10000001"\n');
  expect(text).not.toMatch(/14253647|120\.50|12050|1,?234/);
});
