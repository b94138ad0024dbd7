import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maxMerchant } from '../../src/menu/prove/channel.ts';
import { maxAnswer, maxWords } from '../../src/menu/prove/sizes.ts';
import { amountMinor, maxAmountMinor, spellCedis } from '../../src/shared/money.ts';
import { countGsmSeptets } from '../../src/shared/screen-text.ts';
import { msisdnOf } from '../kit/msisdn.ts';
import { approvals, findingsOf, nalo, prove } from './prove-support.ts';
import { context, walk } from './support.ts';

/* Not long: the only quick tests of what the prover finds. */

const folder = 'test/menu/broken';
const broken = readdirSync(folder).map((file) => [basename(file, '.yaml'), join(folder, file)] as const);

describe('a broken menu has findings of exactly one kind', () => {
  test.each(broken)('%s', (kind, file) => {
    const { findings } = prove(readFileSync(file, 'utf8'));
    expect([...new Set(findings.map((finding) => finding.kind))]).toEqual([kind]);
    for (const { line } of findings) expect(line).toBeGreaterThan(1);
  });
});

test('every kind of finding has a broken menu', () => {
  const source = readFileSync('src/menu/prove/finding.ts', 'utf8');
  const [, union = ''] = /type FindingKind =([^;]*);/.exec(source) ?? [];
  const kinds = [...union.matchAll(/'(\w+)'/g)].map(([, kind]) => kind);
  expect(kinds).toHaveLength(19);
  expect(broken.map(([kind]) => kind).sort()).toEqual(kinds.sort());
});

test.each<[when: string, changes: [from: string, to: string][]]>([
  ['after', [['text: "Number that pays:"\n    to: amount', 'text: "Number that pays:"\n    to: network']]],
  ['before', [['start: number', 'start: network']]],
])('a choice of the network %s the number is enough', (when, changes) => {
  const text = readFileSync(join(folder, 'no_network.yaml'), 'utf8');
  const to = when === 'after' ? 'amount' : 'number';
  const network = `  network:
    kind: choose
    text: Network?
    options:
      - { label: MTN, set: { operator: mtn }, to: ${to} }
      - { label: I do not know, to: ${to} }
`;
  const changed = changes.reduce((known, [from, into]) => known.replace(from, into), text + network);
  expect(prove(text).findings).toMatchObject([{ kind: 'no_network', screen: 'number', line: 4 }]);
  expect(prove(changed).findings).toEqual([]);
});

const bill = (text: string, asked = 'answer: text\n    name: note\n    maxLength: 10') => `languages: [en, tw]
askLanguage: false
start: bill
screens:
  bill:
    kind: ask
    ${asked}
    text: { en: Bill, tw: Bill no }
    to: amount
  amount:
    kind: ask
    answer: amount
    min: "1.00"
    max: "1000.00"
    text: Amount
    to: confirm
  confirm:
    kind: confirm
    text: Pay {amount}?
    to: done
  done:
    kind: end
    text: "${text}"
    operators:
      telecel: { en: "${text} {approvals}!", tw: Yoo }
`;

test('the message about characters that references cannot have is measured', () => {
  const menu = bill('Done', "answer: reference\n    pattern: '[A-Z_]{2}'\n    example: AB").replace(
    'text: { en: Bill, tw: Bill no }',
    `text: ${'x'.repeat(100)}`,
  );
  const findings = findingsOf(menu, { channels: [{ ...nalo, limit: 130 }] });
  expect(findings.filter((finding) => finding.includes('bill en too_long'))).toHaveLength(1);
});

describe('the longest form of a text is exact to the septet', () => {
  const hundred = 'x'.repeat(100);
  const table: [value: string, asked: string | undefined, size: number][] = [
    ['{merchant}', undefined, 20],
    ['{amount}', undefined, 'GHS 1000.00'.length],
    ['{amount_words}', undefined, 'seven hundred seventy-seven cedis seventy-seven pesewas'.length],
    ['{payer}', undefined, 10],
    // Ten brackets of two septets each.
    ['{note}', undefined, 20],
    ['{reference}', 'answer: reference\n    pattern: A\\d{2,14}\n    example: A12', 15],
    // References have no tilde, although the pattern accepts it.
    ['{reference}', 'answer: reference\n    pattern: "[A-Z~]{3}"\n    example: ABC', 3],
    [
      '{note}',
      'answer: text\n    name: note\n    maxLength: 10\n    pattern: "[A-Z~]{3}"\n    example: ABC',
      6,
    ],
  ];
  test.each(table)('%s with the question %j', (value, asked, size) => {
    const { findings, proven } = prove(bill(`${hundred}${value}`, asked), {
      channels: [{ ...nalo, limit: 100 }],
    });
    const own = findings.find(({ screen, language }) => screen === 'done' && language === 'en');
    expect(own).toMatchObject({ kind: 'too_long', screen: 'done', language: 'en' });
    const length = 100 + size + ' !'.length + 'Dial *110#, approvals'.length;
    expect(Math.max(...(proven?.proof.texts ?? []).map(({ septets }) => septets))).toBe(length);
    expect(own?.message).toBe(`${length} septets, ${length - 100} over 100 (nalo)`);
  });
});

