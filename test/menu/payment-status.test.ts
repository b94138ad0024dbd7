import { describe, expect, test } from 'vitest';
import type { PaymentSummary } from '../../src/menu/state/state.ts';
import { shopMenu } from '../kit/shop-menu.ts';
import { converse, payment } from './conversation.ts';

/* An attendant asks whether a payment was paid. */

const menu = shopMenu();
const attendant = { isAttendant: true };
const customer = { isAttendant: false };
const ask = (inputs: string[], status?: PaymentSummary, from = attendant) =>
  converse(menu, inputs, { context: from, ...(status && { status }) });

test.each<[state: PaymentSummary['state'], screen: string]>([
  ['waiting', 'WAITING FOR PIN\nGHS 20.00 from 0244***456\nsince 10:00\nRef 4821 7362'],
  ['confirming', 'CONFIRMING\nGHS 20.00 from 0244***456\nat 10:00\nRef 4821 7362\nCheck again in a minute.'],
  ['paid', 'PAID\nGHS 20.00 from 0244***456\nat 10:00\nRef 4821 7362'],
  ['failed', 'NOT PAID\nGHS 20.00 from 0244***456\nat 10:00\nRef 4821 7362'],
  ['unknown', 'NOT YET KNOWN\nGHS 20.00 from 0244***456\nat 10:00\nRef 4821 7362\nCheck again later.'],
])('a payment that is %s', (state, screen) => {
  const { dialler } = payment;
  const status = { ...payment, state, dialler };
  const by = { isAttendant: true, dialler: '233277654321' as typeof dialler };
  expect(ask(['Paid?', '4821 7362'], status, by).reply).toEqual({ kind: 'end', text: screen });
  // A dialled suffix has no blanks.
  const history = { suffix: ['6', '48217362'] };
  expect(converse(menu, [], { context: by, history, status }).reply.text).toBe(screen);
});

const invalid = 'Invalid reference. Check the 8 digits.\nShort reference:\n0. Back';

test.each<[inputs: string[], kind: string, screen: string]>([
  [['Paid?'], 'continue', 'Short reference:\n0. Back'],
  [['Paid?', '48217363'], 'continue', invalid],
  [['Paid?', '1'], 'continue', invalid],
  [['Paid?', '1', '12', '123'], 'end', 'Too many invalid entries. Please dial again.'],
  [['Paid?', '00000000'], 'end', 'NOT FOUND\nNo payment has Ref 0000 0000.'],
])('%j: %s', (inputs, kind, screen) => {
  expect(ask(inputs).reply).toEqual({ kind, text: screen });
});

describe('a phone that is not an attendant', () => {
  test('sees no entry for it, and gets no status by its number or a dialled suffix', () => {
    expect(ask([], payment, customer).reply.text).not.toContain('Paid?');
    expect(ask(['6'], payment, customer).reply.text).toMatch(/^Invalid option\./);
    const history = { suffix: ['6', '48217362'] };
    const dialled = converse(menu, [], { context: customer, history, status: payment });
    expect(dialled.reply.text).toMatch(/^Invalid option\./);
  });

  test('gets none either on a screen from before it was removed from the attendants', () => {
    const { state } = ask(['Paid?']);
    const history = { interrupted: state };
    const resumed = converse(menu, ['Continue'], { context: customer, history, status: payment });
    expect(resumed.reply).toEqual({ kind: 'end', text: 'For attendants only.' });
  });
});
