import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyEffectResult } from '../../src/menu/effects/apply-result.ts';
import { proveMenu } from '../../src/menu/prove/prove.ts';
import { type Menu, menuSchema } from '../../src/menu/schema.ts';
import {
  type CallerHistory,
  type EffectResult,
  endStates,
  type MenuContext,
  type PaymentSummary,
  type Step,
} from '../../src/menu/state/state.ts';
import { startDialogue, step } from '../../src/menu/state/step.ts';
import { amountMinor } from '../../src/shared/money.ts';
import { operators, perOperator } from '../../src/shared/msisdn.ts';
import { countSeptets } from '../../src/shared/screen-text.ts';
import { msisdnOf } from '../kit/msisdn.ts';
import { sized } from '../kit/size.ts';
import { context as anyContext } from './support.ts';

const approvals = {
  mtn: 'Dial *170#, Wallet, My Approvals',
  telecel: 'Dial *110#, approvals',
  at: 'Dial *110#, approvals',
  glo: 'Open your approvals',
  unknown: 'Look for approvals',
};

const screenNames = ['a', 'b', 'ask', 'find', 'paid', 'requests', 'confirm', 'done'] as const;
const anywhere = fc.constantFrom(...screenNames);

/**
 * Scales the number of menus of each property. `PROPERTY_RUNS` sets another scale.
 */
const scale = Number(process.env.PROPERTY_RUNS ?? sized({ quick: 0.25, all: 5 }));