test('a text of exactly the limit has no finding, and one septet more has a finding with its inputs', () => {
  const text = bill(`${'x'.repeat(100)}{merchant}`).replace('{approvals}!', '');
  expect(findingsOf(text, { channels: [{ ...nalo, limit: 121 }] })).toEqual([]);
  const [finding, ...others] = prove(text, { channels: [{ ...nalo, limit: 120 }] }).findings;
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ line: 27, screen: 'done', language: 'en', kind: 'too_long' });
  expect(finding?.inputs).toEqual(['[[[[[[[[[[', '1000.00', '1']);
});

test('a finding lists the exceeded limits with their channels, and uses each merchant name', () => {
  const text = bill(`${'x'.repeat(80)}{merchant}`).replace(/ {4}operators:[\s\S]*/, '');
  const channels = [
    { ...nalo, name: 'a', limit: 90 },
    { ...nalo, name: 'b', limit: 90, sequenced: true },
    { ...nalo, name: 'c', limit: 99, merchant: 'Short' },
    { ...nalo, name: 'd', limit: 99 },
    { ...nalo, name: 'e', limit: 100 },
  ];
  expect(findingsOf(text, { channels }).filter((line) => line.includes('done en'))).toEqual([
    '25 done en too_long: 100 septets, 10 over 90 (a, b), 1 over 99 (d)',
  ]);
  const short = { ...nalo, name: 'a', limit: 80, merchant: 'Short' };
  const both = { channels: [short, { ...nalo, name: 'd', limit: 99 }] };
  expect(findingsOf(text, both).filter((line) => line.includes('done en'))).toEqual([
    '25 done en too_long: 85 septets, 5 over 80 (a), 100 septets, 1 over 99 (d)',
  ]);
});

test('the notice for a suppressed repeat is measured only on channels without sequence numbers', () => {
  const text = bill('Thanks', 'answer: msisdn')
    .replace('to: amount', 'to: network')
    .replace('text: Amount', `text: ${'x'.repeat(99)}`)
    .concat(
      '  network: { kind: choose, text: Network, options: [{ label: AT, set: { operator: at }, to: amount }] }\n',
    );
  const notice = 'Please type it again.\n'.length;
  expect(findingsOf(text)).toEqual([`15 amount en too_long: ${99 + notice} septets, 1 over 120 (nalo)`]);
  expect(findingsOf(text, { channels: [{ ...nalo, sequenced: true }] })).toEqual([]);
});

test('end screens outside the walk are measured too, with the maximum amount', () => {
  const waiting = `${'x'.repeat(80)} {amount} {merchant} {approvals}`;
  const text = `messages: { alreadyWaiting: "${waiting}", slow: "${'y'.repeat(121)}" }\n${bill('Thanks')}`;
  const length = 80 + 3 + 'GHS 1000.00'.length + 20 + approvals.mtn.length;
  expect(findingsOf(text)).toEqual([
    `1 (alreadyWaiting) en too_long: ${length} septets, ${length - 120} over 120 (nalo)`,
    '1 (slow) en too_long: 121 septets, 1 over 120 (nalo)',
    `1 (alreadyWaiting) tw too_long: ${length} septets, ${length - 120} over 120 (nalo)`,
    '1 (slow) tw too_long: 121 septets, 1 over 120 (nalo)',
  ]);
});

