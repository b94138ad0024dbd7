import { describe, expect, test } from 'vitest';
import { longestCounts } from '../../src/menu/prove/longest-count.ts';
import { longestTexts } from '../../src/menu/prove/longest-reference.ts';
import { maxAmountMinor } from '../../src/shared/money.ts';
import { approvals, nalo, prove, told } from './prove-support.ts';

/** A menu of a first screen, others, and a way to pay. */
const menu = (head: string, screens: string) => `${head}
screens:
${screens}
  amount: { kind: ask, answer: amount, min: "1.00", max: "500.00", text: Amount, to: confirm }
  confirm: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: "{approvals}" }
`;
const english = 'languages: [en]\nstart: first';
const long = 'x'.repeat(121);

/** Kind, screen and language of what is found. */
function found(text: string): string[] {
  const { findings } = prove(text);
  return findings.map(({ kind, screen = '', language = '' }) => `${kind} ${screen} ${language}`.trim());
}

describe("the gateway's own screens are measured with their longest values, in every language", () => {
  const own = (messages: string, more = '') =>
    menu(
      `languages: [en, tw]\nstart: first\nmessages: ${messages}`,
      `  first:
    kind: choose
    text: Hello
    options:
      - { label: Pay, to: amount }
      - { label: Requests, to: requests }
      - { label: Another number, to: number }
      - { label: "Paid?", to: paid }
  requests: { kind: requests, text: Requests }
  number: { kind: ask, answer: msisdn, text: Number, to: amount }
  paid: { kind: status, text: Reference }
${more}`,
    );

  const told120 = (name: string) => own(`{ ${name}: { en: "${long}", tw: Aane } }`);
  const names = [
    ...['paymentWaiting', 'paymentPaid', 'paymentFailed', 'paymentUnknown', 'approve', 'promptSentAgain'],
    ...[
      'statusPaid',
      'statusWaiting',
      'statusFailed',
      'statusUnknown',
      'statusNotFound',
      'statusUnavailable',
    ],
    ...['attendantsOnly', 'requestsBlocked', 'requestsAllowed', 'unchanged'],
    ...['rejectedBlocked', 'rejectedTooMany', 'rejectedCoolDown', 'waiting', 'sessionLost', 'fault', 'slow'],
  ];
  test.each(names)('%s', (name) => {
    // A message of one's own without the amount is told as well, where a yes comes after it.
    const findings = prove(told120(name)).findings.filter(({ kind }) => kind === 'too_long');
    expect(findings.map(({ screen, language, line }) => ({ screen, language, line }))).toEqual([
      { screen: `(${name})`, language: 'en', line: 3 },
    ]);
  });

  test.each([
    ['again', '(duplicate)'],
    ['resume', '(resume)'],
  ])('%s', (name, screen) => {
    const findings = prove(told120(name)).findings.filter(({ kind }) => kind === 'too_long');
    expect(findings.map((one) => one.screen)).toEqual([screen]);
  });

  test('our own words fit the tightest channel, whatever is paid and whatever it costs', () => {
    const largest = own('{}')
      .replace('max: "500.00"', 'max: "1000000.00"')
      .replace('"Pay {amount}?"', '"Pay {amount}?\\nFee {fee}, total {total}"');
    expect(largest).toContain('{fee}');
    expect(told(largest)).toEqual([]);
    const cut = told(largest, { channels: [{ ...nalo, limit: 117 }] });
    expect(cut.join()).toContain('(promptSentAgain) en too_long: 119 septets');
  });

  test('the time is of another day, the number of another payer, the amount the largest', () => {
    const text = 'x'.repeat(90);
    const [finding] = prove(own(`{ statusPaid: "${text}{amount}{time}{payer}{short_reference}" }`)).findings;
    const length =
      90 + 'GHS 500.00'.length + '20 Nov 12:30'.length + '0244***001'.length + '0000 0000'.length;
    expect(finding).toMatchObject({ kind: 'too_long', screen: '(statusPaid)', answered: ['paid'] });
    expect(finding?.message).toBe(`${length} septets, ${length - 120} over 120 (nalo)`);
  });

  test('what is sent again, or agreed to twice, is agreed to with its amount', () => {
    const again = found(own('{ again: Once more? }'));
    expect(again.sort()).toEqual(['hidden_amount (again) en', 'hidden_amount (again) tw']);
    const standing = found(own('{ paymentFailed: "Not paid to {merchant}." }'));
    expect(standing.sort()).toEqual(['hidden_amount (paymentFailed) en', 'hidden_amount (paymentFailed) tw']);
  });

  test('the question for a language is a screen of its own, and counts as one input', () => {
    expect(prove(own('{}')).proven?.proof.hops).toEqual({ least: 4, most: 5 });
    expect(prove(own('{}').replace('start:', 'askLanguage: false\nstart:')).proven?.proof.hops).toEqual({
      least: 3,
      most: 4,
    });
    const names = own('{}').replace(
      'start:',
      `languageNames: { en: ${'e'.repeat(16)}, tw: ${'t'.repeat(16)} }\nstart:`,
    );
    expect(told(names, { channels: [{ ...nalo, limit: 60 }] }).join()).not.toContain('(language)');
  });
});

