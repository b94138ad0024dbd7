import { describe, expect, test } from 'vitest';
import { checkMenu } from '../../src/menu/check/check.ts';
import { collectNames, draftSchema, findKinds } from '../../src/menu/check/names.ts';
import { formatNames } from '../../src/menu/text/format.ts';
import { commonPlaceholders } from '../../src/menu/text/render.ts';

/* What the checks report about the parts of a menu, with the path of each problem. */

type Screens = Readonly<Record<string, object>>;

const choose = (...options: object[]) => ({ kind: 'choose', text: 'Which?', options });
const option = (more: object) => ({ label: 'One', to: 'amount', ...more });
const ask = (answer: string, more: object = {}) => ({
  kind: 'ask',
  answer,
  text: '?',
  to: 'amount',
  ...more,
});
const amount = ask('amount', { min: '1.00', max: '5.00', to: 'confirm' });
const confirm = { kind: 'confirm', text: 'Pay {amount}?', to: 'done' };
const done = { kind: 'end', text: 'Done.' };
const paying: Screens = { amount, confirm, done };

/** Returns the problems of a menu whose first screen leads to each of the screens that are not those of a payment. */
function problemsOf(screens: Screens, changed: object = {}): string[] {
  const own = Object.keys(screens).filter((name) => !(name in paying));
  const first = choose(...[...own, 'amount'].map((to) => ({ label: to, to })));
  return problemsIn({
    languages: ['en'],
    start: 'first',
    screens: { first, ...paying, ...screens },
    ...changed,
  });
}

function problemsIn(menu: object): string[] {
  const problems: string[] = [];
  checkMenu({ ...menu }, (path, message, kind) => {
    problems.push(`${path.join('.')}: ${message}${kind === undefined ? '' : ` (${kind})`}`);
  });
  return problems;
}

const lookup = (take: object, more: object = {}) => ({
  kind: 'lookup',
  url: '/x',
  take,
  found: 'amount',
  ...more,
});
const proxy = (take: object) => ({ kind: 'proxy', url: '/x', take, done: 'amount' });
const text = { text: 9 };
const money = { amount: '9.00' };
const list = { list: 9, of: { name: text, due: money, count: { number: 9 } } };
const found = lookup({ who: text, due: money, count: { number: 9 }, fees: list });
const seats = ask('number', { name: 'seats', min: 1, max: 5 });
const note = ask('text', { name: 'note' });
const namesOf = (...names: string[]) => [...commonPlaceholders, ...names].join(', ');

test('a menu without a problem has no report', () => {
  expect(problemsOf({ found, seats, note })).toEqual([]);
});

test('a menu has at most 500 screens', () => {
  const screensOf = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`s${i}`, done]));
  const menuOf = (count: number) => ({ languages: ['en'], start: 's0', screens: screensOf(count) });
  expect(problemsIn(menuOf(501))).toEqual(['screens: expected at most 500 screens']);
  expect(problemsIn(menuOf(500))).toHaveLength(499);
});

const notBelow = (what: string) => `expected ${what} not below min`;
const accepted = 'expected an example that the pattern accepts';
const reserved = `expected a name other than ${commonPlaceholders.join(', ')}`;
const notSet = (name: string) => `expected no {${name}} here: no screen sets it`;
const noAmount = (name: string) =>
  `expected an amount in quotes, or the name of an amount of a lookup, not {${name}}`;
const inReference = (name: string) =>
  `expected letters, digits, blanks or . / -, because a reference contains {${name}}`;
const dashes = (name: string) =>
  `expected a pattern of letters, digits, blanks or . / -, because a reference contains {${name}}: other characters become dashes there, and A_1 and A#1 would be one reference`;
const each = (field: string, more: object = {}) =>
  choose(option({ each: 'fees', label: '{item.name}', set: { reference: `{item.${field}}` }, ...more }));
const items = [
  { name: 'A_1', due: '2.00' },
  { name: 'B', due: '3.00' },
];