/** Generates texts with and without placeholders on one to four lines, some of them long. */
const text = fc
  .array(
    fc.constantFrom(
      ...['Please read this line to its very end, and then choose', 'Hi {merchant}', 'For {reference}'],
      ...['{amount} ({amount_words})', 'From {payer}', 'Of {note}', 'See {approvals}', 'Or {amount} {note}'],
      ...[
        '{name:upper} {due}',
        '{due:plain} x{count:number}',
        'Ref {short_reference}',
        'Fee {fee} of {total}',
      ],
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((lines) => lines.join('\n'));
const spoken = fc.oneof(text, fc.record({ en: text, tw: text }));

const optional = { requiredKeys: [] };
const size = fc.constantFrom('0.00', '10.00', '777.77');
const sizes = fc.oneof(
  fc.record({ above: size }),
  fc.record({ below: size }),
  fc.record({ atLeast: size }),
  fc.record({ atMost: size }),
);
const about = (value: string) => (more: object) => ({ value, ...more });
const word = fc.constantFrom('A', 'ab1', '12', 'Tea', ['A', '[']);
const condition = fc.oneof(
  sizes.map(about('due')),
  sizes.map(about('amount')),
  fc.constantFrom({ above: 3 }, { atMost: 9 }, { is: 3 }).map(about('count')),
  fc.record({ is: word }).map(about('note')),
  fc.record({ not: word }).map(about('reference')),
  fc.record({ is: word, known: fc.constant(true) }).map(about('name')),
  fc
    .tuple(fc.constantFrom('due', 'name', 'note', 'items', 'reference'), fc.boolean())
    .map(([value, known]) => ({
      value,
      known,
    })),
  fc.constantFrom(
    { operator: 'mtn' },
    { operator: ['telecel', 'glo'] },
    { payer: 'own' },
    { payer: 'other' },
  ),
  fc.constantFrom({ dialler: 'attendant' }, { language: 'tw' }),
);
const route = fc.oneof(
  { weight: 2, arbitrary: anywhere },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.array(fc.record({ when: condition, to: anywhere }), { minLength: 1, maxLength: 2 }), anywhere)
      .map(([branches, last]) => [...branches, last]),
  },
);
const preset = fc.record(
  {
    payer: fc.constant('own'),
    amount: fc.constantFrom('1.00', '777.77', '1000.00', '{due}'),
    reference: fc.constantFrom('A', 'LONGER REFERENCE', '{name}'),
    operator: fc.constantFrom('mtn', 'telecel', 'glo'),
    values: fc.constantFrom({ note: 'A' }, { note: '{name}' }),
  },
  optional,
);
const option = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record(
      {
        label: spoken,
        to: route,
        set: preset,
        language: fc.constantFrom('next', 'en', 'tw'),
        when: condition,
      },
      { requiredKeys: ['label', 'to'] },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        each: fc.constant('items'),
        label: fc.constantFrom('{item.name} {item.price}', '{item.price:words}', 'One'),
        to: route,
        set: fc.constantFrom(
          { amount: '{item.price}', values: { note: '{item.name}' } },
          { reference: '{item.name}' },
        ),
        when: fc.oneof(
          condition,
          sizes.map(about('item.price')),
          fc.record({ is: word }).map(about('item.name')),
        ),
      },
      { requiredKeys: ['each', 'label', 'to'] },
    ),
  },
);
const choose = fc.record({
  kind: fc.constant('choose'),
  text: spoken,
  options: fc.array(option, { minLength: 1, maxLength: 4 }),
});
const question = { kind: fc.constant('ask'), text: spoken, to: route };
const ask = fc.oneof(
  fc.record({
    ...question,
    answer: fc.constant('amount'),
    min: fc.constantFrom('0.50', '20.00'),
    max: fc.constantFrom('20.00', '1000.00', '5000.00'),
  }),
  fc.record({ ...question, answer: fc.constant('msisdn') }),
  fc.constantFrom('\\d{2,6}', '[A-Z]{0,4}-?\\d', '.{1,30}').chain((pattern) =>
    fc.record({
      ...question,
      answer: fc.constant('reference'),
      pattern: fc.constant(pattern),
      example: fc.constant('12'),
    }),
  ),
  fc.record({
    ...question,
    answer: fc.constant('text'),
    name: fc.constant('note'),
    maxLength: fc.constantFrom(1, 20),
  }),
  fc.record(
    {
      ...question,
      answer: fc.constant('number'),
      name: fc.constant('count'),
      min: fc.constantFrom(0, 1),
      max: fc.constantFrom(3, 12),
      each: fc.constantFrom('1.00', '777.77', '{due}', '{amount}'),
    },
    { requiredKeys: ['kind', 'text', 'to', 'answer', 'name', 'min', 'max'] },
  ),
);
const lookup = fc.record(
  {
    kind: fc.constant('lookup'),
    url: fc.constantFrom('/find', '/find?note={note}'),
    take: fc.constantFrom(
      { due: { amount: '900.00' }, name: { text: 12 } },
      { due: { amount: '50.00' }, items: { list: 3, of: { name: { text: 8 }, price: { amount: '90.00' } } } },
    ),
    found: route,
    notFound: route,
    fallback: route,
  },
  { requiredKeys: ['kind', 'url', 'take', 'found', 'fallback'] },
);
const proxy = fc.record(
  {
    kind: fc.constant('proxy'),
    url: fc.constantFrom('/part', '/part?note={note}'),
    maxTurns: fc.constantFrom(1, 2, 4),
    take: fc.constantFrom(
      { due: { amount: '900.00' }, name: { text: 12 } },
      { due: { amount: '50.00' }, items: { list: 3, of: { name: { text: 8 }, price: { amount: '90.00' } } } },
    ),
    done: route,
    fallback: route,
  },
  { requiredKeys: ['kind', 'url', 'maxTurns', 'take', 'done'] },
);
const middle = fc.oneof({ weight: 3, arbitrary: choose }, { weight: 2, arbitrary: ask });
const menus = fc
  .record(
    {
      languages: fc.constantFrom(['en'], ['en', 'tw']),
      askLanguage: fc.boolean(),
      start: fc.constant('a'),
      keys: fc.constantFrom({}, { back: '00', home: false }, { more: ['99'] }),
      screens: fc.record({
        a: middle,
        b: middle,
        ask,
        find: fc.oneof(lookup, proxy),
        paid: fc.record({ kind: fc.constant('status'), text: spoken }),
        requests: fc.record({ kind: fc.constant('requests'), text: spoken }),
        confirm: fc.record({ kind: fc.constant('confirm'), text: spoken, to: fc.constant('done') }),
        done: fc.record(
          { kind: fc.constant('end'), text: spoken, operators: fc.record({ telecel: text }, optional) },
          { requiredKeys: ['kind', 'text'] },
        ),
      }),
    },
    { requiredKeys: ['languages', 'start', 'keys', 'screens'] },
  )
  .map((raw) => menuSchema.parse(raw));

/** Mostly valid inputs for each kind of question. */
const answersTo = {
  amount: ['20', '777.77', '3777.77', '19.99', '0.5', '5000', '10', '10.01', '377'],
  msisdn: ['0244123456', '0204000009', '0234000009', '0284000009', '0264000009'],
  reference: ['12', '123456', 'AB-1', 'ab1', 'Tea', 'A', '['.repeat(30), 'ABCD-7'],
  text: ['A', '[', 'Tea', 'ab1', '12', '['.repeat(20), 'x y', '~'.repeat(20)],
  number: ['0', '1', '2', '3', '4', '9', '10', '12'],
} as const;
const anything = [...'1 2 3 7 8 9 0 00 # 99'.split(' '), '', 'x', '12', '00000000', ' A ', '5000.01'];

