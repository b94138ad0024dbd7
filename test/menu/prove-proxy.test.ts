import { describe, expect, test } from 'vitest';
import { findingsOf, nalo, prove } from './prove-support.ts';

/* The proof of menus whose screens the merchant's system answers in part. */

/** A menu whose part has these further keys; `done` is a choice with the looked-up price, or another route. */
const menu = (keys: string) => `languages: [en]
start: first
screens:
  first: { kind: choose, text: Hello, options: [{ label: Order, to: part }] }
  part: { kind: proxy, url: /part, take: { due: { amount: "90.00" } }, ${keys}${keys.includes('maxTurns') ? '' : ', maxTurns: 2'} }
  pay: { kind: choose, text: "Due {due}", options: [{ label: Pay, set: { amount: "{due}" }, to: confirm }] }
  confirm: { kind: confirm, text: "Pay {amount}?", to: end }
  end: { kind: end, text: "{approvals}" }
`;
const known = 'done: [{ when: { value: due, above: "0.00" }, to: pay }, end]';

describe.each([
  ['gsm', 120],
  ['unicode', 182],
] as const)('on a channel of %s with a limit of %i', (alphabet, limit) => {
  test('the longest texts of a part fit on pages, up to the last turn', () => {
    const channels = [{ ...nalo, alphabet, limit }];
    const { findings, proven } = prove(menu(`${known}, fallback: end, maxTurns: 3`), { channels });
    expect(findings).toEqual([]);
    const part = proven?.proof.texts.filter(({ screen }) => screen === 'part') ?? [];
    expect(part.length).toBeGreaterThan(0);
    for (const { septets } of part) expect(septets).toBeLessThanOrEqual(limit);
    expect([...(proven?.proof.reached ?? [])].sort()).toEqual(['confirm', 'end', 'first', 'part', 'pay']);
  });
});

test('a part without a fallback ends the dialogue', () => {
  expect(findingsOf(menu(known))).toEqual([
    expect.stringMatching(/^5 part {2}no_fallback: .+when the proxy has no answer in time$/),
  ]);
});

test('a part whose end leads to a confirmation without an amount is found', () => {
  expect(findingsOf(menu('done: confirm, fallback: pay'))).toContainEqual(
    expect.stringContaining('confirm  lost: expected an amount on every route to this screen'),
  );
});

test('an amount of zero that leads to a confirmation is found', () => {
  expect(findingsOf(menu('done: pay, fallback: end'))).toContainEqual(expect.stringContaining('lost: '));
});

test('parts whose fallbacks lead to each other are a loop', () => {
  const ring = menu(`${known}, fallback: other`).replace(
    '  pay:',
    `  other: { kind: proxy, url: /other, take: {}, done: end, fallback: part }\n  pay:`,
  );
  expect(findingsOf(ring)).toContainEqual(
    expect.stringContaining('expected a screen between lookups that lead to each other: part, other'),
  );
});

test.each([
  ['maxTurns: 21', 'expected the maximum number of requests, from 1 to 20'],
  ['maxTurns: 0', 'expected the maximum number of requests, from 1 to 20'],
  ['notFound: end', 'unknown key'],
])('%s is rejected', (keys, message) => {
  expect(findingsOf(menu(`${known}, fallback: end, ${keys}`)).join('\n')).toContain(message);
});

test('a field of the answer cannot be the one that ends a part', () => {
  const text = menu(`${known}, fallback: end`).replace(
    'due: { amount: "90.00" }',
    'due: { amount: "90.00" }, ended: { text: 3, from: done }',
  );
  expect(findingsOf(text).join('\n')).toContain('expected a field other than done, which ends the part');
});
