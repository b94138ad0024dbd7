import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../src/menu/answer.ts';
import { longestMerchant, type ProvenChannel } from '../../src/menu/prove/channel.ts';
import { longestAmounts } from '../../src/menu/prove/longest-amount.ts';
import { longestReference } from '../../src/menu/prove/longest-reference.ts';
import { proveText } from '../../src/menu/prove/prove-text.ts';
import type { Circumstances } from '../../src/menu/prove.ts';
import { amountMinor, formatCedis, spellCedis } from '../../src/shared/money.ts';
import { septets } from '../../src/shared/screen-text.ts';
import { msisdn, walk } from './support.ts';

const approvals = {
  mtn: 'Dial *170#, Wallet, My Approvals',
  telecel: 'Dial *110#, approvals',
  at: 'Dial *110#, approvals',
  glo: 'Open your mobile money approvals',
  unknown: 'Open your mobile money approvals',
};

const nalo: ProvenChannel = { name: 'nalo', limit: 120, sequenced: false, merchant: longestMerchant };
const circumstances: Circumstances = { channels: [nalo], approvals, maxHops: 8 };

function prove(text: string, around: Partial<Circumstances> = {}) {
  return proveText(text, 'menu.yaml', () => ({ ...circumstances, ...around }));
}

/** Line, screen, language, kind and message of every finding. */
function told(text: string, around: Partial<Circumstances> = {}): string[] {
  return prove(text, around).findings.map(
    ({ line, screen = '', language = '', kind, message }) =>
      `${line} ${screen} ${language} ${kind}: ${message}`,
  );
}

const folder = 'test/menu/broken';
const broken = readdirSync(folder).map((file) => [basename(file, '.yaml'), join(folder, file)] as const);

describe('a broken menu shows what is wrong with it, and nothing else', () => {
  test.each(broken)('%s', (kind, file) => {
    const { findings } = prove(readFileSync(file, 'utf8'));
    expect([...new Set(findings.map((finding) => finding.kind))]).toEqual([kind]);
    for (const { line } of findings) expect(line).toBeGreaterThan(1);
  });
});

test('every kind of finding has its broken menu, but the one that takes a huge one', () => {
  const source = readFileSync('src/menu/prove/finding.ts', 'utf8');
  const [, union = ''] = /type FindingKind =([^;]*);/.exec(source) ?? [];
  const kinds = [...union.matchAll(/'(\w+)'/g)].map(([, kind]) => kind);
  expect(kinds).toHaveLength(14);
  expect([...broken.map(([kind]) => kind), 'too_large'].sort()).toEqual(kinds.sort());
});

test.each(['shop', 'tickets'])(
  'nothing is wrong with %s, on screens of every size from 115 septets',
  (name) => {
    const text = readFileSync(`fixtures/menus/${name}.yaml`, 'utf8');
    const channels = [115, 120, 147, 159, 160, 182].flatMap((limit) =>
      [true, false].map((sequenced) => ({ ...nalo, limit, sequenced })),
    );
    expect(told(text, { channels })).toEqual([]);
  },
);