/** Returns one of the inputs that a payer could type in this state. */
function typedOn(menu: Menu, { screen: at }: Step['state'], choice: number): string {
  const screen = menu.screens[at];
  const own = screen?.kind === 'ask' ? answersTo[screen.answer] : ['1', '2', '3', '4', '5', '7'];
  const all = [...own, ...own, ...anything];
  return all[choice % all.length] ?? '';
}

/** Valid and invalid answers of a merchant's system. */
const name = fc.oneof(
  fc.constantFrom('A', 'ab1', 'Tea', 'AMA MENSAH THE THIRD', 'ɛ'.repeat(12), 'ßİ'),
  fc.string({ maxLength: 14 }),
);
const price = fc.constantFrom(0, 1, 999, 1000, 1001, 5000, 7777, 77_777, 90_000, 90_001);
const items = fc.array(fc.record({ name, price: fc.oneof(price, fc.integer({ min: 0, max: 9_000 })) }), {
  maxLength: 5,
});
const fields = fc.record({ due: fc.oneof(price, fc.constant(null)), name, items }, optional);
const found = fields.map((all): EffectResult => ({ kind: 'lookup', answer: { kind: 'found', fields: all } }));
const answers = fc.record({
  lookup: fc.oneof(
    { weight: 4, arbitrary: found },
    fc.constantFrom<EffectResult>(
      { kind: 'lookup', answer: { kind: 'not_found' } },
      { kind: 'lookup', answer: { kind: 'none' } },
    ),
  ),
  fee: fc.option(fc.integer({ min: 0, max: 9_999 }), { nil: undefined }),
  state: fc.option(fc.constantFrom('waiting', 'paid', 'failed', 'unknown'), { nil: undefined }),
  isDuplicate: fc.boolean(),
  /** What a proxy screen gets instead of the end of its part. */
  screen: fc.option(
    fc.oneof(
      fc.constantFrom(
        { text: `A${'['.repeat(479)}` },
        { text: 'One\n2. Two', state: 's' },
        { text: 'word '.repeat(96) },
      ),
      fc.record({ text: fc.string({ maxLength: 500, unit: 'binary' }) }),
    ),
    { nil: undefined },
  ),
});
type Answers = typeof answers extends fc.Arbitrary<infer T> ? T : never;

function resultFor(
  effect: NonNullable<Step['effect']>,
  { lookup: looked, fee, state, isDuplicate, screen }: Answers,
): EffectResult {
  if (effect.kind === 'lookup') return looked;
  if (effect.kind === 'proxy') {
    const answer = looked.kind === 'lookup' ? looked.answer : { kind: 'none' as const };
    const isFound = answer.kind === 'found' && typeof answer.fields === 'object';
    const given = isFound ? (screen ?? { ...answer.fields, done: true }) : undefined;
    return { kind: 'proxy', answer: given ? { kind: 'found', fields: given } : answer };
  }
  if (effect.kind === 'status') {
    return { kind: 'status', found: state && { ...summary, shortReference: effect.shortReference, state } };
  }
  if (effect.kind === 'duplicate') return { kind: 'duplicate', found: isDuplicate ? summary : undefined };
  const { amountMinor: goods, shortReference } = effect.request;
  if (fee === undefined) return { kind: 'quote', quote: undefined };
  return {
    kind: 'quote',
    quote: { id: 'quo_1', reference: shortReference, feeMinor: fee, totalMinor: goods + fee },
  };
}

const summary: PaymentSummary = {
  id: 'col_1',
  payer: msisdnOf('0244123456'),
  dialler: msisdnOf('0204000009'),
  amountMinor: amountMinor(50),
  chargeMinor: 50,
  shortReference: '00000000',
  at: anyContext.now - 60_000,
  state: 'paid',
};

const contexts = fc.record({
  merchant: fc.constantFrom('M'.repeat(20), 'Shop'),
  dialler: fc.constantFrom('0244123456', '0284123456').map(msisdnOf),
  operator: fc.constantFrom(...operators),
  sequenced: fc.boolean(),
  limit: fc.constantFrom(60, 120, 10_000, 10_000, 10_000),
  alphabet: fc.constantFrom('gsm', 'unicode'),
  now: fc.constant(anyContext.now),
  localTime: fc.constant(anyContext.localTime),
  shortReference: fc.constant(() => '00000000'),
  isAttendant: fc.boolean(),
  blocksRequests: fc.boolean(),
  networks: fc.constant(perOperator((operator) => operator)),
  approvals: fc.constant(approvals),
});

