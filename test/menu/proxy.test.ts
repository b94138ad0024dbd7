import { describe, expect, test } from 'vitest';
import { applyEffectResult } from '../../src/menu/effects/apply-result.ts';
import { problemOfAnswer } from '../../src/menu/effects/lookup.ts';
import { menuSchema } from '../../src/menu/schema.ts';
import type { Effect, MenuContext, Step } from '../../src/menu/state/state.ts';
import { step } from '../../src/menu/state/step.ts';
import { context, start } from './support.ts';

/* A part of the dialogue whose screens the merchant's system answers. */

const menu = menuSchema.parse({
  languages: ['en'],
  start: 'welcome',
  screens: {
    welcome: {
      kind: 'choose',
      text: '{merchant}',
      options: [{ label: 'Order', set: { reference: 'TABLE 4' }, to: 'order' }],
    },
    order: {
      kind: 'proxy',
      url: '/order/{reference}',
      maxTurns: 3,
      take: { due: { amount: '50.00', from: 'sum' } },
      done: [{ when: { value: 'due', above: '0.00' }, to: 'basket' }, 'nothing'],
      fallback: 'nothing',
    },
    basket: {
      kind: 'choose',
      text: 'Order for {due}',
      options: [{ label: 'Pay', set: { amount: '{due}' }, to: 'confirm' }],
    },
    confirm: { kind: 'confirm', text: 'Pay {amount}?', to: 'done' },
    done: { kind: 'end', text: 'Approve.' },
    nothing: { kind: 'end', text: 'Nothing was paid.' },
  },
});

type ProxyEffect = Extract<Effect, { kind: 'proxy' }>;

function effectOf({ effect }: Step): ProxyEffect {
  if (effect?.kind !== 'proxy') throw new Error('the step requests no screen');
  return effect;
}

/** Answers the request of a step. */
const answered = (at: Step, fields: unknown, from: MenuContext = context): Step =>
  applyEffectResult(menu, effectOf(at), { kind: 'proxy', answer: { kind: 'found', fields } }, from);

const typed = (at: Step, input: string, from: MenuContext = context): Step =>
  step(menu, at.state, input, from);

/** The first request of the part. */
const entered = (from: MenuContext = context) => typed(start(menu, from), '1', from);

test('the first request has the fields of a lookup and the turn, and each next one the input and the state', () => {
  const first = entered();
  expect(effectOf(first)).toMatchObject({
    url: '/order/TABLE%204',
    request: { lookup: 'order', turn: 1, reference: 'TABLE 4', dialler: context.dialler, values: {} },
  });
  expect(effectOf(first).request).not.toHaveProperty('input');
  const shown = answered(first, { text: 'Rice or yam?', state: 's1' });
  expect(shown.reply).toEqual({ kind: 'continue', text: 'Rice or yam?\n0. Back' });
  const second = typed(shown, ' 2 ');
  expect(effectOf(second).request).toMatchObject({ turn: 2, input: '2', state: 's1' });
  const third = typed(answered(second, { text: 'How many?' }), '1');
  expect(effectOf(third).request).toMatchObject({ turn: 3, input: '1' });
  expect(effectOf(third).request).not.toHaveProperty('state');
});

test('done takes the fields, and the payer still confirms the payment on a screen of the menu', () => {
  const done = answered(entered(), { done: true, sum: 20_00, text: 'not shown' });
  expect(done.reply.text).toBe('Order for GHS 20.00\n1. Pay\n0. Back');
  expect(done.state).not.toHaveProperty('proxied');
  const confirm = typed(done, '1');
  expect(confirm.state).toMatchObject({ screen: 'confirm', answers: { amountMinor: 20_00 } });
  expect(confirm).not.toHaveProperty('intent');
});

test.each([
  ['404', { kind: 'not_found' }],
  ['no answer', { kind: 'none' }],
  ['an unusable answer', { kind: 'found', fields: { text: 7 } }],
  ['a field above its maximum', { kind: 'found', fields: { done: true, sum: 50_01 } }],
] as const)('%s leads to the fallback, and to the message that nothing was paid without one', (_, answer) => {
  const first = entered();
  expect(first.state.screen).toBe('nothing');
  const result = { kind: 'proxy', answer } as const;
  expect(applyEffectResult(menu, effectOf(first), result, context).state.screen).toBe('nothing');
  const { fallback: _fallback, ...bare } = menu.screens.order as Extract<
    (typeof menu.screens)[string],
    { kind: 'proxy' }
  >;
  const without = { ...menu, screens: { ...menu.screens, order: bare } };
  const closed = applyEffectResult(without, effectOf(first), result, context);
  expect(closed.reply).toEqual({ kind: 'end', text: expect.stringContaining('Nothing was paid') });
});

