import { describe, expect, test } from 'vitest';
import { createMenuGraph, renderMermaid } from '../../src/menu/graph/menu-graph.ts';
import type { Menu } from '../../src/menu/schema.ts';
import type { MenuState, Step } from '../../src/menu/state/state.ts';
import { startDialogue, step } from '../../src/menu/state/step.ts';
import { isTimeZone, localTimeAt } from '../../src/shared/time-text.ts';
import { formatFileErrors } from '../../src/shared/yaml.ts';
import { snippetOf } from '../docs/snippets.ts';
import { findingsOf, prove } from './prove-support.ts';
import { context, loadText } from './support.ts';

/* Conditions on the time: opening hours, weekdays, and first and last days. 2026-03-06 is a Friday. */

const screens = (option: string) => `screens:
  welcome:
    kind: choose
    text: Demo Shop
    options:
      - label: Early breakfast
        when: { ${option} }
        set: { amount: "5.00" }
        to: confirm
      - { label: Lunch, set: { amount: "20.00" }, to: confirm }
      - { label: Other, to: amount }
  amount: { kind: ask, answer: amount, min: "1.00", max: "100.00", text: "Amount:", to: confirm }
  confirm: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: "Approve {charge}." }
`;
const canteen = (option: string, start = 'welcome') =>
  `languages: [en]\nstart: ${start}\n${screens(option)}  closed: { kind: end, text: "We open at 8." }\n`;
const open = canteen('time: 06:00-10:00').replace(/ {2}closed.*\n/, '');
const hours = canteen(
  'time: 06:00-10:00',
  '\n  - { when: { time: "08:00-17:00", weekday: mon-fri }, to: welcome }\n  - closed',
);

function load(text: string): Menu {
  const loaded = loadText(text);
  if (!loaded.ok) throw new Error(formatFileErrors(loaded.errors));
  return loaded.menu;
}

const at = (localTime: string) => ({ ...context, localTime });
const dial = (menu: Menu, localTime: string, interrupted?: MenuState): Step =>
  startDialogue(menu, interrupted ? { interrupted } : {}, at(localTime));
const type = (menu: Menu, { state }: Step, input: string, localTime: string): Step =>
  step(menu, state, input, at(localTime));

test.each([
  ['2026-03-06T18:30:59Z', 'Africa/Accra', '2026-03-06T18:30'],
  ['2026-03-06T23:30:00Z', 'Africa/Lagos', '2026-03-07T00:30'],
  ['2026-03-29T00:59:00Z', 'Europe/London', '2026-03-29T00:59'],
  ['2026-03-29T01:00:00Z', 'Europe/London', '2026-03-29T02:00'],
  ['2026-10-25T01:30:00Z', 'Europe/London', '2026-10-25T01:30'],
])('%s in %s is %s', (instant, zone, local) => {
  expect(localTimeAt(Date.parse(instant), zone)).toBe(local);
});

test.each([
  ['Africa/Accra', true],
  ['UTC', true],
  ['Africa/Nowhere', false],
  ['+01:00', false],
  ['', false],
])('%s as a time zone: %s', (name, isKnown) => {
  expect(isTimeZone(name)).toBe(isKnown);
});

test.each([
  ['time: 8:00-17:00', 'expected a time span such as "08:00-17:00"'],
  ['time: 24:00-08:00', 'expected a time span such as "08:00-17:00"'],
  ['time: 08:00-08:00', 'expected a time span such as "08:00-17:00"'],
  ['weekday: friday', 'expected a weekday such as mon, or a range such as mon-fri'],
  ['from: 2026-02-30', 'expected a date such as 2026-03-07'],
  ['until: 1999-12-31', 'expected a date such as 2026-03-07'],
  ['until: 7 March', 'expected a date such as 2026-03-07'],
  ['from: 2026-03-07, until: 2026-03-06', 'expected until not before from'],
])('{ %s } is refused', (option, message) => {
  expect(loadText(canteen(option))).toMatchObject({ ok: false, errors: [{ message }] });
});

test('the start of a menu has conditions on the time alone, and its screens exist', () => {
  const errorsOf = (start: string) => {
    const loaded = loadText(canteen('time: 06:00-10:00', start));
    return loaded.ok ? [] : loaded.errors.map(({ path, message }) => `${path}: ${message}`);
  };
  expect(errorsOf('[{ when: { dialler: attendant }, to: welcome }, closed]').join()).toContain('start');
  expect(errorsOf('[{ when: { weekday: sat }, to: welcome }, shut]').join()).toMatch(
    /start\[1\]: expected the name of a screen: welcome/,
  );
});

test('outside of its hours a menu shows the screen that it names, and no payment is possible', () => {
  const menu = load(hours);
  expect(dial(menu, '2026-03-06T08:00').reply.text).toMatch(/^Demo Shop\n1. Early breakfast/);
  for (const closed of ['2026-03-06T07:59', '2026-03-06T17:00', '2026-03-07T12:00'])
    expect(dial(menu, closed).reply).toEqual({ kind: 'end', text: 'We open at 8.' });
});

