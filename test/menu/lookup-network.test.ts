import { describe, expect, test } from 'vitest';
import type { LookupAnswer, LookupRequest, QuoteRequest } from '../../src/menu/state/state.ts';
import { converse, quoted } from './conversation.ts';
import { prove } from './prove-support.ts';
import { loadText } from './support.ts';

/* A menu that asks the merchant's own system for the network of another payer's number. */

const text = (take: string) => `languages: [en]
start: number
screens:
  number:
    kind: ask
    answer: msisdn
    text: "Number that pays:"
    to: find
  find:
    kind: lookup
    url: /network
    take:
      holder: { text: 20, from: name }
      ${take}
    found: amount
    notFound: amount
    fallback: amount
  amount:
    kind: ask
    answer: amount
    min: "1.00"
    max: "1000.00"
    text: |-
      {holder}
      {network}
      Amount
    to: confirm
  confirm:
    kind: confirm
    text: Pay {amount}?
    to: done
  done:
    kind: end
    text: Approve {amount}.
`;

function load(take: string) {
  const loaded = loadText(text(take));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return loaded.menu;
}

/** Types a number with the prefix of MTN, and an amount. Returns the screens and the request of the quote. */
function pay(answers: readonly LookupAnswer[], inputs = ['0244000111', '20']) {
  const menu = load('operator: { from: network }');
  const quotes: QuoteRequest[] = [];
  const asked: LookupRequest[] = [];
  const world = {
    lookup: (request: LookupRequest) => answers[asked.push(request) - 1] ?? ({ kind: 'none' } as const),
    quote: (request: QuoteRequest) => {
      quotes.push(request);
      return quoted(request);
    },
  };
  const screen = converse(menu, inputs.slice(0, 1), {
    ...world,
    lookup: () => answers[0] ?? { kind: 'none' },
  });
  const step = converse(menu, inputs, world);
  return { screen: screen.reply.text, step, hint: quotes.at(-1)?.operatorHint, asked };
}

const named = (network: unknown): LookupAnswer => ({ kind: 'found', fields: { name: 'Ama', network } });

describe('the network that a lookup names', () => {
  test.each([
    ['telecel', 'Telecel', 'telecel'],
    ['Vodafone Ghana', 'Telecel', 'telecel'],
    ['AirtelTigo', 'AT', 'at'],
  ])('is that of the other number, on the screen and for the quote: %s', (name, title, operator) => {
    const { screen, hint, step } = pay([named(name)]);
    expect(screen).toContain(`Ama\n${title}\n`);
    expect(hint).toBe(operator);
    expect(step.state.answers).toMatchObject({ operator, values: { holder: 'Ama' } });
    expect(step.state.answers.values).not.toHaveProperty('operator');
  });

  test.each<[string, LookupAnswer]>([
    ['without a network', named(undefined)],
    ['that is not found', { kind: 'not_found' }],
    ['without an answer', { kind: 'none' }],
    ['with a word that is no network', named('postpaid')],
    ['with a number', named(7)],
  ])('is not known after a lookup %s', (_, answer) => {
    const { screen, hint } = pay([answer]);
    expect(screen).not.toMatch(/MTN|Telecel/);
    expect(hint).toBeUndefined();
  });

  test('does not stay when the next number has none', () => {
    const inputs = ['0244000111', '0', '0244000222', '20'];
    expect(pay([named('telecel'), named(undefined)], inputs).hint).toBeUndefined();
    expect(pay([named('telecel'), named('at')], inputs).hint).toBe('at');
  });

  test('is not asked for again for the same number', () => {
    const { asked } = pay([named('telecel'), named('at')], ['0244000111', '0', '0244000111', '20']);
    expect(asked).toHaveLength(1);
  });
});

test('a field called operator with a type is a value like others', () => {
  const typed = load('operator: { text: 10, from: network }');
  const { state } = converse(typed, ['0244000111'], { lookup: () => named('night') });
  expect(state.answers.values).toEqual({ holder: 'Ama', operator: 'night' });
  expect(state.answers).not.toHaveProperty('operator');
});

test('a field without a type under another name is reported where it stands', () => {
  expect(loadText(text('network: {}').replace('{holder}', 'Yes'))).toMatchObject({
    errors: [
      { line: 14, message: expect.stringContaining('expected one of text, amount and number, or list') },
    ],
  });
});

test('the check knows that a lookup can set the network', () => {
  const kinds = (take: string, changes: [string, string][] = []) =>
    prove(changes.reduce((menu, [from, to]) => menu.replace(from, to), text(take))).findings.map(
      ({ kind, screen }) => `${screen}: ${kind}`,
    );
  expect(kinds('operator: { from: network }')).toEqual([]);
  expect(kinds('other: { text: 9 }')).toEqual(['number: no_network']);
  // The longest name of a network is too long there, and each network leads to a route of its own.
  const long = `${'Nn '.repeat(38)}{network}`;
  expect(kinds('operator: {}', [['Approve {amount}.', long]])).toContain('done: too_long');
  const routes =
    '\n      - { when: { operator: telecel }, to: amount }\n      - { when: { operator: unknown }, to: closed }\n      - amount';
  expect(
    kinds('operator: {}', [
      ['found: amount', `found:${routes}`],
      ['  done:', '  closed: { kind: end, text: No network. }\n  done:'],
    ]),
  ).toEqual([]);
});