describe('the check of a screen', () => {
  test.each<[Screens, string[]]>([
    // Questions.
    [
      { it: ask('amount', { min: '5.00', max: '4.99', to: 'confirm' }) },
      [`screens.it.max: ${notBelow('an amount')}`],
    ],
    [{ it: ask('amount', { min: '5.00', max: '5.00', to: 'confirm' }) }, []],
    [{ it: { ...seats, min: 6 } }, [`screens.it.max: ${notBelow('a number')}`]],
    [{ it: { ...seats, min: 5 } }, []],
    [{ it: { ...seats, min: 0, max: 0 } }, []],
    [
      { it: { ...seats, min: 0, max: 0, each: '1.00' } },
      ['screens.it.max: expected at least 1: a count of 0 has no amount'],
    ],
    [{ it: { ...seats, min: 2, max: 0, each: '1.00' } }, [`screens.it.max: ${notBelow('a number')}`]],
    [{ it: ask('reference', { pattern: '\\d', example: 'A' }) }, [`screens.it.example: ${accepted}`]],
    [{ it: ask('reference', { pattern: '\\d', example: '7' }) }, []],
    [{ it: { ...note, pattern: '\\d' } }, [`screens.it.example: ${accepted}`]],
    [{ it: { ...note, example: 'A' } }, []],
    [
      { it: { ...note, pattern: '[', example: '7' } },
      [
        'screens.it.pattern: expected a regular expression in RE2 syntax, without lookaheads, lookbehinds and backreferences: missing closing ]',
      ],
    ],
    // Routes.
    [
      { it: { ...note, to: 'gone' } },
      ['screens.it.to: expected the name of a screen: first, amount, confirm, done, it, found gone'],
    ],
    [
      { it: { ...note, to: 'constructor' } },
      ['screens.it.to: expected the name of a screen: first, amount, confirm, done, it, found constructor'],
    ],
    [
      { it: { ...note, to: [{ when: { payer: 'own' }, to: 'gone' }, 'amount'] } },
      ['screens.it.to.0: expected the name of a screen: first, amount, confirm, done, it, found gone'],
    ],
    [
      { it: choose(option({}), option({ to: 'gone' })) },
      [
        'screens.it.options.1.to: expected the name of a screen: first, amount, confirm, done, it, found gone',
      ],
    ],
    [{ confirm: { ...confirm, to: 'it' }, it: { kind: 'bad' } }, []],
    [
      { confirm: { ...confirm, to: 'it' }, it: { ...note, to: 'done' } },
      ['screens.confirm.to: expected the name of an end screen'],
    ],
    [{ it: { ...note, to: 'it' } }, ['screens.it: expected a route from here to an end screen (loop)']],
    [
      { it: { ...note, to: 'confirm' } },
      ['screens.confirm: expected an amount on the route first > it > confirm (lost)'],
    ],
    [
      { it: { ...seats, to: 'confirm' } },
      ['screens.confirm: expected an amount on the route first > it > confirm (lost)'],
    ],
    [{ it: { ...seats, each: '1.00', to: 'confirm' } }, []],
    [{ it: choose(option({ set: { amount: '1.00' }, to: 'confirm' })) }, []],
    [
      { it: choose(option({ set: { reference: 'A' }, to: 'confirm' })) },
      ['screens.confirm: expected an amount on the route first > it > confirm (lost)'],
    ],
    [{ it: { kind: 'status', text: '?' }, that: { kind: 'requests', text: '?' } }, []],
    // Languages and texts.
    [{ it: choose(option({ language: 'en' }), option({ language: 'next' })) }, []],
    [
      { it: choose(option({ language: 'en' }), option({ language: 'ga' })) },
      ['screens.it.options.1.language: expected one of en, or next'],
    ],
    [
      { confirm: { ...confirm, text: 'Pay {fee}?' } },
      ['screens.confirm.text: expected {amount} in the text of a confirm screen'],
    ],
    [{ it: { ...done, text: 'x'.repeat(320) } }, []],
    [{ it: { ...done, text: 'x'.repeat(321) } }, ['screens.it.text: expected 1 to 320 characters']],
    [{ it: { ...note, text: ' \n ' } }, ['screens.it.text: expected 1 to 320 characters']],
    [
      { it: { kind: 'status', text: 'Да' } },
      ['screens.it.text: expected letters that handsets show: no emoji, and no letters of other alphabets'],
    ],
    [
      { it: { ...done, text: '{amount:loud}' } },
      [`screens.it.text: expected no format loud; known: ${formatNames.join(', ')}`],
    ],
    ...['{ charge }', '{Charge}', '{{charge}}', '{charge', '}', '{charge:Plain}', '{}'].map(
      (written): [Screens, string[]] => [
        { it: { ...done, text: `Pay ${written}\n{merchant}` } },
        [
          `screens.it.text: expected {name} or {name:format} in lower case where braces are; found "${written}"`,
        ],
      ],
    ),
    [
      { it: { ...done, text: `{${'x'.repeat(50)} {who}}` } },
      [
        `screens.it.text: expected {name} or {name:format} in lower case where braces are; found "{${'x'.repeat(39)}…"`,
        'screens.it.text: expected {name} or {name:format} in lower case where braces are; found "{who}}"',
        `screens.it.text: expected no {who} here; known: ${namesOf()}`,
      ],
    ],
    [
      { found, it: { ...done, text: '{who} {due} {count} {fees}' } },
      [`screens.it.text: expected no {fees} here; known: ${namesOf('who', 'due', 'count')}`],
    ],
    [
      { it: { ...done, operators: { mtn: '{due}', at: 'Bye' } } },
      [`screens.it.operators.mtn: expected no {due} here; known: ${namesOf()}`],
    ],
    [{ it: { ...seats, text: '{min} {max} {example}', error: '{min}' } }, []],
    [
      { it: { ...note, text: '{min}', error: '{amount}' } },
      [
        `screens.it.text: expected no {min} here; known: ${namesOf('note', 'example')}`,
        'screens.it.error: expected no {amount} here; known: example',
      ],
    ],
    [{ it: lookup({}, { url: '/{due}' }) }, [`screens.it.url: expected no {due} here; known: ${namesOf()}`]],
    [{ it: { ...lookup({}), url: undefined } }, []],
    [
      { it: choose(option({ list: ['A', ' ', '{amount}'], label: '{item.name} {item.due}' })) },
      [
        `screens.it.options.0.label: expected no {item.due} here; known: ${namesOf('item.name')}`,
        'screens.it.options.0.list.1.name: expected 1 to 320 characters',
        'screens.it.options.0.list.2.name: expected no {amount} here; known: none',
      ],
    ],
    [
      {
        it: choose(
          option({
            list: [{ name: 'A', due: '2.00', count: 2 }],
            label: '{item.name} {item.due} {item.count}',
          }),
        ),
      },
      [],
    ],
    // The fields of a list are those of all lookups that return it.
    [
      {
        found,
        more: lookup({ fees: { list: 2, of: { class: text } } }),
        it: choose(option({ each: 'fees', label: '{item.name} {item.class}' })),
      },
      [],
    ],
    [
      { found, it: choose(option({ label: '{item.name}' })) },
      [`screens.it.options.0.label: expected no {item.name} here; known: ${namesOf('who', 'due', 'count')}`],
    ],
    // Names.
    [{ it: ask('text', { name: 'amount' }) }, [`screens.it.name: ${reserved}`]],
    [{ it: ask('text', { name: 'item' }) }, [`screens.it.name: ${reserved}`]],
    [{ it: { ...seats, name: 'fee' } }, [`screens.it.name: ${reserved}`]],
    [{ it: lookup({ total: text, who: text }) }, [`screens.it.take.total: ${reserved}`]],
    [
      { it: proxy({ done: text }) },
      ['screens.it.take.done: expected a field other than done, which ends the part'],
    ],
    [
      { it: proxy({ who: { text: 9, from: 'done' } }) },
      ['screens.it.take.who: expected a field other than done, which ends the part'],
    ],
    [{ it: proxy({ done: { text: 9, from: 'other' } }) }, []],
    [{ it: lookup({ done: text }) }, []],
    [
      { it: choose(option({}), option({ set: { values: { payer: 'A', form: 'B' } } })) },
      [`screens.it.options.1.set.values.payer: ${reserved}`],
    ],
    // Values that options set.
    [
      { it: choose(option({ set: { reference: '{who}', values: { form: '{age}' } } })) },
      [
        `screens.it.options.0.set.reference: ${notSet('who')}`,
        `screens.it.options.0.set.values.form: ${notSet('age')}`,
      ],
    ],
    [{ found, it: choose(option({ set: { reference: '{who} {payer} {due}' } })) }, []],
    [
      { found, it: choose(option({ set: { reference: '{fees}' } })) },
      [`screens.it.options.0.set.reference: ${notSet('fees')}`],
    ],
    [{ found, it: each('name') }, []],
    [{ found, it: each('age') }, [`screens.it.options.0.set.reference: ${notSet('item.age')}`]],
    [
      { found, it: choose(option({ set: { reference: '{item.name}' } })) },
      [`screens.it.options.0.set.reference: ${notSet('item.name')}`],
    ],
    [
      { it: choose(option({ each: 'fees' })) },
      ['screens.it.options.0.each: expected the name of a list of a lookup: the menu has none'],
    ],
    [
      { found, it: choose(option({ each: 'who' })) },
      ['screens.it.options.0.each: expected the name of a list of a lookup: fees'],
    ],
    // Amounts.
    [{ found, it: choose(option({ set: { amount: '{due}' } })) }, []],
    [
      { found, it: choose(option({ set: { amount: '{who}' } })) },
      [`screens.it.options.0.set.amount: ${noAmount('who')}`],
    ],
    [
      { found, it: choose(option({ set: { amount: '{count}' } })) },
      [`screens.it.options.0.set.amount: ${noAmount('count')}`],
    ],
    [{ found, it: each('name', { set: { amount: '{item.due}' } }) }, []],
    [
      { found, it: each('name', { set: { amount: '{item.count}' } }) },
      [`screens.it.options.0.set.amount: ${noAmount('item.count')}`],
    ],
    [{ it: choose(option({ list: items, set: { amount: '{item.due}' } })) }, []],
    [
      { it: choose(option({ list: [{ name: 'A', n: 2 }], set: { amount: '{item.n}' } })) },
      [`screens.it.options.0.set.amount: ${noAmount('item.n')}`],
    ],
    [{ found, it: { ...amount, min: '{due}/2', max: '{amount}' } }, []],
    [
      { found, it: { ...amount, min: '{age}', max: '{count}' } },
      [`screens.it.min: ${noAmount('age')}`, `screens.it.max: ${noAmount('count')}`],
    ],
    [{ found, it: { ...seats, each: '{due}' } }, []],
    [{ found, it: { ...seats, each: '{reference}' } }, [`screens.it.each: ${noAmount('reference')}`]],
    // References have few characters.
    [
      { it: ask('reference', { pattern: 'A.1', example: 'A_1' }) },
      ['screens.it.example: expected letters, digits, blanks or . / -'],
    ],
    [{ it: ask('reference', { pattern: 'A.1', example: 'A`1' }) }, []],
    [{ it: { ...note, pattern: 'A.1', example: 'A_1' } }, []],
    [{ note, it: choose(option({ set: { reference: '{note}' } })) }, [`screens.note: ${dashes('note')}`]],
    [
      {
        note: { ...note, pattern: '[A-Z]+', example: 'A' },
        it: choose(option({ set: { reference: '{note}' } })),
      },
      [],
    ],
    [{ seats, it: choose(option({ set: { reference: '{seats}' } })) }, []],
    [
      {
        it: choose(
          option({ set: { values: { form: 'A_1', age: 'B_1' } } }),
          option({ set: { reference: '{form}' } }),
        ),
      },
      [`screens.it.options.0.set.values.form: ${inReference('form')}`],
    ],
    [
      {
        found,
        it: choose(
          option({ set: { values: { form: '{who} 1' } } }),
          option({ set: { reference: '{form}' } }),
        ),
      },
      [],
    ],
    [
      { it: choose(option({ list: items, set: { reference: '{item.name}' } })) },
      [`screens.it.options.0.list.0: ${inReference('item.name')}`],
    ],
    [{ it: choose(option({ list: items, set: { reference: '{item.due}' } })) }, []],
    [
      { it: choose(option({ list: items, set: { values: { form: '{item.name}' }, reference: '{form}' } })) },
      [`screens.it.options.0.list.0: ${inReference('item.name')}`],
    ],
    [{ it: choose(option({ list: items, set: { values: { form: '{item.name}' } } })) }, []],
  ])('%j', (screens, problems) => {
    expect(problemsOf(screens)).toEqual(problems);
  });
});