const histories = fc.record(
  {
    language: fc.constantFrom('en', 'tw', 'fr'),
    payment: fc
      .constantFrom('waiting', 'paid', 'failed', 'unknown')
      .map((state): PaymentSummary => ({ ...summary, state })),
  },
  optional,
);

function prove(menu: Menu, { merchant, alphabet, sequenced, limit }: MenuContext) {
  const channels = [{ name: 'channel', limit, alphabet, sequenced, merchant }];
  // Few random menus are larger, and their proofs take most of the time.
  const proof = proveMenu(menu, { channels, approvals, maxInputs: 99, maxStates: 3_000 });
  fc.pre(proof.findings.every(({ kind }) => kind !== 'too_large'));
  return proof;
}

type Walk = { history: CallerHistory; typed: readonly number[]; answered: readonly Answers[] };

/** Types inputs until the dialogue ends. Each effect has a result or none. */
function walk(menu: Menu, { history, typed, answered }: Walk, context: MenuContext): Step[] {
  const open = [...answered];
  const steps: Step[] = [];
  const runEffects = (taken: Step) => {
    let current = taken;
    for (let count = 0; count < 4 && current.effect; count++) {
      const next = open.shift();
      if (next === undefined) break;
      current = applyEffectResult(menu, current.effect, resultFor(current.effect, next), context);
    }
    steps.push(current);
  };
  runEffects(startDialogue(menu, history, context));
  for (const choice of typed) {
    const last = steps.at(-1);
    if (last?.reply.kind !== 'continue') break;
    runEffects(step(menu, last.state, typedOn(menu, last.state, choice), context));
  }
  return steps;
}

const walks = fc.array(
  fc.record({
    history: histories,
    typed: fc.array(fc.nat(5_000), { maxLength: 25 }),
    answered: fc.array(answers, { maxLength: 20 }),
  }),
  { minLength: 30, maxLength: 30 },
);

test('random walks show only screens that the proof reached, and no text exceeds its proven maximum', {
  timeout: 90_000 * Math.max(1, scale),
}, () => {
  fc.assert(
    fc.property(menus, contexts, walks, (menu, context, all) => {
      const { reached, texts, findings } = prove(menu, context);
      const longestOf = ({ screen, language }: Step['state']) => {
        const own = texts.filter((one) => one.language === language && one.screen === screen);
        // The state of a built-in message does not name the message.
        const known = own.length > 0 ? own : texts.filter((one) => one.screen.startsWith('('));
        return known.reduce((most, one) => Math.max(most, one.septets), 0);
      };
      const hasFinding = (...kinds: string[]) => findings.some(({ kind }) => kinds.includes(kind));
      for (const { state, reply } of all.flatMap((one) => walk(menu, one, context))) {
        if (!state.screen.startsWith('(')) expect(reached).toContain(state.screen);
        expect(countSeptets(reply.text, context.alphabet), reply.text).toBeLessThanOrEqual(longestOf(state));
        if (!hasFinding('too_long'))
          expect(countSeptets(reply.text, context.alphabet)).toBeLessThanOrEqual(context.limit);
        if (!hasFinding('blank')) expect(reply.text.trim()).not.toBe('');
        if (!hasFinding('lost', 'loop')) expect(state.screen).not.toBe(endStates.lost);
      }
    }),
    { numRuns: Math.ceil(8 * scale) },
  );
});

const leaves = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'] as const;

/** A route whose branches lead to an end screen each, except the last one. */
const parting = (first: number, last: string) =>
  fc
    .array(condition, { minLength: 1, maxLength: 2 })
    .map((all) => [...all.map((when, i) => ({ when, to: leaves[first + i] })), last]);

/** Menus without a way back: two questions, a lookup and a choice. */
const trees = fc
  .record({
    languages: fc.constant(['en', 'tw']),
    start: fc.constant('a'),
    leaf: text,
    a: fc.tuple(ask, parting(0, 'b')).map(([screen, to]) => ({ ...screen, to })),
    b: fc.tuple(ask, parting(2, 'find')).map(([screen, to]) => ({ ...screen, to })),
    find: fc
      .tuple(lookup, parting(4, 'choice'))
      .map(([screen, found]) => ({ ...screen, found, fallback: 'done', notFound: 'done' })),
    choice: fc
      .tuple(option, option, parting(6, 'confirm'))
      .map(([one, other, to]) => ({ ...one, to: 'confirm', more: [{ ...other, to }] }))
      .map(({ more, ...one }) => ({ kind: 'choose', text: 'Choose', options: [...more, one] })),
  })
  .map(({ languages, start, leaf, ...screens }) =>
    menuSchema.parse({
      languages,
      start,
      screens: {
        ...screens,
        confirm: { kind: 'confirm', text: 'Pay {amount}?\n{reference} {note}', to: 'done' },
        done: { kind: 'end', text: leaf },
        ...Object.fromEntries(leaves.map((name) => [name, { kind: 'end', text: leaf }])),
      },
    }),
  );

