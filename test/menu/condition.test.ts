import { describe, expect, test } from 'vitest';
import { type Menu, menuSchema } from '../../src/menu/schema.ts';
import {
  contextAtStart,
  holds,
  keepStart,
  listTimeConditions,
  resolveRoute,
  timeHolds,
} from '../../src/menu/state/condition.ts';
import type { MenuState, Step } from '../../src/menu/state/state.ts';
import { amountMinor } from '../../src/shared/money.ts';
import { msisdnOf } from '../kit/msisdn.ts';
import { context } from './support.ts';

type Condition = Parameters<typeof holds>[0];
type Known = Parameters<typeof holds>[1];

const other = msisdnOf('0201234567');
const known = (answers: Known['answers'], language = 'en'): Known => ({ answers, language });
const cedis = (amount: number) => ({ amountMinor: amountMinor(amount) });
const valued = (value: NonNullable<Known['answers']['values']>[string]) => known({ values: { it: value } });

describe('a condition', () => {
  test.each<[Condition, Known, boolean]>([
    [{ operator: ['telecel', 'mtn'] }, known({}), true],
    [{ operator: ['telecel'] }, known({}), false],
    [{ operator: ['telecel'] }, known({ payer: other }), true],
    [{ payer: 'own' }, known({}), true],
    [{ payer: 'own' }, known({ payer: context.dialler }), true],
    [{ payer: 'own' }, known({ payer: other }), false],
    [{ payer: 'other' }, known({ payer: other }), true],
    [{ payer: 'other' }, known({}), false],
    [{ language: ['tw', 'en'] }, known({}), true],
    [{ language: ['tw'] }, known({}), false],
    [{ time: ['09:00-11:00'] }, known({}), true],
    [{ time: ['11:00-12:00'] }, known({}), false],
    [{ language: ['en'], payer: 'other' }, known({}), false],
    [{ language: ['tw'], payer: 'own' }, known({}), false],
  ])('%j holds with %j: %s', (condition, of, expected) => {
    expect(holds(condition, of, context)).toBe(expected);
  });

  test('on an attendant holds for attendants alone', () => {
    const condition = { dialler: 'attendant' } as const;
    expect(holds(condition, known({}), context)).toBe(false);
    expect(holds(condition, known({}), { ...context, isAttendant: true })).toBe(true);
  });

  test.each<[object, Known, boolean]>([
    // The amount and the reference are values, too, and so are fields of an item.
    [{ value: 'amount', known: true }, known({}), false],
    [{ value: 'amount', known: true }, known({ amountMinor: amountMinor(1) }), true],
    [{ value: 'amount', above: cedis(4) }, known({ amountMinor: amountMinor(5) }), true],
    [{ value: 'amount', above: cedis(5) }, known({ amountMinor: amountMinor(5) }), false],
    [{ value: 'reference', is: ['R1'] }, known({ reference: 'R1' }), true],
    [{ value: 'reference', is: ['R1'] }, known({ values: { reference: 'R1' } }), false],
    [{ value: 'item.name', is: ['Ama'] }, known({}), true],
    [{ value: 'item.name', is: ['Ama'] }, known({ values: { 'item.name': 'Esi' } }), true],
    // Nothing is unknown, empty, or an inherited member of an object.
    [{ value: 'it', known: false }, known({}), true],
    [{ value: 'it', known: true }, known({}), false],
    [{ value: 'constructor', known: true }, known({ values: {} }), false],
    [{ value: 'it', known: true }, valued(''), false],
    [{ value: 'it', known: true }, valued([]), false],
    [{ value: 'it', known: true }, valued([{ name: 'Ama' }]), true],
    [{ value: 'it', known: true }, valued(' '), true],
    [{ value: 'it', known: true }, valued({ number: 0 }), true],
    [{ value: 'it', known: false }, valued('A'), false],
    // Texts are equal in any case, and numbers to their digits; an amount and a list equal nothing.
    [{ value: 'it', is: ['b', 'A'] }, valued('a'), true],
    [{ value: 'it', is: ['a'] }, valued('A'), true],
    [{ value: 'it', is: ['b', 'c'] }, valued('a'), false],
    [{ value: 'it', is: [7] }, valued('7'), true],
    [{ value: 'it', is: ['7'] }, valued({ number: 7 }), true],
    [{ value: 'it', is: [7] }, valued({ number: 8 }), false],
    [{ value: 'it', is: ['undefined'] }, valued(cedis(7)), false],
    [{ value: 'it', is: ['a'] }, valued([{ name: 'a' }]), false],
    [{ value: 'it', is: ['a'] }, known({}), false],
    [{ value: 'it', not: ['b', 'a'] }, valued('a'), false],
    [{ value: 'it', not: ['b', 'c'] }, valued('a'), true],
    [{ value: 'it', not: ['a'] }, known({}), true],
    [{ value: 'it', not: ['a'], is: ['b'] }, valued('b'), true],
    [{ value: 'it', not: ['a'], is: ['b'] }, valued('c'), false],
    // Values of different kinds, and unknown ones, are neither above nor below.
    ...(
      [
        ['above', [false, false, true]],
        ['below', [true, false, false]],
        ['atLeast', [false, true, true]],
        ['atMost', [true, true, false]],
      ] as const
    ).flatMap(([key, expected]): [object, Known, boolean][] => [
      ...expected.map((one, i): [object, Known, boolean] => [
        { value: 'it', [key]: cedis(5) },
        valued(cedis(4 + i)),
        one,
      ]),
      ...expected.map((one, i): [object, Known, boolean] => [
        { value: 'it', [key]: { number: 5 } },
        valued({ number: 4 + i }),
        one,
      ]),
      [{ value: 'it', [key]: cedis(5) }, valued({ number: 5 }), false],
      [{ value: 'it', [key]: { number: 5 } }, valued(cedis(5)), false],
      [{ value: 'it', [key]: { number: 5 } }, valued('5'), false],
      [{ value: 'it', [key]: { number: 1 } }, valued([{ name: 'a' }]), false],
      [{ value: 'it', [key]: { number: 5 } }, known({}), false],
    ]),
    [{ value: 'it', atLeast: cedis(2), below: cedis(5) }, valued(cedis(5)), false],
    [{ value: 'it', atLeast: cedis(2), below: cedis(5) }, valued(cedis(1)), false],
    [{ value: 'it', atLeast: cedis(2), below: cedis(5) }, valued(cedis(2)), true],
  ])('on a value: %j holds with %j: %s', (condition, of, expected) => {
    expect(holds(condition, of, context, { 'item.name': 'Ama' })).toBe(expected);
  });
});

