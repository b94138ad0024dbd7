import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { loadMenu } from '../../src/menu/file/load.ts';
import { formatFileErrors } from '../../src/shared/yaml.ts';
import { loadText } from './support.ts';

const good = `languages: [en, tw]
start: amount
screens:
  amount:
    kind: ask
    answer: amount
    min: "1.00"
    max: "50.00"
    text: { en: Amount, tw: Sika }
    to: confirm
  confirm:
    kind: confirm
    text: Pay {amount}?
    to: done
  done:
    kind: end
    text: "{approvals}"
`;

/** Line, path and message of every fault. */
function faultsOf(text: string): string[] {
  const loaded = loadText(text);
  if (loaded.ok) return [];
  const errors = loaded.errors.map((error) => ({ ...error, file: basename(error.file) }));
  return formatFileErrors(errors)
    .replaceAll(/^menu\.yaml:(\d+)(:\d+)?/gm, '$1')
    .split('\n');
}

test('a menu without faults loads', () => {
  expect(faultsOf(good)).toEqual([]);
});

const ask = (answer: string) => `    kind: ask\n    answer: ${answer}\n`;
const table: [what: string, from: string | RegExp, to: string, faults: string[]][] = [
  [
    'a start that names no screen',
    'start: amount',
    'start: begin',
    ['2 start: expected the name of a screen: amount, confirm, done'],
  ],
  ['no start', 'start: amount\n', '', ['1 start: expected a text, found nothing']],
  [
    'a link that names no screen',
    'to: confirm',
    'to: confrim',
    ['10 screens.amount.to: expected the name of a screen: amount, confirm, done'],
  ],
  [
    'a text without one of the languages',
    '{ en: Amount, tw: Sika }',
    '{ en: Amount }',
    ['9 screens.amount.text: expected a text in tw too'],
  ],
  [
    'a text in a language that the menu lacks',
    'tw: Sika }',
    'tw: Sika, ga: Shika }',
    ['9 screens.amount.text.ga: expected one of the languages'],
  ],
  [
    'no language',
    'languages: [en, tw]',
    'languages: []',
    ['1 languages[0]: expected a language code such as en'],
  ],
  ['a language twice', '[en, tw]', '[en, tw, en]', ['1 languages[2]: expected each language once']],
  [
    'a confirm screen reached without an amount',
    ask('amount'),
    ask('msisdn'),
    ['7 screens.amount.min: unknown key', '8 screens.amount.max: unknown key'],
  ],
  [
    'a way to a confirm screen past the amount',
    'start: amount',
    'start: confirm',
    [
      '4 screens.amount: expected a screen that leads here: add a route or remove this screen',
      '11 screens.confirm: expected an amount on the route confirm',
    ],
  ],
  [
    'a confirm screen that does not end',
    'to: done',
    'to: amount',
    [
      '4 screens.amount: expected a route from here to an end screen',
      '11 screens.confirm: expected a route from here to an end screen',
      '14 screens.confirm.to: expected the name of an end screen',
      '15 screens.done: expected a screen that leads here: add a route or remove this screen',
    ],
  ],
  [
    'a confirm screen that hides the amount',
    'Pay {amount}?',
    'Pay?',
    ['13 screens.confirm.text: expected {amount} in the text of a confirm screen'],
  ],
  [
    'a placeholder that nothing fills',
    'Pay {amount}?',
    'Pay {amount} {amuont}?',
    [
      '13 screens.confirm.text: expected no {amuont} here; known: merchant, amount, amount_words, payer, reference, short_reference, fee, total, charge, approvals',
    ],
  ],
  ...['Платить {amount}?', 'دفع {amount}', 'Pay {amount}? 🙏'].map((text): (typeof table)[number] => [
    `letters that handsets do not show: ${text}`,
    'Pay {amount}?',
    text,
    [
      '13 screens.confirm.text: expected letters that handsets show: no emoji, and no letters of other alphabets',
    ],
  ]),
  [
    'a number for an amount',
    '"1.00"',
    '1.00',
    ['7 screens.amount.min: expected an amount in quotes, such as "1.00"'],
  ],
  [
    'bounds the wrong way round',
    '"50.00"',
    '"0.50"',
    ['8 screens.amount.max: expected an amount not below min'],
  ],
  [
    'an unknown kind of screen',
    'kind: end',
    'kind: stop',
    ['16 screens.done.kind: expected one of choose, ask, lookup, confirm, end, status, requests'],
  ],
  [
    'an unknown message',
    'start: amount',
    'start: amount\nmessages: { hello: Hi }',
    ['3 messages.hello: unknown key'],
  ],
  [
    'a message with a foreign placeholder',
    'start: amount',
    'start: amount\nmessages:\n  invalidOption: "{payer}?"',
    ['4 messages.invalidOption: expected no {payer} here; known: none'],
  ],
  [
    'options that are empty',
    /kind: ask[\s\S]*?to: confirm/,
    'kind: choose\n    text: Pick\n    options: []',
    ['7 screens.amount.options: expected at least one option'],
  ],
  [
    'an option that changes to an unknown language',
    /kind: ask[\s\S]*?to: confirm/,
    'kind: choose\n    text: Pick\n    options:\n      - { label: A, set: { amount: "1.00" }, language: ga, to: confirm }',
    ['8 screens.amount.options[0].language: expected one of en, tw, or next'],
  ],
  [
    'a bad pattern',
    /answer: amount[\s\S]*?"50.00"/,
    'answer: reference\n    pattern: "["\n    example: A',
    [
      '7 screens.amount.pattern: expected a regular expression',
      '11 screens.confirm: expected an amount on the route amount > confirm',
    ],
  ],
  [
    'a pattern that could run for ever',
    /answer: amount[\s\S]*?"50.00"/,
    'answer: reference\n    pattern: (a+)+\n    example: a',
    [
      '7 screens.amount.pattern: expected no repeated groups',
      '11 screens.confirm: expected an amount on the route amount > confirm',
    ],
  ],
  [
    'an example that the pattern refuses',
    /answer: amount[\s\S]*?"50.00"/,
    'answer: reference\n    pattern: A\\d\n    example: B1',
    [
      '8 screens.amount.example: expected an example that the pattern accepts',
      '11 screens.confirm: expected an amount on the route amount > confirm',
    ],
  ],
];
test.each(table)('a menu is refused for %s', (_, from, to, faults) => {
  expect(good).toMatch(from);
  expect(faultsOf(good.replace(from, to))).toEqual(faults);
});