test('the inputs of a finding lead to its text', () => {
  const text = readFileSync(join(folder, 'too_long.yaml'), 'utf8');
  const { findings, proven } = prove(text);
  const [finding] = findings;
  if (!proven || !finding?.inputs) throw new Error('expected a finding with inputs');
  const { reply } = walk(proven.menu, finding.inputs, {
    ...context,
    ...contextOfNalo,
    approvals,
  });
  expect(finding.message).toContain(`${countGsmSeptets(reply.text)} septets, `);
  expect(countGsmSeptets(reply.text)).toBeGreaterThan(120);
});

const contextOfNalo = {
  merchant: maxMerchant,
  dialler: msisdnOf('0244000000'),
  operator: 'mtn' as const,
  sequenced: false,
  limit: 120,
};

test('going back to an earlier screen in another language is walked', () => {
  const text = `languages: [en, tw]
askLanguage: false
start: first
keys: { home: false }
screens:
  first: { kind: choose, text: Hi, options: [{ label: A, to: left }, { label: B, to: right }] }
  left: { kind: choose, text: Left, options: [{ label: A, to: middle }] }
  right:
    kind: choose
    text: { en: Right, tw: "${'x'.repeat(130)}" }
    options: [{ label: A, to: middle }]
  middle: { kind: choose, text: Middle, options: [{ label: Twi, language: tw, to: amount }] }
  amount: { kind: ask, answer: amount, min: "1.00", max: "5.00", text: Amount, to: confirm }
  confirm: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: Thanks }
`;
  const { findings } = prove(text, { channels: [{ ...nalo, sequenced: true }] });
  expect(findings).toMatchObject([
    {
      kind: 'too_long',
      screen: 'right',
      language: 'tw',
      line: 10,
      inputs: ['2'],
      assumptions: ['going back in tw'],
    },
  ]);
});

test('the number of inputs is that of the shortest route to the farthest end screen', () => {
  const text = readFileSync('fixtures/menus/shop.yaml', 'utf8');
  expect(prove(text).proven?.proof.inputs).toBe(3);
  expect(findingsOf(text, { maxInputs: 2 })).toEqual([
    '79 done  too_many_inputs: expected at most 2 inputs to this screen, found 3',
  ]);
});

/** A menu with a lookup of a bill. `parts` replace parts of it. */
const lookedUp = (
  parts: Partial<Record<'found' | 'take' | 'fees' | 'bill' | 'more', string>> = {},
) => `languages: [en]
start: bill
screens:
  bill:
    kind: ask
    answer: reference
    pattern: '\\d{4}'
    example: "1234"
    text: Bill
    ${parts.bill ?? 'to: record'}
  record:
    kind: lookup
    url: /records
    take: ${parts.take ?? '{ who: { text: 10 }, due: { amount: "500.00" } }'}
    found: ${parts.found ?? '[{ when: { value: due, above: "0.00" }, to: fees }, amount]'}
    notFound: amount
    fallback: amount
  fees:
    kind: choose
    text: |-
      Due
      {who}
    options: ${parts.fees ?? '[{ label: Pay, set: { amount: "{due}" }, to: confirm }]'}
  amount: { kind: ask, answer: amount, min: "1.00", max: "5.00", text: Amount, to: confirm }
${parts.more ?? ''}
  confirm: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: "{approvals}" }
`;