test('a dialogue keeps the time of its start: the keys of options do not change while the payer reads', () => {
  const menu = load(hours);
  const [before, after] = ['2026-03-06T09:59', '2026-03-06T10:00'];
  const shown = dial(menu, before);
  expect(type(menu, shown, '2', after).reply.text).toContain('GHS 20.00');
  expect(type(menu, dial(menu, after), '2', after).reply.text).toContain('Amount');
  // Also after going back and home, and after closing time.
  const late = '2026-03-06T17:05';
  const amount = type(menu, shown, '3', late);
  expect(type(menu, amount, '0', late).reply.text).toMatch(/1. Early breakfast/);
  expect(type(menu, amount, '00', late).reply.text).toMatch(/1. Early breakfast/);
  expect(type(menu, type(menu, amount, '0', late), '2', late).reply.text).toContain('GHS 20.00');
});

test('a resumed dialogue keeps its time, and one that starts over has its own', () => {
  const menu = load(hours);
  const { state } = type(menu, dial(menu, '2026-03-06T09:59'), '3', '2026-03-06T09:59');
  const late = '2026-03-06T17:01';
  const offer = dial(menu, late, state);
  const resumed = type(menu, offer, '1', late);
  expect(resumed.reply.text).toMatch(/^Amount/);
  expect(type(menu, resumed, '0', late).reply.text).toMatch(/1. Early breakfast/);
  expect(type(menu, offer, '2', late).reply.text).toBe('We open at 8.');
});

test('the state of a menu without such conditions has no time', () => {
  const menu = load(open.replace(/ {8}when.*\n/, ''));
  expect(dial(menu, '2026-03-06T09:59').state).not.toHaveProperty('startedAt');
});

test('the flowchart names the times', () => {
  const graph = createMenuGraph(load(hours));
  const chart = graph ? renderMermaid(graph) : '';
  expect(chart).toContain('dial((dial)) -- "start, time 08:00-17:00 and weekday mon-fri" --> s0');
  expect(chart).toContain('dial -- "start, else" --> s4');
  expect(chart).toContain('1 if time 06:00-10:00');
});

describe('the proof', () => {
  test('has no finding for the example of the documentation', () => {
    expect(findingsOf(snippetOf('docs/menus.md', 'office.yaml'), { today: '2026-03-06' })).toEqual([]);
  });

  test('walks both sides of every condition', () => {
    const { proven, findings } = prove(hours);
    expect(findings).toEqual([]);
    expect([...(proven?.proof.reached ?? [])].sort()).toEqual(
      ['amount', 'closed', 'confirm', 'done', 'welcome'].sort(),
    );
  });

  test('names the time at which payers meet a problem', () => {
    const nothing = open.replace(/ {6}- \{ label: (Lunch|Other).*\n/g, '').replace(/ {2}amount.*\n/, '');
    const { findings } = prove(nothing);
    expect(findings.map(({ kind, screen }) => `${kind} ${screen}`)).toContain('dead_end welcome');
    const [found] = findings.filter(({ kind, inputs }) => kind === 'dead_end' && inputs);
    expect(found?.assumptions?.[0]).toMatch(/^a dial at \d{4}-\d\d-\d\dT(00|10):00$/);
  });

  test('finds what only the time of the screen before excludes', () => {
    const late = hours.replace('06:00-10:00', '18:00-20:00');
    expect(findingsOf(late)).toEqual([
      '11 welcome  never_open: expected a time at which the option is open, found none: time 18:00-20:00',
    ]);
  });

  test('finds a menu that is never open', () => {
    const never = hours.replace('weekday: mon-fri', 'weekday: sat, from: 2026-03-02, until: 2026-03-06');
    expect(findingsOf(never)).toContain(
      '3   never_open: expected a time at which the menu is open, found none: ' +
        'time 08:00-17:00 and weekday sat and from 2026-03-02 and until 2026-03-06',
    );
  });

  test.each([
    [undefined, []],
    ['2026-03-31', []],
    ['2026-04-01', [expect.stringMatching(/^\d+ welcome {2}never_open: .*until 2026-03-31$/)]],
    ['2029-01-01', [expect.stringMatching(/^\d+ welcome {2}never_open: /)]],
  ])('a last day is past on %s: %j', (today, found) => {
    const season = hours.replace('time: 06:00-10:00', 'until: 2026-03-31');
    expect(findingsOf(season, today === undefined ? {} : { today })).toEqual(found);
  });

  test('a menu with too many times is too large', () => {
    const option = (when: string) => `      - { label: Meal, when: { ${when} }, to: amount }\n`;
    const branches = Array.from(
      { length: 9 },
      (_, i) => `{ when: { until: 2026-0${i + 1}-15 }, to: confirm }`,
    );
    const many = open
      .replace(
        / {2}amount:/,
        (next) => ['weekday: sat', 'weekday: sun', 'time: 20:00-22:00'].map(option).join('') + next,
      )
      .replace('"Amount:", to: confirm', `"Amount:", to: [${branches.join()}, confirm]`);
    expect(findingsOf(many)).toEqual([expect.stringContaining('too_large: ')]);
  });
});