const quotes = 'expected an amount in quotes, such as "1.00"';
const whole = 'expected a whole number without quotes';
const incomparable = (name: string) => `expected is, not or known: ${name} is not an amount or a number`;
const known = 'expected the name of a value: amount, reference, seats, who, due, count, fees, form';

test.each<[object, string[]]>([
  [{ language: ['en'] }, []],
  [{ language: ['en', 'ga'] }, ['language: expected one of en']],
  [{ payer: 'own' }, []],
  [{ value: 'age', known: true }, [`value: ${known}`]],
  [{ value: 'item.age', known: true }, [`value: ${known}`]],
  [{ value: 'item.name', is: 'A' }, []],
  [{ value: 'item.due', above: '1.00' }, []],
  [{ value: 'item.due', above: 1 }, [`above: ${quotes}`]],
  [{ value: 'item.count', below: 1 }, []],
  [{ value: 'item.count', below: '1.00' }, [`below: ${whole}`]],
  [{ value: 'amount', above: '1.00', below: '2.00' }, []],
  [{ value: 'amount', above: 1, below: 2 }, [`above: ${quotes}`, `below: ${quotes}`]],
  [{ value: 'due', atLeast: 1, atMost: 2 }, [`atLeast: ${quotes}`, `atMost: ${quotes}`]],
  [{ value: 'count', atLeast: '1.00' }, [`atLeast: ${whole}`]],
  [{ value: 'seats', atMost: 3 }, []],
  [{ value: 'seats', atMost: '3.00' }, [`atMost: ${whole}`]],
  [{ value: 'reference', above: 1 }, [`above: ${incomparable('reference')}`]],
  [{ value: 'who', above: '1.00' }, [`above: ${incomparable('who')}`]],
  [{ value: 'form', above: '1.00' }, [`above: ${incomparable('form')}`]],
  [{ value: 'fees', above: 1 }, [`above: ${incomparable('fees')}`]],
  [{ value: 'fees', known: true }, []],
])('the condition %j of an option and of a route has the problems %j', (when, problems) => {
  const setting = choose(option({ set: { values: { form: 'A' } } }));
  const placed = (path: string) => problems.map((problem) => `screens.it.${path}.${problem}`);
  const screens = (it: object) => ({ seats, found, setting, it: choose(option({}), it) });
  expect(problemsOf(screens(option({ when, each: 'fees' })))).toEqual(placed('options.1.when'));
  const to = ['done', 'amount'].map((one) => ({ when: { payer: 'other' }, to: one }));
  expect(
    problemsOf(screens(option({ each: 'fees', to: [...to, { when, to: 'amount' }, 'amount'] }))),
  ).toEqual(placed('options.1.to.2.when'));
});

