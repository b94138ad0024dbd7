import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readAnswerFields } from '../../src/menu/effects/lookup.ts';
import { showValue } from '../../src/menu/text/format.ts';
import { amountMinor, spellCedis } from '../../src/shared/money.ts';
import { countSeptets } from '../../src/shared/screen-text.ts';
import { approvals, findingsOf, nalo, prove } from './prove-support.ts';

/** A menu with these screens and a route to a payment. */
const menu = (head: string, screens: string) => `${head}
screens:
${screens}
  amount: { kind: ask, answer: amount, min: "1.00", max: "500.00", text: Amount, to: confirm }
  confirm: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: "{approvals}" }
`;
const english = 'languages: [en]\nstart: first';
const long = 'x'.repeat(121);

/** Returns the kind, screen and language of every finding. */
function kindsOf(text: string): string[] {
  const { findings } = prove(text);
  return findings.map(({ kind, screen = '', language = '' }) => `${kind} ${screen} ${language}`.trim());
}

const listed = (items: readonly string[]) => `${english}
screens:
  first:
    kind: choose
    text: Class?
    options:
      - list: ${JSON.stringify(items)}
        label: "{item.name}"
        set: { amount: "5.00", values: { class: "{item.name}" } }
        to: confirm
  confirm: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: "${'x'.repeat(85)} {class}" }
`;

test('the longest item of a long list is proven, and the others add no states', () => {
  const items = Array.from({ length: 150 }, (_, i) => `Class ${i}`);
  const withLong = [...items, 'A class with a name of 37 characters.'];
  expect(kindsOf(listed(items))).toEqual([]);
  expect(prove(listed(withLong)).findings).toMatchObject([{ kind: 'too_long', screen: 'done' }]);
  // Without that, the walk would visit the confirm screen for more than the longest name: 292 visits.
  expect(prove(listed(items), { maxStates: 260 }).findings).toEqual([]);
});

test('an item whose price is as long as another, but whose multiple is longer, is proven', () => {
  const text = `${english}
screens:
  first:
    kind: choose
    text: What?
    options:
      - list: [{ name: A, price: "10.00" }, { name: B, price: "99.99" }]
        label: "{item.name}"
        set: { amount: "{item.price}" }
        to: count
  count: { kind: ask, answer: number, name: count, min: 1, max: 2, each: "{amount}", text: How many?, to: confirm }
  confirm: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: "{amount}" }
`;
  const measured = prove(text).proven?.proof.texts.find(({ screen }) => screen === 'done');
  expect(measured?.septets).toBe('GHS 199.98'.length);
});

describe('an amount taken twice is as long as the longest amount up to its maximum', () => {
  const looked = (count: string) => `${english}
screens:
  first:
    kind: lookup
    url: /fare
    take: { fare: { amount: "19.99" } }
    found: [{ when: { value: fare, above: "0.00" }, to: count }, none]
    notFound: none
    fallback: none
  none: { kind: end, text: No bus }
  count: { kind: ask, answer: number, name: count, ${count}, text: How many?, to: confirm }
  confirm: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: "{amount_words}" }
`;
  const typed = looked('min: 1, max: 2, each: "{amount}"').replace(
    /first:[\s\S]*?\n {2}none/,
    'first: { kind: ask, answer: amount, min: "1.00", max: "19.99", text: Amount, to: count }\n  none',
  );
  test.each([
    ['with a price of a lookup', looked('min: 1, max: 2, each: "{fare}"')],
    ['with a typed price', typed.replace(/ {2}none.*\n/, '')],
  ])('%s', (_, text) => {
    const words = spellCedis(amountMinor(39_98)).length;
    expect(spellCedis(amountMinor(37_77)).length).toBe(words + 2);
    const tooLong = (limit: number) =>
      prove(text, { channels: [{ ...nalo, limit }] }).findings.filter((one) => one.screen === 'done');
    // Never "fits": 39.98 is longer than this limit.
    expect(tooLong(words - 1)).toMatchObject([{ kind: 'too_long' }]);
    expect(tooLong(words + 3)).toEqual([]);
  });
});

