import { describe, expect, test } from 'vitest';
import { msisdnOf } from '../kit/msisdn.ts';
import { shopMenu } from '../kit/shop-menu.ts';
import { converse, keyOf, payment, proceed } from './conversation.ts';

/* The question before a payment is paid a second time. */

const menu = shopMenu();
const other = msisdnOf('0201234567');
const question = 'You confirmed GHS 20.00 to Demo Shop at 10:00. Pay the same again?\n7. Yes\n2. No\n0. Back';
const asked = (inputs: string[], from = {}) => converse(menu, inputs, { duplicate: payment, context: from });

test.each<[inputs: string[], kind: string, screen: string]>([
  [['1', '20', '1'], 'continue', question],
  // A copy of the first confirmation never answers the question.
  [['1', '20', '1', '1'], 'continue', `Invalid option.\n${question}`],
  [['1', '20', '1', '1', '1'], 'continue', `Invalid option.\n${question}`],
  [['1', '20', '1', '1', '1', '1'], 'end', 'Too many invalid entries. Please dial again.'],
  [['1', '20', '1', '2'], 'end', 'Cancelled. Nothing was paid.'],
  [['1', '20', '1', '7'], 'end', 'Approve GHS 20.00 with your PIN.\nRef 4821 7369'],
])('%j: %s', (inputs, kind, screen) => {
  expect(asked(inputs).reply).toEqual({ kind, text: screen });
  expect(asked(inputs).intent !== undefined).toBe(screen.startsWith('Approve'));
});

test('the second confirmation is a payment of its own, with the quote of the confirm screen', () => {
  expect(asked(['1', '20', '1', '7']).intent).toMatchObject({
    amountMinor: 2_000,
    quote: { totalMinor: 2_020 },
  });
  expect(asked(['1', '20', '1', '7']).intent).not.toHaveProperty('retryOf');
});

test('without a duplicate, the first confirmation is the payment', () => {
  expect(converse(menu, ['1', '20', '1']).intent).toMatchObject({ amountMinor: 2_000 });
});

test('the requester of another number reads the time of the first request', () => {
  const request = { ...payment, payer: other };
  const { text } = converse(menu, ['2', '0201234567', '20', '1'], { duplicate: request }).reply;
  expect(text).toBe(question);
});

describe('after the amount 1, without sequence numbers', () => {
  const unsequenced = { sequenced: false };
  // The amount equals the key of the menu, so it counts the second time.
  const confirm = asked(['1', '1', '1'], unsequenced);
  const shown = proceed(menu, confirm, ['Yes'], { duplicate: payment, context: unsequenced });

  test('the question uses neither of the last two keys', () => {
    expect([keyOf(confirm, 'Yes'), keyOf(confirm, 'No')]).toEqual(['7', '2']);
    expect([keyOf(shown, 'Yes'), keyOf(shown, 'No')]).toEqual(['9', '2']);
  });

  test.each(['1', '7'])('a copy of the key %s confirms nothing', (copy) => {
    const copied = proceed(menu, shown, [copy], { context: unsequenced });
    expect([copied.state.screen, copied.intent]).toEqual(['(duplicate)', undefined]);
  });
});
