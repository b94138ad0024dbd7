import { describe, expect, test } from 'vitest';
import { applyEffectResult } from '../../src/menu/effects/apply-result.ts';
import { menuSchema } from '../../src/menu/schema.ts';
import type { Step } from '../../src/menu/state/state.ts';
import { step } from '../../src/menu/state/step.ts';
import { context, walk } from './support.ts';

/** A menu that sets an amount and a reference, and then replaces them with values of a lookup. */
const accounts = menuSchema.parse({
  languages: ['en'],
  start: 'first',
  screens: {
    first: {
      kind: 'choose',
      text: 'Which account?',
      options: [{ label: 'First', set: { amount: '5.00', reference: 'ACC-1' }, to: 'find' }],
    },
    find: {
      kind: 'lookup',
      take: { account: { text: 20 }, due: { amount: '500.00' } },
      found: 'which',
      fallback: 'which',
    },
    which: {
      kind: 'choose',
      text: 'What of it?',
      options: [
        { label: 'Amount', set: { amount: '{due}' }, to: 'confirm' },
        { label: 'Reference', set: { reference: '{account}' }, to: 'confirm' },
        { label: 'Both', set: { amount: '{due}', reference: '{account}' }, to: 'confirm' },
        { label: 'Neither', to: 'confirm' },
        { label: 'More', set: { reference: '{reference} {account}' }, to: 'confirm' },
      ],
    },
    confirm: { kind: 'confirm', text: 'Pay {amount}?\nFor {reference}', to: 'done' },
    done: { kind: 'end', text: 'Approve {amount}.' },
  },
});

function choose(fields: object, key: string): Step {
  const { effect } = walk(accounts, ['1']);
  if (!effect) throw new Error('expected a lookup effect');
  const answer = { kind: 'found', fields } as const;
  return step(
    accounts,
    applyEffectResult(accounts, effect, { kind: 'lookup', answer }, context).state,
    key,
    context,
  );
}

describe('an option that sets an amount or a reference from a name', () => {
  test.each([
    ['1', { amountMinor: 700, reference: 'ACC-1' }],
    ['2', { amountMinor: 500, reference: 'ACC-2' }],
    ['3', { amountMinor: 700, reference: 'ACC-2' }],
    ['4', { amountMinor: 500, reference: 'ACC-1' }],
    ['5', { amountMinor: 500, reference: 'ACC-1 ACC-2' }],
  ])('replaces the previous value: option %s', (key, answers) => {
    expect(choose({ account: 'ACC-2', due: 700 }, key).state.answers).toMatchObject(answers);
  });

  test.each([
    ['1', { reference: 'ACC-1' }],
    ['2', { amountMinor: 500 }],
    ['3', {}],
  ])('removes the previous value when the new one is unknown: option %s', (key, answers) => {
    expect(choose({}, key).state.answers).toEqual({ values: {}, ...answers });
  });

  test('keeps the reference when it would only extend it with an unknown value', () => {
    expect(choose({}, '5').state.answers).toEqual({ values: {}, amountMinor: 500, reference: 'ACC-1' });
  });

  test('without an amount returns no intent', () => {
    for (const key of ['1', '3']) {
      const confirm = choose({}, key);
      expect(confirm.reply.text).not.toContain('5.00');
      expect(step(accounts, confirm.state, '1', context).intent).toBeUndefined();
    }
  });

  test('without a reference returns an intent without one', () => {
    const confirm = choose({}, '2');
    expect(confirm.reply.text).not.toContain('ACC-1');
    const confirmKey = /(\d)\. Yes/.exec(confirm.reply.text)?.[1] ?? '';
    expect(step(accounts, confirm.state, confirmKey, context).intent).toMatchObject({
      amountMinor: 500,
      reference: undefined,
    });
  });
});

test.each(['constructor', 'due'])('a value named %s is unknown until it is set', (name) => {
  const menu = menuSchema.parse({
    languages: ['en'],
    start: 'first',
    screens: {
      first: {
        kind: 'choose',
        text: `First\nIt is {${name}}`,
        options: [
          { label: 'Known', when: { value: name, known: true }, to: 'done' },
          { label: 'Give', when: { value: name, known: false }, to: 'give' },
        ],
      },
      // An earlier answer, so that other values exist.
      give: { kind: 'ask', answer: 'text', name: 'other', text: 'Other:', to: 'again' },
      again: {
        kind: 'choose',
        text: `Again\nIt is {${name}}`,
        options: [
          { label: 'Known', when: { value: name, known: true }, to: 'done' },
          {
            label: 'Give',
            when: { value: name, known: false },
            set: { values: { [name]: 'this' } },
            to: 'first',
          },
        ],
      },
      done: { kind: 'end', text: 'Done' },
    },
  });
  expect(walk(menu, []).reply.text).toBe('First\n1. Give');
  expect(walk(menu, ['1', 'x']).reply.text).toMatch(/^Again\n1\. Give/);
  expect(walk(menu, ['1', 'x', '1']).reply.text).toMatch(/^First\nIt is this\n1\. Known/);
});
