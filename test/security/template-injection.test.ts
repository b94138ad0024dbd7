import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyEffectResult } from '../../src/menu/effects/apply-result.ts';
import { menuSchema } from '../../src/menu/schema.ts';
import type { Step } from '../../src/menu/state/state.ts';
import { step } from '../../src/menu/state/step.ts';
import { commonPlaceholders, fill } from '../../src/menu/text/render.ts';
import { context, start } from '../menu/support.ts';

/** A menu that shows a typed and a looked-up text in every part that can have placeholders. */
const menu = menuSchema.parse({
  languages: ['en'],
  start: 'name',
  messages: { feeMayApply: { en: 'Fee for {reference}' } },
  screens: {
    name: { kind: 'ask', answer: 'text', name: 'typed', text: 'Name:', maxLength: 20, to: 'find' },
    find: {
      kind: 'lookup',
      url: '/names/{typed}?of={typed}',
      take: { found: { text: 20 }, items: { list: 3, of: { label: { text: 20 } } } },
      found: 'choose',
      notFound: 'choose',
      fallback: 'choose',
    },
    choose: {
      kind: 'choose',
      text: 'Typed {typed}\nUpper {typed:upper}\nFound {found}',
      options: [
        { label: 'Option {typed} {found}', set: { values: { note: '{typed} {found}' } }, to: 'amount' },
        {
          label: 'Item {item.label}',
          each: 'items',
          set: { values: { note: '{item.label}' } },
          to: 'amount',
        },
      ],
    },
    amount: {
      kind: 'ask',
      answer: 'amount',
      min: '1.00',
      max: '9.00',
      text: 'For {note}:',
      error: 'No, {example}',
      example: '5',
      to: 'reference',
    },
    reference: {
      kind: 'choose',
      text: 'Note {note}',
      options: [{ label: 'On', set: { reference: '{note}' }, to: 'confirm' }],
    },
    confirm: { kind: 'confirm', text: 'Pay {amount} for {reference}\nNote {note}', to: 'done' },
    done: { kind: 'end', text: 'Done {reference} {note} {typed} {found}' },
  },
});

/** Types a name, applies the answer of the lookup, and returns that step. */
function lookedUp(typed: string, found: string): Step {
  const asked = step(menu, start(menu, context).state, typed, context);
  if (asked.effect?.kind !== 'lookup') throw new Error('expected a lookup');
  const fields = { found, items: [{ label: found }] };
  return applyEffectResult(
    menu,
    asked.effect,
    { kind: 'lookup', answer: { kind: 'found', fields } },
    context,
  );
}

/** Types inputs one after another. */
const walkOn = (from: Step, ...inputs: string[]): Step =>
  inputs.reduce((at, input) => step(menu, at.state, input, context), from);

/** Texts with the form of placeholders of this menu, of the gateway, and of nothing. */
const placeholders = '{merchant} {payer} {typed} {found} {note} {amount:words} {item.label} {nothing}'.split(
  ' ',
);

describe.each(placeholders)('a text %s', (text) => {
  /** A reference that an option sets has neither braces nor colons. */
  const inReference = text.replaceAll(/[{}:]/g, '-');

  test('that is typed is shown as it is on every screen, and stays a text in the reference', () => {
    const chosen = lookedUp(text, 'x');
    expect(chosen.reply.text).toContain(
      `Typed ${text}\nUpper ${text.toUpperCase()}\nFound x\n1. Option ${text} x`,
    );
    const noted = walkOn(chosen, '1');
    expect(noted.reply.text).toContain(`For ${text} x:`);
    const confirm = walkOn(noted, '3', '1');
    expect(confirm.reply.text).toContain(`for ${inReference} x\nNote ${text} x`);
    expect(confirm.state.answers).toMatchObject({
      reference: `${inReference} x`,
      values: { typed: text, note: `${text} x` },
    });
  });

  test('that is looked up is shown as it is in texts, options and list items, and stays a text in presets', () => {
    const chosen = lookedUp('y', text);
    expect(chosen.reply.text).toContain(`Found ${text}\n1. Option y ${text}\n2. Item ${text}`);
    const confirm = walkOn(chosen, '2', '3', '1');
    expect(confirm.reply.text).toContain(`for ${inReference}\nNote ${text}`);
    expect(confirm.state.answers.reference).toBe(inReference);
  });

  test('that is typed is one encoded part of a lookup address', () => {
    const asked = step(menu, start(menu, context).state, text, context);
    const encoded = encodeURIComponent(text);
    expect(asked.effect).toMatchObject({ url: `/names/${encoded}?of=${encoded}` });
  });
});

test('no value is parsed as a template, whatever it contains', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    ':',
    '.',
    'merchant',
    'a',
    'b',
    'amount',
    'words',
    '{a}',
    '{b}',
    '{merchant}',
    '$1',
    '$&',
    ' ',
  );
  const value = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(fill('<{a}> and <{b}>', { a, b, merchant: 'M', amount: '5.00' })).toBe(`<${a}> and <${b}>`);
    }),
  );
});

test('a placeholder that two values spell together is not replaced', () => {
  for (const name of commonPlaceholders) {
    const values = { a: `{${name.slice(0, 2)}`, b: `${name.slice(2)}}`, [name]: 'REPLACED' };
    expect(fill('{a}{b}', values)).toBe(`{${name}}`);
  }
});