test('each form of an amount has the longest text of its own', () => {
  const text = menu(
    english,
    '  first: { kind: lookup, url: /a, take: { due: { amount: "100.00" } }, found: shown, notFound: amount, fallback: amount }\n  shown: { kind: end, text: "{due:words} {due:plain}" }',
  );
  const longest = prove(text, { channels: [{ ...nalo, limit: 10_000 }] }).proven?.proof.texts.find(
    ({ screen }) => screen === 'shown',
  );
  expect(longest?.septets).toBe('seventy-seven cedis seventy-seven pesewas 100.00'.length);
  expect(longest?.assumptions).toEqual([
    'first: found',
    `{due} such as ${spellCedis(amountMinor(77_77))}`,
    '{due} such as 100.00',
  ]);
});

test('a page that the key shows whole, without the notice above it, is no finding', () => {
  const text = menu(
    english,
    `  first: { kind: ask, answer: number, name: count, min: 1, max: 5, text: "${'x'.repeat(50)}\\n${'x'.repeat(50)}", error: "${'y'.repeat(30)}", to: amount }`,
  );
  expect(kindsOf(text)).toEqual([]);
});

describe('built-in screens and messages are measured with their longest values, in every language', () => {
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
  number: { kind: ask, answer: msisdn, text: Number, to: network }
  network: { kind: choose, text: Network, options: [{ label: MTN, set: { operator: mtn }, to: amount }] }
  paid: { kind: status, text: Reference }
${more}`,
    );

  const names = [
    ...['approve', 'promptSentAgain'],
    ...[
      ...'statusPaid statusWaiting statusFailed statusUnknown statusNotFound'.split(' '),
      'statusUnavailable',
    ],
    ...['attendantsOnly', 'requestsBlocked', 'requestsAllowed', 'unchanged'],
    ...[
      ...'rejectedPayer rejectedTooMany rejectedCoolDown paymentNotPossible'.split(' '),
      ...'networkNotOffered numberNotSupported alreadyWaiting sessionLost fault slow'.split(' '),
    ],
  ];
  /** These messages are followed by keys, which count as well. */
  const withKeys = 'paymentWaiting paymentPaid paymentFailed paymentUnknown duplicate resume'.split(' ');

  test('each message is measured with its own text, and reported at its own line', () => {
    const all = [...withKeys, ...names].map((name, index) => ({ name, length: 121 + index }));
    const texts = all.map(({ name, length }) => `  ${name}: { en: "${'x'.repeat(length)}", tw: Aane }`);
    // A message without the amount also has a hidden_amount finding where it precedes a confirmation.
    const findings = prove(own(`\n${texts.join('\n')}`)).findings.filter(({ kind }) => kind === 'too_long');
    expect(findings.map(({ screen, language, line }) => ({ screen, language, line }))).toEqual(
      all.map(({ name }, index) => ({ screen: `(${name})`, language: 'en', line: 4 + index })),
    );
    for (const [index, { name, length }] of all.entries()) {
      const septets = Number.parseInt(findings[index]?.message ?? '', 10);
      if (withKeys.includes(name)) expect(septets, name).toBeGreaterThan(length);
      else expect(septets, name).toBe(length);
    }
  });

  test('the default messages fit the smallest limit with the largest amounts and fees', () => {
    const largest = own('{}')
      .replace('max: "500.00"', 'max: "1000000.00"')
      .replace('"Pay {amount}?"', '"Pay {amount}?\\nFee {fee}, total {total}"');
    expect(largest).toContain('{fee}');
    expect(findingsOf(largest)).toEqual([]);
    const cut = findingsOf(largest, { channels: [{ ...nalo, limit: 117 }] });
    expect(cut.join()).toContain('(promptSentAgain) en too_long: 119 septets');
  });

  test('a status is measured with a time of another day, another payer and the largest amount', () => {
    const text = 'x'.repeat(90);
    const [finding] = prove(own(`{ statusPaid: "${text}{amount}{time}{payer}{short_reference}" }`)).findings;
    const length =
      90 + 'GHS 500.00'.length + '20 Nov 12:30'.length + '0244***001'.length + '0000 0000'.length;
    expect(finding).toMatchObject({
      kind: 'too_long',
      screen: '(statusPaid)',
    });
    expect(finding?.message).toBe(`${length} septets, ${length - 120} over 120 (nalo)`);
  });

  test('a retry and a duplicate show the amount that they confirm', () => {
    const duplicate = kindsOf(own('{ duplicate: Once more? }'));
    expect(duplicate.sort()).toEqual(['hidden_amount (duplicate) en', 'hidden_amount (duplicate) tw']);
    const payment = kindsOf(own('{ paymentFailed: "Not paid to {merchant}." }'));
    expect(payment.sort()).toEqual(['hidden_amount (paymentFailed) en', 'hidden_amount (paymentFailed) tw']);
  });

  test('the choice of a language counts as one input', () => {
    expect(prove(own('{}')).proven?.proof.inputs).toBe(4);
    expect(prove(own('{}').replace('start:', 'askLanguage: false\nstart:')).proven?.proof.inputs).toBe(3);
    const names = own('{}').replace(
      'start:',
      `languageNames: { en: ${'e'.repeat(16)}, tw: ${'t'.repeat(16)} }\nstart:`,
    );
    expect(findingsOf(names, { channels: [{ ...nalo, limit: 60 }] }).join()).not.toContain('(language)');
  });
});

test('attendants and customers are both walked', () => {
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
  expect(kindsOf(text)).toEqual(['too_long paid en']);
  expect(kindsOf(text.replace('dialler: attendant', 'payer: other'))).toEqual(['unreachable paid']);
});

test('the two texts of a requests screen are both measured', () => {
  const screens = `  first: { kind: choose, text: Hello, options: [{ label: Pay, to: amount }, { label: Stop, to: stop }] }
  stop: { kind: requests, text: "${'x'.repeat(70)}" }`;
  const head = `languages: [en]\nstart: first\nmessages: { allowRequests: "${long}" }`;
  expect(kindsOf(menu(head, screens))).toEqual(['too_long (allowRequests) en', 'too_long stop en']);
  expect(kindsOf(menu(english, screens))).toEqual([]);
});

describe('both results of every condition are walked', () => {
  const at = (route: string, question = 'answer: number, name: seats, min: 1, max: 12, each: "{fare}"') =>
    menu(
      english,
      `  first: { kind: lookup, url: "/fare", take: { fare: { amount: "40.00" } }, found: [{ when: { value: fare, above: "0.00" }, to: seats }, amount], notFound: none, fallback: none }
  seats: { kind: ask, ${question}, text: "Seats?", to: ${route} }
  none: { kind: end, text: "No bus" }
  odd: { kind: choose, text: "${long}", options: [{ label: Pay, to: confirm }] }`,
    );
  const table: [what: string, route: string, question?: string][] = [
    [
      'an amount that only a large count reaches',
      '[{ when: { value: amount, atLeast: "480.00" }, to: odd }, confirm]',
    ],
    [
      'an amount that only a small count reaches',
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
      'a text in a mixture of cases that its pattern accepts',
      '[{ when: { value: reference, is: abC }, to: odd }, amount]',
      `answer: reference, pattern: "[A-Z][a-z]+", example: Xy`,
    ],
    [
      'every text except one',
      '[{ when: { value: reference, is: a }, to: amount }, odd]',
      `answer: reference, pattern: "A|B", example: B`,
    ],
    [
      "another payer's number",
      '[{ when: { payer: other, operator: glo }, to: odd }, amount]',
      'answer: msisdn',
    ],
    ["the dialler's number", '[{ when: { payer: own, operator: at }, to: odd }, amount]', 'answer: msisdn'],
  ];
  test.each(table)('%s', (_, route, question) => {
    expect(kindsOf(at(route, question)).filter((one) => !/^(lost|no_network)/.test(one))).toEqual([
      'too_long odd en',
    ]);
  });

  test('a branch whose condition never holds is unreachable', () => {
    const never = at('[{ when: { value: amount, above: "480.00" }, to: odd }, confirm]');
    expect(kindsOf(never)).toEqual(['unreachable odd']);
  });
});

test('a list is measured with its most items, and each option leads on', () => {
  const text = (limit: number) =>
    menu(
      english,
      `  first:
    kind: lookup
    url: /fees
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
  const own = proven?.proof.texts.find(({ screen }) => screen === 'fees');
  expect(own?.septets).toBe(length + notice + '\n0. Back'.length);
});

