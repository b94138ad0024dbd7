import { describe, expect, test } from 'vitest';
import type { MenuContext, QuoteRequest } from '../../src/menu/state/state.ts';
import { perOperator } from '../../src/shared/msisdn.ts';
import { shopMenu } from '../kit/shop-menu.ts';
import { converse, proceed, quoted } from './conversation.ts';

/* The confirm screen: the total that it names, and what stands in its way. */

const menu = shopMenu();
const own = 'Pay GHS 20.00 to Demo Shop from 0244123456?';
const options = '1. Yes\n2. No\n0. Back';
const consent = "The number's owner must agree.";

test.each<[what: string, inputs: string[], world: Parameters<typeof converse>[2], screen: string]>([
  ['with a quote', ['1', '20'], {}, `${own}\nFee GHS 0.20, total GHS 20.20\n${options}`],
  ['without one', ['1', '20'], { quote: () => undefined }, `${own}\nA fee may apply.\n${options}`],
  [
    'for another number',
    ['2', '0201234567', '20'],
    {},
    `Pay GHS 20.00 to Demo Shop from 0201234567?\nFee GHS 0.20, total GHS 20.20\n${consent}\n${options}`,
  ],
  [
    'for the own number, typed as another one',
    ['2', '0244123456', '20'],
    {},
    `${own}\nFee GHS 0.20, total GHS 20.20\n${options}`,
  ],
  [
    'while the service does not answer',
    ['1', '20'],
    { context: { isServiceUnavailable: true }, quote: () => undefined },
    `${own}\nA fee may apply.\nPayments may fail now.\n${options}`,
  ],
  [
    'after the payment was refused',
    ['1', '20'],
    { quote: () => 'rejected' },
    'Sorry, payment to Demo Shop is not possible now. Nothing was paid.',
  ],
])('%s', (_, inputs, world, screen) => {
  expect(converse(menu, inputs, world).reply.text).toBe(screen);
});

test('a payer of a network that the service does not offer reads so instead, and no quote is requested', () => {
  const networks: MenuContext['networks'] = perOperator((operator) => (operator === 'mtn' ? null : operator));
  const refused = converse(menu, ['1', '20'], {
    context: { networks },
    quote: () => expect.unreachable(),
  });
  expect(refused.reply).toEqual({
    kind: 'end',
    text: 'Sorry, Demo Shop cannot take payment from the network of 0244123456. Nothing was paid.',
  });
});

describe('a quote', () => {
  /** Types the inputs, and returns the amounts and references of the requested quotes. */
  function quotesOf(inputs: string[]): unknown[][] {
    const requests: QuoteRequest[] = [];
    const quote = (request: QuoteRequest) => {
      requests.push(request);
      return quoted(request);
    };
    converse(menu, inputs, { quote });
    return requests.map(({ amountMinor, reference }) => [amountMinor, reference]);
  }

  test.each<[what: string, inputs: string[], requests: unknown[]]>([
    ['is not requested again by invalid inputs on its screen', ['1', '20', '5', '5'], [[2_000, undefined]]],
    [
      'is requested again for another amount',
      ['1', '20', '0', '50'],
      [
        [2_000, undefined],
        [5_000, undefined],
      ],
    ],
    ['has the reference of a bill', ['3', 'INV-1234', '20'], [[2_000, 'INV-1234']]],
  ])('%s', (_, inputs, requests) => {
    expect(quotesOf(inputs)).toEqual(requests);
  });

  test('belongs to the payment that it was requested for: after another amount, the intent has the other quote', () => {
    const at = converse(menu, ['1', '20', '0', '50']);
    expect(at.reply.text).toContain('Fee GHS 0.50, total GHS 50.50');
    expect(proceed(menu, at, ['Yes']).intent).toMatchObject({
      amountMinor: 5_000,
      quote: { id: 'quote of 5000', totalMinor: 5_050 },
    });
  });
});

test('a network that was chosen for another number is a line of the confirm screen; for the own number, the aggregator names it', () => {
  const chosen = shopMenu({
    screens: {
      welcome: {
        kind: 'choose',
        text: '{merchant}',
        options: [{ label: 'An MTN number', set: { operator: 'mtn' }, to: 'number' }],
      },
    },
  });
  const text = (number: string, operator: 'mtn' | 'at') =>
    converse(chosen, ['1', number, '20'], { context: { operator } });
  expect(text('0201234567', 'at').reply.text).toContain(`\nOn MTN\n${consent}\n`);
  expect(text('0244123456', 'at').reply.text).not.toContain('MTN');
});