test.each<[name: string, item: string | undefined, kinds: string[] | undefined]>([
  ['amount', undefined, ['amount']],
  ['reference', undefined, ['text']],
  ['note', undefined, ['text']],
  ['form', undefined, ['text']],
  ['seats', undefined, ['number']],
  ['who', undefined, ['text']],
  ['due', undefined, ['amount', 'number']],
  ['fees', undefined, ['list']],
  ['age', undefined, undefined],
  ['item.due', 'fees', ['amount']],
  ['item.name', 'it.0', ['text']],
  ['item.age', 'fees', undefined],
  ['item.name', 'gone', undefined],
  ['item.name', undefined, undefined],
])('the name %s, for an item of %s, has the kinds %j', (name, item, kinds) => {
  const it = choose(option({ list: items }), option({ set: { values: { form: 'A' } } }));
  const screens = {
    note,
    seats,
    it,
    found: proxy({ who: text, due: money, fees: list }),
    more: lookup({ due: { number: 9 } }),
  };
  const of = findKinds(name, collectNames(draftSchema.parse({ screens })), item);
  expect(of && [...of]).toEqual(kinds);
});

test('a name that two screens set can be compared as either kind', () => {
  const when = { value: 'n', above: 1, below: '2.00' };
  const two = { a: { ...seats, name: 'n' }, b: lookup({ n: money }), it: choose(option({ when })) };
  expect(problemsOf(two)).toEqual([]);
});