test('a route leads to the first screen whose condition holds, and otherwise to the last one', () => {
  const to = [
    { when: { value: 'item.name', is: ['Ama'] }, to: 'ama' },
    { when: { language: ['tw'] }, to: 'tw' },
    'rest',
    'never',
  ];
  const routed = (language: string, item?: { 'item.name': string }) =>
    resolveRoute(to, known({}, language), context, item);
  expect(resolveRoute('next', known({}), context)).toBe('next');
  expect(routed('tw', { 'item.name': 'Ama' })).toBe('ama');
  expect(routed('tw')).toBe('tw');
  expect(routed('en')).toBe('rest');
  // A menu has no such route, and no screen of this name.
  expect(resolveRoute(to.slice(0, 1), known({}), context)).toBe('');
});

/* 2026-03-06 is a Friday. */
test.each<[Parameters<typeof timeHolds>[0], string, boolean]>([
  [{ time: ['08:00-17:00'] }, '2026-03-06T07:59', false],
  [{ time: ['08:00-17:00'] }, '2026-03-06T08:00', true],
  [{ time: ['08:00-17:00'] }, '2026-03-06T16:59', true],
  [{ time: ['08:00-17:00'] }, '2026-03-06T17:00', false],
  [{ time: ['08:00-12:00', '13:00-17:00'] }, '2026-03-06T12:30', false],
  [{ time: ['08:00-12:00', '13:00-17:00'] }, '2026-03-06T13:00', true],
  [{ time: ['20:00-24:00'] }, '2026-03-06T23:59', true],
  [{ time: ['22:00-05:00'] }, '2026-03-06T21:59', false],
  [{ time: ['22:00-05:00'] }, '2026-03-06T22:00', true],
  [{ time: ['22:00-05:00'] }, '2026-03-06T04:59', true],
  [{ time: ['22:00-05:00'] }, '2026-03-06T05:00', false],
  [{ time: ['22:00-05:00'], weekday: ['fri'] }, '2026-03-06T22:00', true],
  [{ time: ['22:00-05:00'], weekday: ['fri'] }, '2026-03-07T01:00', true],
  [{ time: ['22:00-05:00'], weekday: ['fri'] }, '2026-03-06T01:00', false],
  [{ time: ['22:00-05:00'], until: '2026-03-06' }, '2026-03-07T01:00', true],
  [{ time: ['06:00-08:00', '22:00-07:00'], weekday: ['thu'] }, '2026-03-06T06:30', true],
  [{ time: ['06:00-08:00', '22:00-07:00'], weekday: ['fri'] }, '2026-03-06T06:30', true],
  [{ weekday: ['mon-fri'] }, '2026-03-06T00:00', true],
  [{ weekday: ['mon-fri'] }, '2026-03-07T00:00', false],
  [{ weekday: ['fri-mon'] }, '2026-03-09T00:00', true],
  [{ weekday: ['fri-mon'] }, '2026-03-10T00:00', false],
  [{ weekday: ['mon', 'fri'] }, '2026-03-06T12:00', true],
  [{ weekday: ['mon', 'thu'] }, '2026-03-06T12:00', false],
  ...['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].flatMap(
    (weekday, i): [Parameters<typeof timeHolds>[0], string, boolean][] => [
      [{ weekday: [weekday] }, `2026-03-0${i + 2}T12:00`, true],
      [{ weekday: [weekday] }, `2026-03-0${i + 1}T12:00`, false],
    ],
  ),
  [{ from: '2026-03-06', until: '2026-03-06' }, '2026-03-06T23:59', true],
  [{ from: '2026-03-07' }, '2026-03-06T23:59', false],
  [{ until: '2026-03-05' }, '2026-03-06T00:00', false],
  [{ from: '2026-03-06', weekday: ['sat'] }, '2026-03-06T23:59', false],
])('the time %j holds at %s: %s', (when, localTime, expected) => {
  expect(timeHolds(when, localTime)).toBe(expected);
});