const bill = (text: string, asked = 'answer: text\n    name: note\n    maxLength: 10') => `languages: [en, tw]
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

describe('how long a text can get is told to the septet', () => {
  // A hundred letters, and what the values take.
  const hundred = 'x'.repeat(100);
  const table: [value: string, asked: string | undefined, takes: number][] = [
    ['{merchant}', undefined, 20],
    ['{amount}', undefined, 'GHS 1000.00'.length],
    ['{amount_words}', undefined, 'seven hundred seventy-seven cedis seventy-seven pesewas'.length],
    ['{payer}', undefined, 10],
    // Ten brackets, each of two septets.
    ['{note}', undefined, 20],
    ['{reference}', 'answer: reference\n    pattern: A\\d{2,14}\n    example: A12', 15],
    ['{reference}', 'answer: reference\n    pattern: "[A-Z~]{3}"\n    example: ABC', 6],
  ];
  test.each(table)('%s, asked for by %j', (value, asked, takes) => {
    const { findings, proven } = prove(bill(`${hundred}${value}`, asked), {
      channels: [{ ...nalo, limit: 100 }],
    });
    const own = findings.find(({ screen }) => screen === 'done');
    expect(own).toMatchObject({ kind: 'too_long', screen: 'done', language: 'en' });
    const length = 100 + takes + ' !'.length + 'Dial *110#, approvals'.length;
    expect(proven?.proof.longest.map(({ septets }) => septets)).toEqual([length]);
    expect(own?.message).toBe(`${length} septets, ${length - 100} over 100 (nalo)`);
  });
});

test('a text that fits exactly is not too long, and one septet less of room is told with its way', () => {
  const text = bill(`${'x'.repeat(80)}{merchant}`).replace('{approvals}!', '');
  expect(told(text, { channels: [{ ...nalo, limit: 101 }] })).toEqual([]);
  const [finding, ...others] = prove(text, { channels: [{ ...nalo, limit: 100 }] }).findings;
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ line: 26, screen: 'done', language: 'en', kind: 'too_long' });
  expect(finding?.inputs).toEqual(['[[[[[[[[[[', '1000.00', '1']);
});

test('channels are told with the limits that they exceed, and shorter names of merchants count', () => {
  const text = bill(`${'x'.repeat(80)}{merchant}`).replace(/ {4}operators:[\s\S]*/, '');
  const channels = [
    { ...nalo, name: 'a', limit: 90 },
    { ...nalo, name: 'b', limit: 90, sequenced: true },
    { ...nalo, name: 'c', limit: 99, merchant: 'Short' },
    { ...nalo, name: 'd', limit: 99 },
    { ...nalo, name: 'e', limit: 100 },
  ];
  expect(told(text, { channels }).filter((line) => line.includes('done'))).toEqual([
    '24 done en too_long: 100 septets, 10 over 90 (a, b), 1 over 99 (d)',
  ]);
});

test('the words that ask to type again count where repeats cannot be told, and only there', () => {
  const asked = 'answer: msisdn';
  const text = bill('Thanks', asked).replace('text: Amount', `text: ${'x'.repeat(99)}`);
  const again = 'Please type it again.\n'.length;
  expect(told(text)).toEqual([`14 amount en too_long: ${99 + again} septets, 1 over 120 (nalo)`]);
  expect(told(text, { channels: [{ ...nalo, sequenced: true }] })).toEqual([]);
});

test('last screens that no way leads to are measured too, with the largest amount', () => {
  const waiting = `${'x'.repeat(80)} {amount} {merchant} {approvals}`;
  const text = `messages: { waiting: "${waiting}", slow: "${'y'.repeat(121)}" }\n${bill('Thanks')}`;
  const length = 80 + 3 + 'GHS 1000.00'.length + 20 + approvals.mtn.length;
  expect(told(text)).toEqual([
    `1 (waiting) en too_long: ${length} septets, ${length - 120} over 120 (nalo)`,
    '1 (slow) en too_long: 121 septets, 1 over 120 (nalo)',
    `1 (waiting) tw too_long: ${length} septets, ${length - 120} over 120 (nalo)`,
    '1 (slow) tw too_long: 121 septets, 1 over 120 (nalo)',
  ]);
});

test('what is typed leads to the text that a finding is about', () => {
  const text = readFileSync(join(folder, 'too_long.yaml'), 'utf8');
  const { findings, proven } = prove(text);
  const [finding] = findings;
  if (!proven || !finding?.inputs) throw new Error('expected a finding with its way');
  const { reply } = walk(proven.menu, finding.inputs, {
    ...contextOfNalo,
    approvals: (operator) => approvals[operator],
  });
  expect(finding.message).toContain(`${septets(reply.text)} septets, `);
  expect(septets(reply.text)).toBeGreaterThan(120);
});

const contextOfNalo = {
  merchant: longestMerchant,
  dialler: msisdn('0244000000'),
  operator: 'mtn' as const,
  sequenced: false,
  limit: 120,
};

test('a way back to an earlier screen in another language is walked', () => {
  const text = `languages: [en, tw]
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
    { kind: 'too_long', screen: 'right', language: 'tw', line: 9, inputs: ['2', '1', '1', '0', '0', ''] },
  ]);
});

test('the farthest END is told by its shortest way and its longest', () => {
  const text = readFileSync('fixtures/menus/shop.yaml', 'utf8');
  expect(prove(text).proven?.proof.hops).toEqual({ least: 3, most: 4 });
  expect(told(text, { maxHops: 2 })).toEqual([
    '66 done  too_many_hops: expected at most 2 inputs to get here: it takes 3',
  ]);
});

test('a menu with too many states is told, instead of walked without an end', () => {
  const text = readFileSync('fixtures/menus/shop.yaml', 'utf8');
  const { findings, proven } = prove(text, { mostVisits: 20 });
  expect(findings.map(({ kind }) => kind)).toEqual(['too_large']);
  expect(proven?.proof.longest).toEqual([]);
});

test('the longest amounts are as long as any amount between the bounds', () => {
  const bounds = fc.tuple(fc.integer({ min: 1, max: 200_000 }), fc.integer({ min: 0, max: 3_000 }));
  fc.assert(
    fc.property(bounds, ([min, width]) => {
      const longest = longestAmounts(amountMinor(min), amountMinor(min + width));
      for (let amount = min; amount <= min + width; amount++) {
        const figures = formatCedis(amount).length;
        const words = spellCedis(amountMinor(amount)).length;
        const isCovered = longest.some(
          (one) => formatCedis(one).length >= figures && spellCedis(one).length >= words,
        );
        if (!isCovered) expect(formatCedis(amount)).toBe('covered');
      }
      for (const one of longest) expect(one >= min && one <= min + width).toBe(true);
    }),
  );
});

describe('the longest reference that a pattern accepts', () => {
  const table: [pattern: string, septets: number | undefined][] = [
    ['INV-\\d{4}', 8],
    ['[A-Z]+', 64],
    ['.*', 128],
    ['A?B{0,2}|CD', 3],
    ['(?:AB|CDE)-\\w{2,3}?', 7],
    ['^[^A-Za-z]{5}$', 10],
    ['(A|(?<name>BB)) ?\\d', 4],
    ['\\[x\\]', 5],
    ['A{70}', undefined],
    ['(?=A)A', undefined],
    ['(A)\\1', undefined],
    ['\\bA', undefined],
    ['\u00b0\\d', undefined],
  ];
  test.each(table)('%s', (pattern, most) => {
    const longest = longestReference(pattern);
    expect(longest === undefined ? undefined : septets(longest)).toBe(most);
    if (longest === undefined) return;
    const screen = { kind: 'ask', answer: 'reference', pattern, example: 'A', text: '', to: 'a' } as const;
    expect(readAnswer(screen, longest, {}).ok).toBe(true);
  });
});