test.each<[object, string[]]>([
  [{ languages: ['en', 'tw', 'en'] }, ['languages.2: expected each language once']],
  [{ start: 'gone' }, ['start: expected the name of a screen: first, amount, confirm, done, found gone']],
  [
    { start: [{ when: { weekday: 'fri' }, to: 'first' }, 'gone'] },
    ['start.1: expected the name of a screen: first, amount, confirm, done, found gone'],
  ],
  [{ start: undefined }, []],
  [
    { start: 'done' },
    ['first', 'amount', 'confirm'].map(
      (name) =>
        `screens.${name}: expected a screen that leads here: add a route or remove this screen (unreachable)`,
    ),
  ],
  [
    { start: [{ when: { weekday: 'fri' }, to: 'first' }, 'confirm'] },
    ['screens.confirm: expected an amount on the route confirm (lost)'],
  ],
  [{ messages: { back: 'Back', more: { en: 'More' } } }, []],
  [{ languages: ['en', 'tw'], messages: { more: { en: 'More' } } }, []],
  [{ messages: { back: { ga: 'Back' } } }, ['messages.back.ga: expected one of the languages']],
  [{ languages: [], messages: { back: { ga: 'Back' } } }, []],
  [{ languages: 'en', messages: { back: { ga: 'Back' } } }, []],
  [
    { messages: { amountTooSmall: '{min} {max}' } },
    ['messages.amountTooSmall: expected no {max} here; known: min'],
  ],
  [{ messages: { back: '{min}' } }, ['messages.back: expected no {min} here; known: none']],
  [
    { answers: { form: 'Form' } },
    ['answers.form: expected a name that a screen asks for or sets: the menu has none'],
  ],
])('the check of a menu with %j', (changed, problems) => {
  expect(problemsOf({}, changed)).toEqual(problems);
});

