import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { loadMenu } from '../../src/menu/file/load.ts';
import { formatFileErrors } from '../../src/shared/yaml.ts';
import { cpuMsOf } from '../kit/size.ts';
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

/** Returns line, path and message of every error. */
function errorsOf(text: string): string[] {
  const loaded = loadText(text);
  if (loaded.ok) return [];
  const errors = loaded.errors.map((error) => ({ ...error, file: basename(error.file) }));
  return formatFileErrors(errors)
    .replaceAll(/^menu\.yaml:(\d+)(:\d+)?/gm, '$1')
    .split('\n');
}

test('a valid menu loads', () => {
  expect(errorsOf(good)).toEqual([]);
});

const ask = (answer: string) => `    kind: ask\n    answer: ${answer}\n`;
const patternExpected =
  'expected a regular expression in RE2 syntax, without lookaheads, lookbehinds and backreferences';
const table: [what: string, from: string | RegExp, to: string, errors: string[]][] = [
  [
    'no start',
    'start: amount\n',
    '',
    ['1 start: expected the name of a screen, or a list of conditions with one'],
  ],
  [
    'a misspelt key in a list of branches',
    'to: confirm',
    'to:\n      - wen: { payer: own }\n        to: confirm\n      - confirm',
    ['11 screens.amount.to[0].wen: unknown key: did you mean when?'],
  ],
  [
    'faults inside a list of branches',
    'to: confirm',
    'to:\n      - when: { payer: mine }\n        to: confirm\n      - when: { value: amount }\n        to: Bad\n      - 5',
    [
      '11 screens.amount.to[0].when.payer: expected one of own, other',
      '13 screens.amount.to[1].when: expected value together with known, is, not, above, below, atLeast or atMost',
      '14 screens.amount.to[1].to: expected a name of lower-case letters, digits, _ and -',
      '15 screens.amount.to[2]: expected the name of a screen, or when and to',
    ],
  ],
  [
    'a route to an unknown screen',
    'to: confirm',
    'to: confrim',
    ['10 screens.amount.to: expected the name of a screen: amount, confirm, done, found confrim'],
  ],
  [
    'a text without one of the languages',
    '{ en: Amount, tw: Sika }',
    '{ en: Amount }',
    ['9 screens.amount.text: expected a text in tw too'],
  ],
  [
    'an empty list of languages',
    'languages: [en, tw]',
    'languages: []',
    ['1 languages[0]: expected a language code such as en'],
  ],
  [
    'a confirm screen reached without an amount',
    ask('amount'),
    ask('msisdn'),
    ['7 screens.amount.min: unknown key', '8 screens.amount.max: unknown key'],
  ],
  [
    'a route to a confirm screen without an amount',
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
    'an unknown placeholder',
    'Pay {amount}?',
    'Pay {amount} {amuont}?',
    [
      '13 screens.confirm.text: expected no {amuont} here; known: merchant, amount, amount_words, payer, network, reference, short_reference, fee, total, charge, approvals',
    ],
  ],
  ...['Платить {amount}?', 'دفع {amount}', 'Pay {amount}? 🙏'].map((text): (typeof table)[number] => [
    `characters that handsets do not show: ${text}`,
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
    [
      '7 screens.amount.min: expected an amount in quotes, such as "1.00", or the name of one, such as "{due}" or "{due}/2"',
    ],
  ],
  [
    'an unknown kind of screen',
    'kind: end',
    'kind: stop',
    ['16 screens.done.kind: expected one of choose, ask, lookup, proxy, confirm, end, status, requests'],
  ],
  [
    'an unknown message',
    'start: amount',
    'start: amount\nmessages: { hello: Hi }',
    ['3 messages.hello: unknown key'],
  ],
  [
    'an empty list of options',
    /kind: ask[\s\S]*?to: confirm/,
    'kind: choose\n    text: Pick\n    options: []',
    ['7 screens.amount.options: expected at least one option'],
  ],
  [
    'an invalid pattern',
    /answer: amount[\s\S]*?"50.00"/,
    'answer: reference\n    pattern: "["\n    example: A',
    [
      `7 screens.amount.pattern: ${patternExpected}: missing closing ]`,
      '11 screens.confirm: expected an amount on the route amount > confirm',
    ],
  ],
];
test.each([
  ['a lookahead', '(?!0)\\d+', 'invalid or unsupported Perl syntax'],
  ['a lookbehind', '(?<=A)\\d+', 'invalid named capture'],
  ['a backreference', '(A)\\1', 'invalid escape sequence'],
  ['a count above 1000', 'A{1001}', 'invalid repeat count'],
  ['a pattern that is too large', '(\\w?){1000}', 'too many repetitions'],
])('a pattern with %s is rejected with its position', (_, pattern, reason) => {
  const question = `answer: reference\n    pattern: '${pattern}'\n    example: A`;
  const [error] = errorsOf(good.replace(/answer: amount[\s\S]*?"50.00"/, question));
  expect(error).toBe(`7 screens.amount.pattern: ${patternExpected}: ${reason}`);
});

test('a menu with thousands of screens is rejected before its screens are checked one by one', () => {
  const read = (count: number) => {
    const screens = Array.from({ length: count }, (_, i) => {
      return `  s${i}: { kind: choose, text: a, options: [{ label: b, to: s${i + 1} }] }\n`;
    });
    const text = `languages: [en]\nstart: s0\nscreens:\n${screens.join('')}  s${count}: { kind: end, text: Bye }\n`;
    expect(errorsOf(text)).toEqual(['3 screens: expected at most 500 screens']);
  };
  // The checks of 3,000 screens take 16 times as long as those of 750; the reading alone takes 4 times as long.
  expect(cpuMsOf(() => read(3_000)) / cpuMsOf(() => read(750))).toBeLessThan(10);
});

test.each(table)('a menu is rejected for %s', (_, from, to, errors) => {
  expect(good).toMatch(from);
  expect(errorsOf(good.replace(from, to))).toEqual(errors);
});

test.each(['Pay {amount} in GH₵?', 'Tua {amount} ma yɛn ŋutɔ', 'Payer “{amount}” à l’école'])(
  'the letters of a language are accepted: %s',
  (text) => {
    expect(errorsOf(good.replace('Pay {amount}?', text))).toEqual([]);
  },
);

test('all errors of a menu are reported together in the order of their lines', () => {
  const text = good
    .replace('tw: Sika }', '}')
    .replace('"50.00"', 'lots')
    .replace('Pay {amount}?', 'Pay?')
    .replace('to: done', 'to: gone')
    .concat('    extra: 1\nextra: 2\n');
  expect(errorsOf(text)).toEqual([
    '8 screens.amount.max: expected an amount in quotes, such as "1.00", or the name of one, such as "{due}" or "{due}/2"',
    '13 screens.confirm.text: expected {amount} in the text of a confirm screen',
    '14 screens.confirm.to: expected the name of a screen: amount, confirm, done, found gone',
    '18 screens.done.extra: unknown key',
    '19 extra: unknown key',
  ]);
});

test('a missing menu file is an error', () => {
  const loaded = loadMenu('nowhere/menu.yaml');
  expect(loaded.ok ? '' : formatFileErrors(loaded.errors)).toBe(
    'nowhere/menu.yaml:1: expected a readable file',
  );
});