test('lookups that lead to each other are a loop', () => {
  const ring = (fallback: string) =>
    menu(
      english,
      `  first: { kind: choose, text: Hello, options: [{ label: Pay, to: amount }, { label: Look, to: one }] }
  one: { kind: lookup, url: "/1", take: { a: { text: 3 } }, found: two, notFound: two, fallback: ${fallback} }
  two: { kind: lookup, url: "/2", take: { b: { text: 3 } }, found: one, notFound: one, fallback: ${fallback} }`,
    );
  // The loader reports the missing route to an end screen too.
  expect([...new Set(kindsOf(ring('two')))]).toContain('loop one');
  expect(kindsOf(ring('amount'))).toEqual(['loop one', 'loop two']);
});

test('a known fee and an unknown fee are both measured', () => {
  const quoted = (text: string) =>
    menu(english, '  first: { kind: choose, text: Hi, options: [{ label: Pay, to: amount }] }').replace(
      '"Pay {amount}?"',
      `"Pay {amount}?\\n${text}"`,
    );
  const line = (filler: number) => quoted(`${'x'.repeat(filler)}{fee}{total}`);
  const room = 120 - 'Invalid option.\n\n#. More'.length - 'GHS 500.00GHS 1000.00'.length;
  expect(kindsOf(line(room))).toEqual([]);
  expect(kindsOf(line(room + 1))).toEqual(['too_long confirm en']);
  const head = `${english}\nmessages: { feeMayApply: "${long}" }`;
  expect(kindsOf(quoted('Fee {fee}').replace(english, head))).toEqual([
    'too_long (feeMayApply) en',
    'too_long confirm en',
  ]);
});