test('after the last turn an input leads to the fallback, without a request', () => {
  let at = answered(entered(), { text: 'One' });
  for (const input of ['5', '6']) at = answered(typed(at, input), { text: 'More' });
  const last = typed(at, '7');
  expect(last).not.toHaveProperty('effect');
  expect(last.state.screen).toBe('nothing');
});

test('back leaves the part, and entering it again starts at turn 1', () => {
  const second = answered(typed(answered(entered(), { text: 'One' }), '5'), { text: 'Two' });
  const back = typed(second, '0');
  expect(back.state.screen).toBe('welcome');
  expect(effectOf(typed(back, '1')).request.turn).toBe(1);
});

test('the keys of the menu never reach the system, also where they lead nowhere', () => {
  const shown = answered(entered(), { text: 'One' });
  for (const key of ['#', '99', '', '  ']) {
    const again = typed(shown, key);
    expect(again).not.toHaveProperty('effect');
    expect(again.state).toMatchObject({ screen: 'order', proxied: { turn: 1 }, invalidInputs: 1 });
  }
});

test('without sequence numbers, a late repeat of the input that led to a screen is not its answer', () => {
  const unsequenced = { ...context, sequenced: false };
  const shown = answered(entered(unsequenced), { text: 'One' }, unsequenced);
  const repeated = typed(shown, '1', unsequenced);
  expect(repeated).not.toHaveProperty('effect');
  expect(repeated.reply.text).toContain('One');
  const again = typed(repeated, '1', unsequenced);
  expect(effectOf(again).request).toMatchObject({ turn: 2, input: '1' });
  const second = answered(again, { text: 'Two' }, unsequenced);
  expect(typed(second, '1', unsequenced)).not.toHaveProperty('effect');
});

test('a long text is divided into pages by lines, words and characters, and nothing of it is lost', () => {
  const lines = [
    'word '.repeat(40).trim(),
    '['.repeat(150),
    ...Array.from({ length: 10 }, (_, i) => `${i}. x`),
  ];
  let at = answered(entered(), { text: lines.join('\n') });
  const pages = [at.reply.text];
  while (at.reply.text.includes('#. More')) {
    at = typed(at, '#');
    pages.push(at.reply.text);
  }
  expect(pages.length).toBeGreaterThan(3);
  const septets = (text: string) => text.length + text.split('[').length - 1;
  for (const page of pages) expect(septets(page)).toBeLessThanOrEqual(160);
  const whole = pages.map((page) => page.replace(/\n?(#\. More|0\. Back)/g, '')).join('');
  expect(whole.replace(/\s/g, '')).toBe(lines.join('').replace(/\s/g, ''));
  expect(effectOf(typed(at, '3')).request).toMatchObject({ turn: 2, input: '3' });
});

test('a text is never interpreted: placeholders, keys and control characters stay or disappear', () => {
  const shown = answered(entered(), { text: 'Pay {due} to {merchant}\u0007\r\n\n1. Yes\t now ' });
  expect(shown.reply.text).toBe('Pay {due} to {merchant}\n1. Yes now\n0. Back');
});

test('a dialled suffix ends at the part', () => {
  const at = { ...start(menu, context).state, pendingInputs: ['1'] };
  const first = typed({ ...entered(), state: at }, '1');
  const shown = answered(
    {
      ...first,
      effect: { ...effectOf(first), state: { ...effectOf(first).state, pendingInputs: ['2', '3'] } },
    },
    { text: 'One' },
  );
  expect(shown).not.toHaveProperty('effect');
  expect(shown.state).not.toHaveProperty('pendingInputs');
});

describe('an unusable answer is reported with its field', () => {
  test.each([
    [{}, 'text: expected a text, found nothing'],
    [{ text: '   ' }, 'text: expected letters or digits'],
    [{ text: 'x'.repeat(481) }, 'text: expected at most 480 characters'],
    [{ text: 'ﷺ'.repeat(100) }, 'text: expected at most 480 characters'],
    [{ text: 'x', state: {} }, 'state: expected a text, found an object'],
    [{ text: 'x', state: 'x'.repeat(513) }, 'state: expected at most 512 characters'],
    [{ text: 'x', done: 'yes' }, 'done: expected true or false, found a text'],
    [{ done: true, sum: '20.00' }, 'sum: expected a whole number of pesewas, found a text'],
    [{ text: 'x'.repeat(480), state: 'y'.repeat(512), done: false }, undefined],
    [{ done: true }, undefined],
  ])('%j', (fields, problem) => {
    expect(problemOfAnswer(menu, 'order', fields)).toBe(problem);
  });
});
