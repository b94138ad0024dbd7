import { describe, expect, test } from 'vitest';
import { menuSchema } from '../../src/menu/schema.ts';
import { listAnswerLabels, listPaymentAnswers } from '../../src/menu/state/payment-answers.ts';
import type { Values } from '../../src/menu/text/format.ts';
import { amountMinor } from '../../src/shared/money.ts';
import { findingsOf } from './prove-support.ts';
import { loadText } from './support.ts';

// cspell:ignore mpin

/** A menu with one question for each name, or with an option that sets the values. */
function menuOf(
  asked: Record<string, string | Record<string, string>>,
  { set = {}, answers = {} }: { set?: object; answers?: object } = {},
) {
  const screens = Object.entries(asked).map(([name, text], at) => [
    `ask${at}`,
    { kind: 'ask', answer: 'text', name, text, to: 'done' },
  ]);
  const options = [
    { label: 'One', set: { values: set }, to: 'done' },
    { label: 'Two', set: { payer: 'own' }, to: 'done' },
    { label: 'Three', to: 'done' },
  ];
  return menuSchema.parse({
    ...{ languages: ['en'], start: 'first', answers },
    screens: {
      ...Object.fromEntries(screens),
      first: { kind: 'choose', text: 'Which?', options },
      find: { kind: 'lookup', url: '/x', take: { pupil: { text: 20 } }, found: 'done' },
      done: { kind: 'end', text: 'Done.' },
    },
  });
}

const answersIn = (menu: ReturnType<typeof menuOf>, values: Values) => listPaymentAnswers(menu, { values });

describe('the answers of a payment', () => {
  test('are what the payer typed and chose, not what a lookup returned, with the labels of the menu', () => {
    const menu = menuOf({ student_id: 'Student?' }, { set: { class: 'JHS 1' }, answers: { class: 'Form' } });
    const values = { student_id: 'A7', pupil: 'Ama', class: 'JHS 1', unknown: 'x' };
    expect(answersIn(menu, values)).toEqual([
      { name: 'student_id', label: 'Student id', value: 'A7' },
      { name: 'class', label: 'Form', value: 'JHS 1' },
    ]);
  });

  test('are texts: amounts in cedis, numbers in digits; a blank and a list are none', () => {
    const menu = menuOf({ due: '?', seats: '?', blank: '?', list: '?' });
    const values = {
      due: { amountMinor: amountMinor(2050) },
      seats: { number: 3 },
      blank: ' ',
      list: [{ a: 'b' }],
    };
    expect(answersIn(menu, values).map(({ value }) => value)).toEqual(['GHS 20.50', '3']);
  });

  test('are at most 20, of at most 64 characters, and an omission is marked', () => {
    const names = Array.from({ length: 23 }, (_, at) => `n${at}`);
    const menu = menuOf(Object.fromEntries(names.map((name) => [name, 'What?'])));
    const given = (count: number, length: number) =>
      answersIn(menu, Object.fromEntries(names.slice(0, count).map((name) => [name, 'x'.repeat(length)])));
    expect(given(20, 64).map(({ value }) => value)).toEqual(Array.from({ length: 20 }, () => 'x'.repeat(64)));
    const all = given(23, 65);
    expect(all).toHaveLength(21);
    expect(all[19]).toEqual({ name: 'n19', label: 'N19', value: `${'x'.repeat(63)}…` });
    expect(all.at(-1)).toEqual({ name: '(more)', label: 'More answers', value: '3 not kept' });
  });

  test.each(['pin', 'mpin', 'momo_pin', 'pin2', 'password', 'user-password', 'otp', 'cvv', 'secret_word'])(
    'have no value of the name %s',
    (name) => {
      expect(answersIn(menuOf({ [name]: 'What?' }), { [name]: '4321' })).toEqual([]);
      expect(answersIn(menuOf({}, { set: { [name]: 'a' } }), { [name]: 'a' })).toEqual([]);
    },
  );

  test.each([
    'Your MoMo PIN:',
    'Enter the password',
    'One-time code?',
    'CVV',
    { en: 'Code?', tw: 'Wo PIN?' },
  ])('have no answer to %j', (text) => {
    expect(answersIn(menuOf({ code: text }), { code: '4321' })).toEqual([]);
    const copied = menuOf({ code: text }, { set: { note: 'It is {code}' }, answers: { code: 'Code' } });
    expect(answersIn(copied, { note: 'It is 4321', code: '4321' })).toEqual([]);
  });

  test('of names and words that only contain PIN are kept', () => {
    const menu = menuOf({ spine: 'Opinion on shipping?', pinnacle: 'Which?' });
    expect(answersIn(menu, { spine: 'a', pinnacle: 'b' })).toHaveLength(2);
  });

  test('have no answer that the menu keeps out, and none of the names of objects', () => {
    const menu = menuOf({ note: 'A note?', constructor: 'Who built it?' }, { answers: { note: false } });
    expect(answersIn(menu, { note: 'x', constructor: 'y' })).toEqual([
      { name: 'constructor', label: 'Constructor', value: 'y' },
    ]);
  });
});

test('a name is its own label, a screen with an error has none, and the labels of a menu are computed once', () => {
  const { screens } = menuOf({ 'parent-_id_': 'Which?' });
  const menu = { screens: { ...screens, broken: undefined } };
  expect([...listAnswerLabels(menu)]).toEqual([['parent-_id_', 'Parent id']]);
  expect(listAnswerLabels(menu)).toBe(listAnswerLabels(menu));
});

test('a label of a name that no screen asks for or sets is an error, with the names of the menu', () => {
  const text = (name: string) => `languages: [en]
start: first
answers: { ${name}: Class }
screens:
  first: { kind: ask, answer: amount, min: "1.00", max: "5.00", text: Amount?, to: class }
  class: { kind: ask, answer: text, name: class, text: Class?, to: confirm }
  confirm: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: Done. }
`;
  expect(loadText(text('class')).ok).toBe(true);
  expect(loadText(text('form'))).toMatchObject({
    ok: false,
    errors: [{ line: 3, message: 'expected a name that a screen asks for or sets: class' }],
  });
});

test('menu check reports a question for a PIN or a password', () => {
  const found = findingsOf(`languages: [en]
start: amount
screens:
  amount: { kind: ask, answer: amount, min: "1.00", max: "5.00", text: Amount?, to: code }
  code: { kind: ask, answer: text, name: code, text: Your PIN?, to: note }
  note: { kind: ask, answer: text, name: note, text: A note?, to: confirm }
  confirm: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: Approve with your PIN. }
`);
  expect(found).toEqual([expect.stringMatching(/^5 code {2}secret: expected no question for a PIN/)]);
});