test('letters outside the GSM alphabet count more on a unicode channel', () => {
  const text = menu(
    english,
    `  first: { kind: choose, text: "ɛ${'x'.repeat(60)}", options: [{ label: "yyyyyyyy", to: amount }] }`,
  );
  const limits = { channels: [{ ...nalo, limit: 160 }] };
  expect(findingsOf(text, limits)).toEqual([]);
  const longest = (alphabet: 'gsm' | 'unicode') =>
    prove(text, { channels: [{ ...nalo, limit: 500, alphabet }] }).proven?.proof.texts.find(
      ({ screen }) => screen === 'first',
    )?.septets;
  const letters = 'Please type it again.\n'.length + 61 + '\n1. yyyyyyyy\n0. Back'.length;
  expect(longest('gsm')).toBe(letters);
  expect(longest('unicode')).toBe(Math.floor((letters * 16) / 7));
});

test('a looked-up text can have such letters on a unicode channel, and is cut to the length that is proven', () => {
  const text = menu(
    english,
    '  first: { kind: lookup, url: /a, take: { who: { text: 40 } }, found: shown, notFound: amount, fallback: amount }\n  shown: { kind: end, text: "{who}" }',
  );
  const channels = [{ ...nalo, limit: 500, alphabet: 'unicode' as const }];
  const longest = prove(text, { channels }).proven?.proof.texts.find(({ screen }) => screen === 'shown');
  expect(longest?.septets).toBe(Math.floor((40 * 16) / 7));
  for (const who of ['ɛ'.repeat(50), '\uFDFA'.repeat(50), 'ﬃ'.repeat(50), '['.repeat(50)]) {
    const read = readAnswerFields({ who: { text: 40 } }, { who });
    const shown = read.ok ? String(read.values.who) : '';
    expect(countSeptets(shown, 'unicode')).toBeLessThanOrEqual(longest?.septets ?? 0);
  }
});

test('a proof for channels without sequence numbers covers channels with them', () => {
  const text = menu(english, '  first: { kind: choose, text: Hi, options: [{ label: Pay, to: amount }] }');
  const channels = [{ ...nalo, sequenced: true }, nalo, { ...nalo, limit: 182, sequenced: true }];
  const { proven } = prove(text, { channels });
  expect([...new Set(proven?.proof.texts.map(({ limit }) => limit))].sort()).toEqual([120, 182]);
});