test('a text has each language of the menu', () => {
  const languages = ['en', 'tw'];
  const of = (texts: object) => problemsOf({ it: { ...done, text: texts } }, { languages });
  expect(of({ en: 'Done.', tw: 'Awie.' })).toEqual([]);
  expect(of({ en: 'Done.' })).toEqual(['screens.it.text: expected a text in tw too (missing_translation)']);
  expect(of({ en: 'Done.', tw: '', ga: '{due}' })).toEqual([
    'screens.it.text.ga: expected one of the languages',
    'screens.it.text.tw: expected 1 to 320 characters',
    `screens.it.text.ga: expected no {due} here; known: ${namesOf()}`,
  ]);
  const it = choose(option({ language: 'ga', when: { language: ['ga'] } }));
  expect(problemsOf({ it }, { languages })).toEqual([
    'screens.it.options.0.language: expected one of en, tw, or next',
    'screens.it.options.0.when.language: expected one of en, tw',
  ]);
  const hidden = { ...confirm, text: { en: 'Pay {amount}?', tw: 'Tua?' } };
  expect(problemsOf({ confirm: hidden }, { languages })).toEqual([
    'screens.confirm.text: expected {amount} in the text of a confirm screen',
  ]);
});

test('labels name what screens ask for and set', () => {
  const screens = { note, it: choose(option({ set: { values: { form: 'A' } } })) };
  expect(problemsOf(screens, { answers: { note: 'Note', form: false } })).toEqual([]);
  expect(problemsOf(screens, { answers: { age: 'Age' } })).toEqual([
    'answers.age: expected a name that a screen asks for or sets: note, form',
  ]);
});

test('a screen with an error is no reason for further reports', () => {
  expect(problemsOf({ it: { kind: 'bad' }, that: { ...note, to: 'that' } })).toEqual([]);
  expect(problemsOf({ it: { kind: 'bad' }, that: { ...note, to: 'gone' } })).toHaveLength(1);
});
