import { expect, test } from 'vitest';
import { applyEffectResult } from '../../src/menu/effects/apply-result.ts';
import { menuSchema } from '../../src/menu/schema.ts';
import { step } from '../../src/menu/state/step.ts';
import { context, loadText, walk } from './support.ts';

const bounded = (bounds: object) => ({
  languages: ['en'],
  start: 'bill',
  screens: {
    bill: {
      kind: 'lookup',
      url: '/bill',
      take: { due: { amount: '500.00' } },
      found: 'part',
      fallback: 'part',
    },
    part: { kind: 'ask', answer: 'amount', text: 'How much, {min} to {max}?', to: 'confirm', ...bounds },
    confirm: { kind: 'confirm', text: 'Pay {amount}?', to: 'done' },
    done: { kind: 'end', text: '{approvals}' },
  },
});

/** Types an amount where `due` pesewas are due. */
function typed(bounds: object, due: number | undefined, input: string): string {
  const menu = menuSchema.parse(bounded(bounds));
  const { effect } = walk(menu, []);
  if (!effect) throw new Error('expected a lookup effect');
  const answer = { kind: 'found', fields: { due } } as const;
  const { state } = applyEffectResult(menu, effect, { kind: 'lookup', answer }, context);
  return step(menu, state, input, context).reply.text;
}

const half = { min: '{due}/2', max: '{due}' };

test.each([
  ['50.00', 'Pay GHS 50.00?'],
  ['100', 'Pay GHS 100.00?'],
  ['49.99', 'How much, GHS 50.00 to GHS 100.00?'],
  ['100.01', 'How much, GHS 50.00 to GHS 100.00?'],
])('bounds follow the looked-up amount: %s of 100.00', (input, text) => {
  expect(typed(half, 10_000, input)).toContain(text);
});

test('a part that is no whole pesewa never lets through less than the minimum or more than the maximum', () => {
  expect(typed(half, 2_001, '10.00')).toContain('GHS 10.01 to GHS 20.01?');
  expect(typed({ min: '1.00', max: '{due}/2' }, 2_001, '10.01')).toContain('GHS 1.00 to GHS 10.00?');
});

test('no amount is valid where the maximum is below the minimum', () => {
  for (const input of ['0.50', '1.00', '2.00']) {
    expect(typed({ min: '2.00', max: '{due}' }, 100, input)).toContain('How much');
  }
});

test('an option sets the amount, and the question after it bounds the part to pay', () => {
  const menu = menuSchema.parse({
    ...bounded(half),
    start: 'term',
    screens: {
      ...bounded({ min: '{amount}/4', max: '{amount}' }).screens,
      bill: { kind: 'end', text: 'Bye' },
      term: {
        kind: 'choose',
        text: 'Term?',
        options: [
          {
            list: [
              { name: 'First', due: '200.00' },
              { name: 'Second', due: '80.00' },
            ],
            label: '{item.name}',
            set: { amount: '{item.due}' },
            to: 'part',
          },
        ],
      },
    },
  });
  expect(walk(menu, ['2']).reply.text).toContain('GHS 20.00 to GHS 80.00?');
  expect(walk(menu, ['2', '80.01']).reply.text).toContain('GHS 20.00 to GHS 80.00?');
  expect(walk(menu, ['2', '20']).reply.text).toContain('Pay GHS 20.00?');
});

test.each([
  ['{due}/0', 'such as "{due}" or "{due}/2"'],
  ['{due}/100', 'such as "{due}" or "{due}/2"'],
  ['{due} / 2', 'such as "{due}" or "{due}/2"'],
  ['{bill}', 'or the name of an amount of a lookup, not {bill}'],
])('the bound %s is an error', (max, message) => {
  const loaded = loadText(JSON.stringify(bounded({ min: '1.00', max })));
  expect(loaded.ok ? [] : loaded.errors.map((error) => error.message)).toContainEqual(
    expect.stringContaining(message),
  );
});