test('a text with approval instructions is bounded by the longest ones', () => {
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
  // The instructions of all networks bound the text, except where an end screen has a text for one.
  const length = 100 + approvals.mtn.length;
  expect(prove(text).findings).toMatchObject([
    { kind: 'too_long', screen: 'other', message: `${length} septets, ${length - 120} over 120 (nalo)` },
  ]);
});

test.each(['shop', 'tickets'])('%s has no findings for any limit from 118 septets', (name) => {
  const text = readFileSync(`fixtures/menus/${name}.yaml`, 'utf8');
  const channels = [118, 120, 147, 159, 160, 182].flatMap((limit) =>
    [true, false].map((sequenced) => ({ ...nalo, limit, sequenced })),
  );
  expect(findingsOf(text, { channels })).toEqual([]);
});

describe('what fits with the largest values, and not with others, is too long', () => {
  test('a message that replaces a line with the fee', () => {
    const lookup =
      '  first: { kind: lookup, url: /a, take: { note: { text: 5 } }, found: amount, notFound: amount, fallback: amount }';
    const text = (line: string) =>
      menu(`${english}\nmessages: { feeAndTotal: "${long}{fee}" }`, lookup).replace(
        '"Pay {amount}?"',
        `"Pay {amount}?\\n${line}"`,
      );
    // Without a note, the line of the menu is left out.
    expect(kindsOf(text('{note} {fee}'))).toContain('too_long confirm en');
  });

  test.each(['upper', 'name'])('letters whose other case is longer keep it in the format %s', (format) => {
    for (const who of ['\u0390', '\u0130', 'ß', 'ﬃ']) {
      const shown = showValue(who.repeat(40), format);
      expect(countSeptets(shown, 'unicode')).toBeLessThanOrEqual(countSeptets(who.repeat(40), 'unicode'));
    }
  });

  test('a name has capitals in every alphabet', () => {
    const shown = showValue('ɔPOKU-ƐBO ŊMAI ÀDJOA o’NEIL', 'name');
    expect(shown).toBe('Ɔpoku-Ɛbo Ŋmai Àdjoa O’neil');
  });

  test('a text that is compared with a number', () => {
    const text = menu(
      english,
      `  first:
    kind: choose
    text: Hi
    options:
      - { label: One, set: { values: { seats: Two } }, to: [{ when: { value: seats, below: 5 }, to: amount }, odd] }
      - { label: Seats, to: count }
  count: { kind: ask, answer: number, name: seats, min: 1, max: 4, text: "How many?", to: [{ when: { value: seats, below: 5 }, to: amount }, odd] }
  odd: { kind: end, text: "${long}" }`,
    );
    expect(kindsOf(text)).toContain('too_long odd en');
  });
});

describe('a loop that only some payers cannot leave is found', () => {
  const open = (to: string) =>
    `  first: { kind: choose, text: Hello, options: [{ label: Pay, to: amount }, { label: Other, to: ${to} }] }`;
  test.each([
    [
      'attendants',
      '{ kind: choose, text: Odd, options: [{ label: On, to: [{ when: { dialler: attendant }, to: odd }, amount] }] }',
    ],
    [
      'payers whose answer the pattern excludes from a condition',
      '{ kind: ask, answer: reference, pattern: "[0-9]{4}", example: "1234", text: Bill, to: [{ when: { value: reference, not: A }, to: odd }, amount] }',
    ],
    [
      'payers of a network that they did not choose',
      '{ kind: choose, text: Odd, options: [{ label: On, to: [{ when: { payer: own }, to: amount }, { when: { operator: telecel }, to: amount }, odd] }] }\n  number: { kind: ask, answer: msisdn, text: Number, to: network }\n  network: { kind: choose, text: Network, options: [{ label: MTN, set: { operator: mtn }, to: odd }] }',
    ],
  ])('%s', (_, screen) => {
    const text = menu(
      `${english}\nkeys: { back: false, home: false }`,
      `${open(screen.includes('number:') ? 'number' : 'odd')}\n  odd: ${screen}`,
    );
    expect(kindsOf(text).filter((one) => one.startsWith('loop'))).toContain('loop odd');
  });
});
