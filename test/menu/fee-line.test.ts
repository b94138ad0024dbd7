import { describe, expect, test } from 'vitest';
import { applyEffectResult } from '../../src/menu/effects/apply-result.ts';
import type { Menu } from '../../src/menu/schema.ts';
import type { Step } from '../../src/menu/state/state.ts';
import { step } from '../../src/menu/state/step.ts';
import { formatFileErrors } from '../../src/shared/yaml.ts';
import { findingsOf } from './prove-support.ts';
import { context, loadText, start } from './support.ts';

/* Every confirm screen states the fee, whatever its own text is. */

const menuText = (confirm: string, messages = '{}') => `languages: [en, tw]
askLanguage: false
start: amount
messages: ${messages}
screens:
  amount: { kind: ask, answer: amount, min: "1.00", max: "5000.00", text: Amount, to: confirm }
  confirm: { kind: confirm, text: ${confirm}, to: done }
  done: { kind: end, text: "Approve {charge}" }
`;

type ConfirmScreens = { menu: Menu; without: Step; known: Step };

/** Returns the confirm screen of twenty cedis without a quote, and with a quoted fee of twenty pesewas. */
function confirmOf(confirm: string, { messages = '{}', language = 'en' } = {}): ConfirmScreens {
  const loaded = loadText(menuText(confirm, messages));
  if (!loaded.ok) throw new Error(formatFileErrors(loaded.errors));
  const { menu } = loaded;
  const without = step(menu, { ...start(menu, context).state, language }, '20', context);
  if (without.effect?.kind !== 'quote') throw new Error('expected a quote effect');
  const quote = { id: 'quo_1', reference: 'R', feeMinor: 20, totalMinor: 2_020 };
  return { menu, without, known: applyEffectResult(menu, without.effect, { kind: 'quote', quote }, context) };
}

const textOf = ({ reply }: Step) => reply.text.split('\n1. ')[0];

describe('a confirm screen states the fee', () => {
  test.each([
    [
      'without a placeholder for it',
      '"Pay {amount}?"',
      'Pay GHS 20.00?\nA fee may apply.',
      'Pay GHS 20.00?\nFee GHS 0.20, total GHS 20.20',
    ],
    [
      'with the sum of the prompt only',
      '"Pay {amount}?\\nPrompt {charge}"',
      'Pay GHS 20.00?\nPrompt GHS 20.00\nA fee may apply.',
      'Pay GHS 20.00?\nPrompt GHS 20.20\nFee GHS 0.20, total GHS 20.20',
    ],
    [
      'whose fee line also has an unknown value',
      '"Pay {amount}?\\n{reference}, fee {fee}"',
      'Pay GHS 20.00?\nA fee may apply.',
      'Pay GHS 20.00?\nFee GHS 0.20, total GHS 20.20',
    ],
    [
      'with its own total',
      '"Pay {amount}?\\nIn all {total}"',
      'Pay GHS 20.00?\nA fee may apply.',
      'Pay GHS 20.00?\nIn all GHS 20.20',
    ],
    [
      'with its own fee',
      '"Fee {fee}\\nPay {amount}?"',
      'A fee may apply.\nPay GHS 20.00?',
      'Fee GHS 0.20\nPay GHS 20.00?',
    ],
  ])('%s', (_, confirm, without, known) => {
    const steps = confirmOf(confirm);
    expect(textOf(steps.without)).toBe(without);
    expect(textOf(steps.known)).toBe(known);
  });

  test('in the language of the dialogue, with the message of the menu when it has one', () => {
    const both = '{ en: "Pay {amount}?", tw: "Tua {amount}?" }';
    const messages = '{ feeAndTotal: { en: "With fee {total}" }, feeMayApply: { tw: "Ebia fee." } }';
    const feeLines = ({ without, known }: ConfirmScreens) =>
      [without, known].map(({ reply }) => reply.text.split('\n')[1]);
    expect(feeLines(confirmOf(both, { messages }))).toEqual(['A fee may apply.', 'With fee GHS 20.20']);
    expect(feeLines(confirmOf(both, { messages, language: 'tw' }))).toEqual([
      'Ebia fee.',
      'Fee GHS 0.20, nyinaa GHS 20.20',
    ]);
  });
});

test('the intent has the total shown', () => {
  const { menu, known } = confirmOf('"Pay {amount}?"');
  expect(step(menu, known.state, '1', context).intent).toMatchObject({
    amountMinor: 2_000,
    quote: { totalMinor: 2_020 },
  });
});

test('the prover measures the line, with the longest fee and total', () => {
  expect(findingsOf(menuText('"Pay {amount}?"'))).toEqual([]);
  const words = 'x'.repeat(100);
  // Includes the message for an invalid input and the line for the next page.
  const length = `Invalid option.\n${words} GHS 5000.00 GHS 10000.00\n#. More`.length;
  const [first = ''] = findingsOf(menuText('"Pay {amount}?"', `{ feeAndTotal: "${words} {fee} {total}" }`));
  expect(first).toContain(`confirm en too_long: ${length} septets`);
});

test('the prover walks menus whose total is above the largest amount', () => {
  expect(findingsOf(menuText('"Pay {amount}?"').replace('5000.00', '1000000.00'))).toEqual([]);
});