test.each(['Pay {amount} in GH₵?', 'Tua {amount} ma yɛn ŋutɔ', 'Payer “{amount}” à l’école'])(
  'letters that are written as the language is are no fault: %s',
  (text) => {
    expect(faultsOf(good.replace('Pay {amount}?', text))).toEqual([]);
  },
);

test('all faults of a menu come at once, in the order of their lines', () => {
  const text = good
    .replace('tw: Sika }', '}')
    .replace('"50.00"', 'lots')
    .replace('Pay {amount}?', 'Pay?')
    .replace('to: done', 'to: gone')
    .concat('    extra: 1\nextra: 2\n');
  expect(faultsOf(text)).toEqual([
    '8 screens.amount.max: expected an amount in quotes, such as "1.00"',
    '13 screens.confirm.text: expected {amount} in the text of a confirm screen',
    '14 screens.confirm.to: expected the name of a screen: amount, confirm, done',
    '18 screens.done.extra: unknown key',
    '19 extra: unknown key',
  ]);
});

test('a menu file that is not there is a fault', () => {
  const loaded = loadMenu('nowhere/menu.yaml');
  expect(loaded.ok ? '' : formatFileErrors(loaded.errors)).toBe(
    'nowhere/menu.yaml:1: expected a readable file',
  );
});