test('attendants and others are both walked', () => {
  const text = menu(
    english,
    `  first:
    kind: choose
    text: Hello
    options:
      - { label: Pay, to: amount }
      - { label: "Paid?", when: { dialler: attendant }, to: paid }
  paid: { kind: status, text: "${long}" }`,
  );
  expect(found(text)).toEqual(['too_long paid en']);
  expect(found(text.replace('dialler: attendant', 'payer: other'))).toEqual(['unreachable paid']);
});

test('whose numbers take requests from other phones, and whose do not, is asked in words that fit', () => {
  const asked = `  first: { kind: choose, text: Hello, options: [{ label: Pay, to: amount }, { label: Stop, to: stop }] }
  stop: { kind: requests, text: "${'x'.repeat(70)}" }`;
  const head = `languages: [en]\nstart: first\nmessages: { allowRequests: "${long}" }`;
  expect(found(menu(head, asked))).toEqual(['too_long stop en']);
  expect(found(menu(english, asked))).toEqual([]);
});

describe('both sides of every condition are walked', () => {
  const at = (route: string, question = 'answer: number, name: seats, min: 1, max: 12, each: "{fare}"') =>
    menu(
      english,
      `  first: { kind: lookup, url: "https://bus.example/fare", take: { fare: { amount: "40.00" } }, found: [{ when: { value: fare, above: "0.00" }, to: seats }, amount], notFound: none, fallback: none }
  seats: { kind: ask, ${question}, text: "Seats?", to: ${route} }
  none: { kind: end, text: "No bus" }
  odd: { kind: choose, text: "${long}", options: [{ label: Pay, to: confirm }] }`,
    );
  const table: [what: string, route: string, question?: string][] = [
    [
      'an amount that only many seats come to',
      '[{ when: { value: amount, atLeast: "480.00" }, to: odd }, confirm]',
    ],
    [
      'an amount that only few seats come to',
      '[{ when: { value: amount, atMost: "0.12" }, to: odd }, confirm]',
    ],
    ['a number in the middle', '[{ when: { value: seats, is: 7 }, to: odd }, confirm]'],
    ['a number at its bound', '[{ when: { value: seats, below: 2 }, to: odd }, confirm]'],
    [
      'a number without a price',
      '[{ when: { value: seats, atMost: 3 }, to: odd }, amount]',
      'answer: number, name: seats, min: 1, max: 12',
    ],
    [
      'an amount between two',
      '[{ when: { value: amount, atLeast: "33.33", below: "33.34" }, to: odd }, confirm]',
      'answer: amount, min: "1.00", max: "90.00"',
    ],
    [
      'a text in whatever letters its pattern takes',
      '[{ when: { value: reference, is: abC }, to: odd }, amount]',
      `answer: reference, pattern: "[A-Z][a-z]+", example: Xy`,
    ],
    [
      'any text but one',
      '[{ when: { value: reference, is: a }, to: amount }, odd]',
      `answer: reference, pattern: "A|B", example: B`,
    ],
    [
      "another payer's number",
      '[{ when: { payer: other, operator: glo }, to: odd }, amount]',
      'answer: msisdn',
    ],
    ["one's own number", '[{ when: { payer: own, operator: at }, to: odd }, amount]', 'answer: msisdn'],
  ];
  test.each(table)('%s', (_, route, question) => {
    expect(found(at(route, question)).filter((one) => !one.startsWith('lost'))).toEqual(['too_long odd en']);
  });

  test('what is never said leads nowhere', () => {
    const never = at('[{ when: { value: amount, above: "480.00" }, to: odd }, confirm]');
    expect(found(never)).toEqual(['unreachable odd']);
  });
});

test('a list is shown with all that it may hold, and each of its options leads on', () => {
  const text = (limit: number) =>
    menu(
      english,
      `  first:
    kind: lookup
    url: https://school.example/fees
    take: { fees: { list: 20, of: { name: { text: 14 }, due: { amount: "90.00" } } } }
    found: [{ when: { value: fees, known: true }, to: fees }, amount]
    notFound: amount
    fallback: amount
  fees:
    kind: choose
    text: Fees
    options:
      - label: "{item.name} {item.due}"
        each: fees
        when: { value: item.due, above: "0.00" }
        set: { amount: "{item.due}", reference: "{item.name}" }
        to: confirm
      - { label: "${'x'.repeat(limit)}", to: amount }`,
    );
  const { findings, proven } = prove(text(10), { channels: [{ ...nalo, limit: 10_000 }] });
  expect(findings).toEqual([]);
  const lines = [...Array(20).keys()].map((i) => `${i + 1}. ${'['.repeat(14)} GHS 90.00`.length + 14 + 1);
  const length = 'Fees\n'.length + lines.reduce((all, one) => all + one, 0) + '21. xxxxxxxxxx'.length;
  const notice = 'Please type it again.\n'.length;
  expect(proven?.proof.longest[0]?.septets).toBe(length + notice);
});

