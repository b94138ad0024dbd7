import fc from 'fast-check';
import { expect, test } from 'vitest';
import { proveMenu } from '../../src/menu/prove.ts';
import { type Menu, menuSchema } from '../../src/menu/schema.ts';
import type { MenuContext, Step } from '../../src/menu/state.ts';
import { start, step } from '../../src/menu/step.ts';
import { operators } from '../../src/shared/msisdn.ts';
import { septets } from '../../src/shared/screen-text.ts';
import { msisdn } from './support.ts';

const approvals = {
  mtn: 'Dial *170#, Wallet, My Approvals',
  telecel: 'Dial *110#, approvals',
  at: 'Dial *110#, approvals',
  glo: 'Open your approvals',
  unknown: 'Look for approvals',
};

const screenNames = ['a', 'b', 'c', 'd', 'confirm', 'done'] as const;
const anywhere = fc.constantFrom(...screenNames);

/** Words with and without placeholders, on one to four lines, some of them long. */
const text = fc
  .array(
    fc.constantFrom(
      ...['Please read this line to its very end, and then choose', 'Hi {merchant}', 'For {reference}'],
      ...['{amount} ({amount_words})', 'From {payer}', 'Of {note}', 'See {approvals}', 'Or {amount} {note}'],
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((lines) => lines.join('\n'));
const spoken = fc.oneof(text, fc.record({ en: text, tw: text }));

const optional = { requiredKeys: [] };
const preset = fc.record(
  {
    payer: fc.constant('own'),
    amount: fc.constantFrom('1.00', '777.77', '1000.00'),
    reference: fc.constantFrom('A', 'LONGER REFERENCE'),
    operator: fc.constantFrom('mtn', 'telecel', 'glo'),
  },
  optional,
);
const option = fc.record(
  { label: spoken, to: anywhere, set: preset, language: fc.constantFrom('next', 'en', 'tw') },
  { requiredKeys: ['label', 'to'] },
);
const choose = fc.record({
  kind: fc.constant('choose'),
  text: spoken,
  options: fc.array(option, { minLength: 1, maxLength: 4 }),
});
const question = { kind: fc.constant('ask'), text: spoken, to: anywhere };
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
);
const middle = fc.oneof({ weight: 3, arbitrary: choose }, { weight: 2, arbitrary: ask });
const menus = fc
  .record({
    languages: fc.constantFrom(['en'], ['en', 'tw']),
    start: fc.constant('a'),
    keys: fc.constantFrom({}, { back: '00', home: false }, { more: ['99'] }),
    screens: fc.record({
      a: middle,
      b: middle,
      c: middle,
      d: middle,
      confirm: fc.record({ kind: fc.constant('confirm'), text: spoken, to: fc.constant('done') }),
      done: fc.record(
        { kind: fc.constant('end'), text: spoken, operators: fc.record({ telecel: text }, optional) },
        { requiredKeys: ['kind', 'text'] },
      ),
    }),
  })
  .map((raw) => menuSchema.parse(raw));

const inputs = fc.oneof(
  fc.constantFrom('1', '2', '3', '4', '7', '8', '0', '00', '#', '99', '', 'x'),
  fc.constantFrom('20', '777.77', '3777.77', '19.99', '0.5', '5000.01'),
  fc.constantFrom('0244123456', '0204000009', '0234000009', '0284000009', '123', 'AB-1', 'ab1'),
  fc.string({ unit: fc.constantFrom('[', 'A', ' ', '7'), maxLength: 20 }),
);

const contexts = fc.record({
  merchant: fc.constantFrom('M'.repeat(20), 'Shop'),
  dialler: fc.constantFrom('0244123456', '0284123456').map(msisdn),
  operator: fc.constantFrom(...operators),
  sequenced: fc.boolean(),
  limit: fc.constantFrom(60, 100, 160),
  approvals: fc.constant((operator: keyof typeof approvals) => approvals[operator]),
});

function prove(menu: Menu, { merchant, sequenced, limit }: MenuContext) {
  const channels = [{ name: 'channel', limit, sequenced, merchant }];
  // Few random menus are larger, and they take most of the time.
  const proof = proveMenu(menu, { channels, approvals, maxHops: 99, mostVisits: 500 });
  fc.pre(proof.findings.every(({ kind }) => kind !== 'too_large'));
  return proof;
}

/** Types what comes until the dialogue is over. */
function walk(menu: Menu, typed: readonly string[], context: MenuContext): Step[] {
  const steps = [start(menu, context)];
  for (const input of typed) {
    const last = steps.at(-1);
    if (last?.reply.kind !== 'continue') break;
    steps.push(step(menu, last.state, input, context));
  }
  return steps;
}

const walks = fc.array(fc.array(inputs, { maxLength: 25 }), { minLength: 20, maxLength: 20 });

test('what walks come to is what the proof has seen, and no text is longer than its longest', {
  timeout: 90_000,
}, () => {
  fc.assert(
    fc.property(menus, contexts, walks, (menu, context, all) => {
      const { reached, longest } = prove(menu, context);
      const [only] = longest;
      if (only === undefined || longest.length > 1) throw new Error('expected one limit');
      // Pages may be filled by values that are not the longest, yet never over the limit.
      const most = only.isTight ? Math.max(only.septets, context.limit) : only.septets;
      for (const { state, reply } of all.flatMap((typed) => walk(menu, typed, context))) {
        if (!state.screen.startsWith('(')) expect(reached).toContain(state.screen);
        expect(septets(reply.text), reply.text).toBeLessThanOrEqual(most);
      }
    }),
    { numRuns: 30 },
  );
});

/** Whether some answers lead from here to an end screen. Going back is none. */
function canEnd(menu: Menu, from: Step, context: MenuContext): boolean {
  const answers = ['1', '2', '3', '4', '7', '20', '777.77', '12', '0204000009', 'A', '#', '99'];
  const seen = new Set<string>();
  const open = [from];
  for (const { state, reply } of open) {
    if (menu.screens[state.screen]?.kind === 'end') return true;
    const { trail: _, ...place } = state;
    const key = JSON.stringify(place);
    if (reply.kind === 'end' || seen.has(key)) continue;
    seen.add(key);
    open.push(...answers.map((input) => step(menu, state, input, context)));
  }
  return false;
}

test('where the proof has no dead end, every walk that goes on can come to an END', {
  timeout: 90_000,
}, () => {
  let proven = 0;
  fc.assert(
    fc.property(menus, contexts, walks, (menu, context, all) => {
      const { findings } = prove(menu, context);
      if (findings.some(({ kind }) => ['dead_end', 'loop', 'lost', 'unread'].includes(kind))) return;
      proven++;
      const last = all.flatMap((typed) => walk(menu, typed, context).at(-1) ?? []);
      const waiting = last.filter(({ reply }) => reply.kind === 'continue');
      expect(waiting.filter((from) => !canEnd(menu, from, context))).toEqual([]);
    }),
    { numRuns: 30 },
  );
  expect(proven).toBeGreaterThan(3);
});