describe('every kind of lookup result is walked', () => {
  const long = `${'x'.repeat(105)}`;
  const route =
    '[{ when: { value: who, is: Ama }, to: ama }, { when: { value: due, known: false }, to: unknown }, fees]';
  const payAny = '[{ label: Pay, to: amount }]';
  const more = (
    ama: string,
    unknown: string,
  ) => `  ama: { kind: choose, text: "${ama}", options: [{ label: Pay, to: amount }] }
  unknown: { kind: choose, text: "${unknown}", options: [{ label: Pay, to: amount }] }`;

  test('a menu that handles each case has no findings', () => {
    expect(findingsOf(lookedUp())).toEqual([]);
    expect(
      findingsOf(lookedUp({ found: route, more: more('Ama', 'Who?'), fees: '[{ label: Pay, to: amount }]' })),
    ).toEqual([]);
  });

  const table: [what: string, kind: string, screen: string, assumption: string, menu: string][] = [
    [
      'a text has its longest form in characters of two septets',
      'too_long',
      'fees',
      'record: found, due above GHS 0.00',
      lookedUp({ take: '{ who: { text: 40 }, due: { amount: "500.00" } }' }).replace(
        '{who}',
        `${'x'.repeat(41)}{who}`,
      ),
    ],
    [
      'a text in a condition is one of the results',
      'too_long',
      'ama',
      'record: found, who is Ama',
      lookedUp({ found: route, more: more(`${long}{due}${long}`, 'Who?'), fees: payAny }),
    ],
    [
      'a screen can be blank when a field is absent',
      'blank',
      'unknown',
      'record: found, due is not known',
      lookedUp({
        found: route,
        more: more('Ama', '').replace(/unknown:.*/, 'unknown: { kind: end, text: "{due} {who}" }'),
        fees: payAny,
      }),
    ],
    [
      'a confirm screen has no amount when the field is absent',
      'lost',
      'confirm',
      'record: found, due is not known',
      lookedUp({ found: '[{ when: { value: due, known: false }, to: fees }, amount]' }),
    ],
    [
      'an amount of zero counts as absent',
      'lost',
      'confirm',
      'record: found, due is known',
      lookedUp({ found: '[{ when: { value: due, known: true }, to: fees }, amount]' }),
    ],
    [
      'a screen can have no option when no condition holds',
      'dead_end',
      'fees',
      'record: found',
      lookedUp({
        found: 'fees',
        fees: '[{ label: Pay, when: { value: due, above: "10.00" }, set: { amount: "{due}" }, to: confirm }]',
      }),
    ],
    [
      'a screen can have no option when a list is empty',
      'dead_end',
      'fees',
      'record: found',
      lookedUp({
        take: '{ due: { list: 3, of: { name: { text: 9 }, cost: { amount: "9.00" } } }, who: { text: 9 } }',
        found: 'fees',
        fees: '[{ label: "{item.name}", each: due, set: { amount: "{item.cost}" }, to: confirm }, { label: "{who}", when: { value: who, is: "-" }, to: amount }]',
      }),
    ],
  ];
  test.each(table)('%s', (_, kind, screen, assumption, menu) => {
    const { findings } = prove(menu);
    const own = findings.filter((one) => one.kind === kind && one.screen === screen);
    expect(own).toHaveLength(1);
    expect(own[0]?.assumptions?.slice(0, 1)).toEqual([assumption]);
    expect(own[0]?.inputs?.[0]).toBe('1234');
  });
});

test('a menu with too many states has a finding, and its walk ends', () => {
  const text = readFileSync('fixtures/menus/shop.yaml', 'utf8');
  const { findings, proven } = prove(text, { maxStates: 20 });
  expect(findings.map(({ kind }) => kind)).toEqual(['too_large']);
  expect(proven?.proof.texts).toEqual([]);
});

test('no amount up to a maximum has longer words than the largest words', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20_000 }), (max) => {
      const longest = maxWords(max);
      let found = 0;
      for (let amount = 1; amount <= max; amount++) {
        found = Math.max(found, spellCedis(amountMinor(amount)).length);
      }
      expect(longest.length).toBeGreaterThanOrEqual(found);
    }),
    { numRuns: 40 },
  );
  const anyAmount = fc.integer({ min: 0, max: maxAmountMinor }).map(amountMinor);
  fc.assert(
    fc.property(anyAmount, anyAmount, (one, other) => {
      const longest = maxWords(Math.max(one, other));
      expect(longest.length).toBeGreaterThanOrEqual(spellCedis(one).length);
      expect(longest.length).toBeGreaterThanOrEqual(spellCedis(other).length);
    }),
  );
});

describe('the answer that bounds those of a pattern', () => {
  const table: [pattern: string, septets: number][] = [
    ['INV-\\d{4}', 8],
    ['[A-Z]+', 64],
    ['.*', 128],
    ['A?B{0,2}|CD', 5],
    ['(?:AB|CDE)-\\w{2,3}?', 9],
    ['^[^A-Za-z]{5}$', 10],
    ['(A|(?<name>BB)) ?\\d', 5],
    ['\\[x\\]', 5],
    ['A{70}', 64],
    ['(A{100}|\\[{40})', 128],
    ['\\bA', 2],
    ['[[:digit:]]{10}', 22],
    // Repeated groups and escapes of several characters: any text counts as accepted.
    ['(AB?){2,3}', 128],
    ['\\x5b{30}', 128],
    ['\\Q[a]\\E', 128],
    ['\\pP{10}', 128],
  ];
  test.each(table)('%s', (pattern, max) => {
    expect(countGsmSeptets(maxAnswer(pattern, 64))).toBe(max);
  });
});
