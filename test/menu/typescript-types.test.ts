import { describe, expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import {
  ask,
  choose,
  confirm,
  defineMenu,
  each,
  end,
  type Found,
  lookup,
  type MenuDefinition,
  option,
  proxy,
  type Screen,
  when,
} from '../../src/menu/index.ts';
import { menuSchema, type screenSchema } from '../../src/menu/schema.ts';

/*
 * The compiler must reject each line after `@ts-expect-error`; it reports the comment itself where it does not.
 */

const start = { languages: ['en'], start: 'first' } as const;
const done = end({ text: 'Done' });

describe('the compiler rejects', () => {
  test('a start screen that the menu does not have', () => {
    // @ts-expect-error no screen has this name
    const menu = defineMenu({ ...start, start: 'frist', screens: { first: done } });
    expect(Object.keys(menu.screens)).not.toContain(menu.start);
  });

  test('invalid times, and a start with a screen that the menu does not have', () => {
    const open = when({ time: '08:00-17:00', weekday: ['mon-thu', 'sat'], from: '2026-03-01' }, 'first');
    const screens = { first: done, closed: done };
    const menu = defineMenu({ ...start, start: [open, 'closed'], screens });
    expect(menuSchema.safeParse(menu).success).toBe(true);
    // @ts-expect-error no screen has this name
    expect(menuSchema.safeParse(defineMenu({ ...start, start: [open, 'shut'], screens })).success).toBe(true);
    // @ts-expect-error no such weekday
    expect(when({ weekday: 'friday' }, 'first').to).toBe('first');
  });

  test('every route to a screen that the menu does not have', () => {
    const menu = defineMenu({
      ...start,
      screens: {
        // @ts-expect-error the second option
        first: choose({ text: 'x', options: [option('A', 'done'), option('B', 'doen')] }),
        // @ts-expect-error an option for every item
        items: choose({ text: 'x', options: [each('list', '{item.name}', 'doen')] }),
        // @ts-expect-error the route of a question
        amount: ask.amount({ text: 'x', min: '1.00', max: '2.00', to: 'doen' }),
        // @ts-expect-error the route of a condition
        conditional: ask.msisdn({ text: 'x', to: [when({ payer: 'own' }, 'doen'), 'done'] }),
        // @ts-expect-error the route when no condition holds
        other: ask.text({ text: 'x', name: 'name', to: [when({ payer: 'own' }, 'done'), 'doen'] }),
        // @ts-expect-error the route of a lookup that finds nothing
        missing: lookup({ take: {}, url: '/x', found: 'done', notFound: 'doen' }),
        // @ts-expect-error the route of a lookup with a handler
        found: lookup({ take: {}, find: async () => ({}), found: 'doen' }),
        // @ts-expect-error the route of a confirmation
        sure: confirm({ text: 'Pay {amount}?', to: 'doen' }),
        // @ts-expect-error the same in the form of a menu file
        plain: { kind: 'confirm', text: 'Pay {amount}?', to: 'doen' },
        done,
      },
    });
    expect(Object.keys(menu.screens)).not.toContain('doen');
  });

  test('invalid amounts', () => {
    const question = { text: 'x', to: 'done' } as const;
    // @ts-expect-error a number
    expect(ask.amount({ ...question, min: 1, max: '2.00' }).min).toBe(1);
    // @ts-expect-error a comma
    expect(ask.amount({ ...question, min: '1.00', max: '2,00' }).max).toBe('2,00');
    // @ts-expect-error three decimals
    expect(ask.amount({ ...question, min: '1.00', max: '2.000' }).max).toBe('2.000');
    // @ts-expect-error words
    expect(option('A', 'done', { set: { amount: 'lots' } }).set?.amount).toBe('lots');
    expect(option('A', 'done', { set: { amount: '{due}' } }).set?.amount).toBe('{due}');
  });

  test('an answer to a lookup with a missing field or a field of another type', () => {
    const take = { name: { text: 20 }, due: { amount: '5.00' } } as const;
    const screens = [
      lookup({ take, find: async () => ({ name: 'Ama', due: 500 }), found: 'done' }),
      lookup({ take, find: async () => undefined, found: 'done' }),
      // @ts-expect-error amounts are pesewas
      lookup({ take, find: async () => ({ name: 'Ama', due: '5.00' }), found: 'done' }),
      // @ts-expect-error the name is missing
      lookup({ take, find: async () => ({ due: 500 }), found: 'done' }),
      // @ts-expect-error neither url nor find
      lookup({ take, found: 'done' }),
      // @ts-expect-error both url and find
      lookup({ take, url: '/x', find: async () => ({ name: 'Ama', due: 500 }), found: 'done' }),
    ];
    expect(screens.map(({ kind }) => kind)).toEqual(Array(6).fill('lookup'));
  });

  test('an answer to a proxy screen that is neither a screen nor its end', () => {
    const take = { due: { amount: '5.00' } } as const;
    const screens = [
      proxy({ take, answer: async ({ turn }) => ({ text: `Turn ${turn}`, state: 'x' }), done: 'done' }),
      proxy({ take, answer: async () => ({ done: true, due: 500 }), done: 'done', maxTurns: 4 }),
      proxy({ take, answer: async () => undefined, done: 'done' }),
      // @ts-expect-error the amount is missing
      proxy({ take, answer: async () => ({ done: true }), done: 'done' }),
      // @ts-expect-error a state is a text
      proxy({ take, answer: async () => ({ text: 'x', state: 1 }), done: 'done' }),
      // @ts-expect-error neither url nor answer
      proxy({ take, done: 'done' }),
    ];
    expect(screens.map(({ kind }) => kind)).toEqual(Array(6).fill('proxy'));
  });

  test('a comparison without a value', () => {
    // @ts-expect-error the compared value is missing
    expect(when({ above: '0.00' }, 'done').when).toEqual({ above: '0.00' });
    expect(when({ value: 'due', above: '0.00', operator: ['mtn'] }, 'done').to).toBe('done');
  });
});

test('a handler returns the taken fields under the names of the answer', () => {
  const take = {
    student: { text: 20, from: 'full_name' },
    due: { amount: '5000.00' },
    count: { number: 30 },
    terms: { list: 6, of: { name: { text: 12 }, fee: { amount: '2000.00' } } },
  } as const;
  type Expected = {
    readonly full_name: string;
    readonly due: number;
    readonly count: number;
    readonly terms: readonly { readonly name: string; readonly fee: number }[];
  };
  expectTypeOf<Found<typeof take>>().toEqualTypeOf<Expected>();
  lookup({
    take,
    find: async (request, { signal }) => {
      expectTypeOf(request.reference).toEqualTypeOf<string | undefined>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      return undefined;
    },
    found: 'done',
  });
});

type Input = z.input<typeof menuSchema>;
type InputScreen = z.input<typeof screenSchema>;
/** Makes lists read-only, as those of a definition are. */
type Readable<T> = T extends object ? { readonly [K in keyof T]: Readable<T[K]> } : T;
type Written<T> = T extends { kind: 'proxy' }
  ? Omit<T, 'answer'>
  : T extends unknown
    ? Omit<T, 'find'>
    : never;
/** The keys of every kind of screen, and of every kind of question. */
type KeysOf<S> = S extends { kind: infer K extends string; answer: infer A extends string }
  ? `${K} ${A} ${Extract<keyof S, string>}`
  : S extends { kind: infer K extends string }
    ? `${K} ${Extract<keyof S, string>}`
    : never;

test('the definition has the keys of a menu file, and only find and answer in addition', () => {
  expectTypeOf<Exclude<KeysOf<Screen<string>>, 'lookup find' | 'proxy answer'>>().toEqualTypeOf<
    KeysOf<InputScreen>
  >();
  expectTypeOf<keyof MenuDefinition<string>>().toEqualTypeOf<Exclude<keyof Input, 'include'>>();
  expectTypeOf<Written<Screen<string>>>().toExtend<Readable<Written<InputScreen>>>();
  expect(Object.keys(menuSchema.shape)).toContain('include');
});