const completeWalks = fc.array(
  fc.record({
    history: fc.constant({}),
    typed: fc.array(fc.nat(5_000), { minLength: 8, maxLength: 8 }),
    answered: fc.array(answers, { minLength: 3, maxLength: 3 }),
  }),
  { minLength: 150, maxLength: 150 },
);

test('random inputs and lookup answers lead only to end screens that the proof reached and measured', {
  timeout: 90_000 * Math.max(1, scale),
}, () => {
  fc.assert(
    fc.property(trees, contexts, completeWalks, (menu, base, all) => {
      const context = { ...base, limit: 10_000 };
      const { reached, texts } = prove(menu, context);
      for (const { state, reply } of all.flatMap((one) => walk(menu, one, context))) {
        if (state.screen.startsWith('(')) continue;
        expect(reached).toContain(state.screen);
        const longest = texts.filter(
          ({ screen, language }) => screen === state.screen && language === state.language,
        );
        expect(countSeptets(reply.text, context.alphabet), reply.text).toBeLessThanOrEqual(
          longest[0]?.septets ?? 0,
        );
      }
    }),
    { numRuns: Math.ceil(12 * scale) },
  );
});

/** The results of an effect that a condition of these menus can distinguish. */
function resultsFor(effect: NonNullable<Step['effect']>): EffectResult[] {
  if (effect.kind !== 'lookup' && effect.kind !== 'proxy') return [];
  const item = { name: 'B', price: 1000 };
  const all = [undefined, 0, 500, 1000, 3000, 77_777, 80_000].flatMap((due) =>
    [undefined, 'A', 'ab1', '12', 'Tea', '[', 'B'].map((one) => ({ due, name: one, items: [item] })),
  );
  const found = [...all, { due: 500, items: [] }, { due: 500, items: [{ name: 'Tea', price: 9000 }] }];
  if (effect.kind === 'lookup')
    return found.map((fields) => ({ kind: 'lookup', answer: { kind: 'found', fields } }));
  const ends = found.map((one) => ({ ...one, done: true }));
  return [...ends, { text: 'A' }].map((fields) => ({ kind: 'proxy', answer: { kind: 'found', fields } }));
}

/** True when answers lead from this step to an end screen or a closing message. */
function canEnd(menu: Menu, from: Step, context: MenuContext): boolean {
  const inputsHere = [
    ...'1 2 3 4 5 6 7 8 9 20 777.77 800 12 0204000009 # 99 00000000'.split(' '),
    // The words that conditions compare answers with: only they may lead on.
    ...['A', 'ab1', 'Tea', '['],
  ];
  const seen = new Set<string>();
  const open = [from];
  for (const { state, reply, effect } of open) {
    if (menu.screens[state.screen]?.kind === 'end' || state.screen === endStates.closed) return true;
    const { history: _, lookedUp: _looked, lastInput: _last, ...place } = state;
    const key = JSON.stringify(place);
    if (effect)
      open.push(...resultsFor(effect).map((result) => applyEffectResult(menu, effect, result, context)));
    if (reply.kind === 'end' || seen.has(key)) continue;
    seen.add(key);
    if (open.length > 20_000) return true;
    open.push(...inputsHere.map((input) => step(menu, state, input, context)));
  }
  return false;
}

test('without a dead end in the proof, every open dialogue can reach an end screen', {
  timeout: 90_000 * Math.max(1, scale),
}, () => {
  fc.assert(
    fc.property(menus, contexts, walks, (menu, context, all) => {
      const { findings } = prove(menu, context);
      // Other menus are replaced, so that the number of checked proofs is fixed.
      fc.pre(!findings.some(({ kind }) => ['dead_end', 'loop', 'lost', 'unread'].includes(kind)));
      const last = all.slice(0, 5).flatMap((one) => walk(menu, one, context).at(-1) ?? []);
      const open = last.filter(({ reply }) => reply.kind === 'continue');
      expect(open.filter((from) => !canEnd(menu, from, context))).toEqual([]);
    }),
    { numRuns: Math.ceil(2 * scale) },
  );
});