const menuOf = (start: unknown, to: unknown = 'done'): Menu =>
  menuSchema.parse({
    languages: ['en'],
    start,
    screens: {
      pick: { kind: 'choose', text: '?', options: [{ label: 'One', to }] },
      done: { kind: 'end', text: 'Done.' },
    },
  });
const timeless = menuOf('pick', [{ when: { payer: 'own' }, to: 'done' }, 'pick']);
const timed = menuOf('pick', [{ when: { weekday: 'fri' }, to: 'done' }, 'pick']);

describe('the conditions of a menu on the time', () => {
  test.each([
    [{ time: '08:00-17:00' }, { time: ['08:00-17:00'] }],
    [{ weekday: 'fri' }, { weekday: ['fri'] }],
    [{ from: '2026-03-06' }, { from: '2026-03-06' }],
    [{ until: '2026-03-06' }, { until: '2026-03-06' }],
  ])('are those of the start and of the screens, with their paths: %j', (condition, when) => {
    const to = [{ when: { payer: 'own' }, to: 'done' }, { when: condition, to: 'done' }, 'pick'];
    expect(listTimeConditions(menuOf([{ when: condition, to: 'pick' }, 'done'], to))).toEqual([
      { path: ['start', 0, 'when'], when },
      { screen: 'pick', path: ['screens', 'pick', 'options', 0, 'to', 1, 'when'], when },
    ]);
  });

  test('are none of a menu without them, and are found once', () => {
    expect(listTimeConditions(timeless)).toEqual([]);
    expect(listTimeConditions(timed)).toHaveLength(1);
    expect(listTimeConditions(timed)).toBe(listTimeConditions(timed));
  });
});

describe('a dialogue', () => {
  const state: MenuState = { screen: 'pick', language: 'en', answers: {}, invalidInputs: 0 };
  const later = '2026-03-06T11:00';

  test('depends on the time of its start, when it has one', () => {
    expect(contextAtStart({ startedAt: later }, context)).toEqual({ ...context, localTime: later });
    expect(contextAtStart({}, context)).toBe(context);
  });

  test('keeps the time of its start where the menu depends on it, with and without an effect', () => {
    const shown: Step = { state, reply: { kind: 'continue', text: '?' } };
    const asking: Step = { ...shown, effect: { kind: 'status', state, shortReference: '1' } };
    const startedAt = context.localTime;
    const kept = { ...state, startedAt };
    expect(keepStart(timeless, asking, context)).toBe(asking);
    expect(keepStart(timed, shown, context)).toStrictEqual({ ...shown, state: kept });
    expect(keepStart(timed, asking, context)).toEqual({
      ...shown,
      state: kept,
      effect: { kind: 'status', state: kept, shortReference: '1' },
    });
    const resumed = { ...shown, state: { ...state, startedAt: later } };
    expect(keepStart(timed, resumed, context)).toEqual(resumed);
  });
});
