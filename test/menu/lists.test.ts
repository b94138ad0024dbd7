import { expect, test } from 'vitest';
import { menuSchema } from '../../src/menu/schema.ts';
import { context, loadText, walk } from './support.ts';

/** A menu whose first screen lists the items, and whose confirm screen shows what was chosen. */
const menuWith = (list: unknown, option: object = {}) => ({
  languages: ['en'],
  start: 'class',
  screens: {
    class: {
      kind: 'choose',
      text: 'Which class?',
      options: [
        {
          list,
          label: '{item.name}',
          set: { amount: '5.00', values: { class: '{item.name}' } },
          to: 'confirm',
          ...option,
        },
      ],
    },
    confirm: { kind: 'confirm', text: 'Pay {amount} for {class}?', to: 'done' },
    done: { kind: 'end', text: '{approvals}' },
  },
});

const classes = (count: number) => Array.from({ length: count }, (_, i) => `Class ${i + 1} of ${count}`);

const textOf = (count: number, inputs: readonly string[]) =>
  walk(menuSchema.parse(menuWith(classes(count))), inputs).reply.text;

test('an item of a list in the menu is one option, with its fields as values', () => {
  const terms = [
    { name: 'First', due: '250.00', weeks: 13 },
    { name: 'Second', due: '1,200.00', weeks: 12 },
  ];
  const menu = menuSchema.parse(
    menuWith(terms, {
      label: '{item.name} {item.due} {item.weeks}w',
      when: { value: 'item.weeks', above: 0 },
      set: { amount: '{item.due}', values: { class: '{item.name}' } },
    }),
  );
  expect(walk(menu, []).reply.text).toBe('Which class?\n1. First GHS 250.00 13w\n2. Second GHS 1200.00 12w');
  expect(walk(menu, ['2']).reply.text).toContain('Pay GHS 1200.00 for Second?');
});

test('a number of any page chooses, also before its page was shown', () => {
  expect(textOf(200, [])).toMatch(/^Which class\?\n1\. Class 1 of 200\n.*\n#\. More/s);
  expect(textOf(200, ['#'])).not.toContain('Class 1 of');
  expect(textOf(200, ['57'])).toContain('for Class 57 of 200?');
  expect(textOf(200, ['#', '3'])).toContain('for Class 3 of 200?');
});

test('no option has the number of a key: 99 shows the next page, and the last of 200 options is 201', () => {
  expect(textOf(200, ['98'])).toContain('for Class 98 of 200?');
  expect(textOf(200, ['99'])).toBe(textOf(200, ['#']));
  expect(textOf(200, ['100'])).toContain('for Class 99 of 200?');
  expect(textOf(200, ['201'])).toContain('for Class 200 of 200?');
  expect(textOf(200, ['202'])).toMatch(/^Invalid option/);
});

test('every page of a long list fits, and together they show every item once', () => {
  const pages: string[] = [];
  for (let inputs: string[] = []; ; inputs = [...inputs, '#']) {
    const text = textOf(200, inputs);
    pages.push(text);
    expect(text.length).toBeLessThanOrEqual(context.limit);
    if (!text.includes('#. More')) break;
  }
  const shown = pages.flatMap((page) => page.match(/Class \d+ of/g) ?? []);
  expect(shown).toEqual(classes(200).map((name) => name.replace(/ 200$/, '')));
});

test('the page after a page with a notice leaves no option out', () => {
  const numbersOn = (inputs: readonly string[]) =>
    [...textOf(60, inputs).matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
  const noticed = numbersOn(['999']);
  expect(noticed.length).toBeLessThan(numbersOn([]).length);
  const next = numbersOn(['999', '#']);
  expect(next[0]).toBeLessThanOrEqual((noticed.at(-1) ?? 0) + 1);
  expect(numbersOn(['999', '#', '#'])[0]).toBe((next.at(-1) ?? 0) + 1);
});

const yaml = (list: string, more = '') => `
languages: [en]
start: class
screens:
  class:
    kind: choose
    text: Which class?
    options:
      - list: ${list}
        label: "{item.name}"
        set: { amount: "5.00", reference: "{item.name}" }
        to: confirm
${more}
  confirm: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: "{approvals}" }
`;

test.each([
  ['[]', 'expected 1 to 200 items'],
  [`[${classes(201).join(', ')}]`, 'expected 1 to 200 items'],
  ['[Basic 1, { name: Basic 2, due: "2.00" }]', 'expected the same fields in every item'],
  ['[{ name: A, due: "2.00" }, { name: B, due: 2 }]', 'expected the same fields in every item'],
  ['[{ title: A }]', 'expected no {item.name} here'],
  ['[{}]', 'expected 1 to 6 fields'],
  ['["Basic 1 \u{1F600}"]', 'letters that handsets show'],
  ['[Basic_1]', 'because a reference contains {item.name}'],
])('the list %s is an error', (list, message) => {
  const loaded = loadText(yaml(list));
  expect(loaded.ok ? [] : loaded.errors.map((error) => error.message)).toContainEqual(
    expect.stringContaining(message),
  );
});

test('an option has a list of its own or the name of a looked-up one', () => {
  const loaded = loadText(yaml('[Basic 1]\n        each: fees'));
  expect(loaded.ok ? [] : loaded.errors.map((error) => error.message)).toContainEqual(
    expect.stringContaining('expected one of list and each'),
  );
});