test('look-ups that lead to each other go round', () => {
  const ring = (fallback: string) =>
    menu(
      english,
      `  first: { kind: choose, text: Hello, options: [{ label: Pay, to: amount }, { label: Look, to: one }] }
  one: { kind: lookup, url: "https://a.example/1", take: { a: { text: 3 } }, found: two, notFound: two, fallback: ${fallback} }
  two: { kind: lookup, url: "https://a.example/2", take: { b: { text: 3 } }, found: one, notFound: one, fallback: ${fallback} }`,
    );
  // The loader knows of no way to an end either, where there is none at all.
  expect([...new Set(found(ring('two')))]).toContain('loop one');
  expect(found(ring('amount'))).toEqual(['loop one']);
});

test('a fee that is told takes room, and so does that it is not known', () => {
  const quoted = (text: string) =>
    menu(english, '  first: { kind: choose, text: Hi, options: [{ label: Pay, to: amount }] }').replace(
      '"Pay {amount}?"',
      `"Pay {amount}?\\n${text}"`,
    );
  const line = (filler: number) => quoted(`${'x'.repeat(filler)}{fee}{total}`);
  const room = 120 - 'Invalid option.\n\n#. More'.length - 'GHS 500.00GHS 1000.00'.length;
  expect(found(line(room))).toEqual([]);
  expect(found(line(room + 1))).toEqual(['too_long confirm en']);
  const head = `${english}\nmessages: { feeMayApply: "${long}" }`;
  expect(found(quoted('Fee {fee}').replace(english, head))).toEqual(['too_long confirm en']);
});

test('letters outside the GSM alphabet take more room where they are sent as they are', () => {
  const text = menu(
    english,
    `  first: { kind: choose, text: "ɛ${'x'.repeat(60)}", options: [{ label: "yyyyyyyy", to: amount }] }`,
  );
  const limits = { channels: [{ ...nalo, limit: 160 }] };
  expect(told(text, limits)).toEqual([]);
  const longest = (alphabet: 'gsm' | 'unicode') =>
    prove(text, { channels: [{ ...nalo, limit: 500, alphabet }] }).proven?.proof.lengths.find(
      ({ screen }) => screen === 'first',
    )?.septets;
  const letters = 'Please type it again.\n'.length + 61 + '\n1. yyyyyyyy'.length;
  expect(longest('gsm')).toBe(letters);
  expect(longest('unicode')).toBe(Math.floor((letters * 16) / 7));
});

test('channels that tell repeats from answers are proven by those that cannot, where these are fine', () => {
  const text = menu(english, '  first: { kind: choose, text: Hi, options: [{ label: Pay, to: amount }] }');
  const channels = [{ ...nalo, sequenced: true }, nalo, { ...nalo, limit: 182, sequenced: true }];
  const { proven } = prove(text, { channels });
  expect(proven?.proof.longest.map(({ limit }) => limit)).toEqual([120, 182]);
});

test('the operators that conditions name are walked, with how to approve there', () => {
  const text = menu(
    english,
    `  first:
    kind: choose
    text: Hi
    options:
      - { label: Pay, when: { operator: [telecel] }, to: other }
      - { label: Pay, to: amount }
  other: { kind: end, text: "${'x'.repeat(100)}{approvals}" }`,
  );
  const length = 100 + approvals.telecel.length;
  expect(prove(text).findings).toMatchObject([
    { kind: 'too_long', screen: 'other', message: `${length} septets, 1 over 120 (nalo)` },
  ]);
});

describe('the counts that take the most room', () => {
  const bounds = { min: 1, max: 100 };
  const table: [what: string, price: number, turns: number[], amounts: number[], counts: number[]][] = [
    ['without conditions the most', 500, [], [], [100]],
    ['each side of a number', 500, [10], [], [9, 100]],
    ['each side of an amount', 500, [], [2_001], [4, 100]],
    ['none where nothing costs anything, but to see that', 0, [], [500], [100]],
    [
      'and one too many, where all of them cost more than can be collected',
      maxAmountMinor / 10,
      [],
      [],
      [10, 100],
    ],
  ];
  test.each(table)('%s', (_, price, turns, amounts, counts) => {
    expect(longestCounts(bounds, price, turns, amounts, false)).toEqual(counts);
  });
});

test('of each length as many texts are kept as differ in more than small letters', () => {
  expect(longestTexts('[Aa]', 64, 3)).toEqual(['A']);
  expect(longestTexts('A|B|CC', 64, 2)).toEqual(['CC', 'A', 'B']);
  expect(longestTexts('[A-Z]{2,3}', 2, 2)).toEqual(['AA', 'AB']);
});
