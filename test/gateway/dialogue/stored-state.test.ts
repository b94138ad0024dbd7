import { expect, test } from 'vitest';
import { isSampled } from '../../../src/gateway/dialogue/sample-turns.ts';
import {
  computeFingerprint,
  getStoredState,
  storeState,
} from '../../../src/gateway/dialogue/stored-state.ts';
import { loadMenu } from '../../../src/menu/file/load.ts';
import type { MenuState, Step } from '../../../src/menu/state/state.ts';
import { systemIds } from '../../../src/shared/ids.ts';
import type { Msisdn } from '../../../src/shared/msisdn.ts';
import { testClock } from '../../kit/clock.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import { shopMenu } from '../../kit/shop-menu.ts';
import { createTill } from '../../kit/till.ts';
import { converse, proceed } from '../../menu/conversation.ts';
import { createBench, number } from '../collection/bench.ts';

const loaded = loadMenu('fixtures/menus/shop.yaml');

if (!loaded.ok) throw new Error('the menu does not load');

const { menu } = loaded;

const first: MenuState = { screen: 'welcome', language: 'en', answers: {}, invalidInputs: 0 };

const later: MenuState = {
  ...{ screen: 'confirm', language: 'tw', invalidInputs: 2, lastInput: '28', page: 1 },
  answers: { amountMinor: 2_800 as never },
  history: [
    { screen: 'welcome', answers: {} },
    { screen: 'amount', answers: { reference: 'INV-7' } },
    { screen: 'reference', answers: {} },
  ],
};

test.each([
  ['of a first screen', first],
  ['with answers, invalid inputs and screens to go back to', later],
])('a stored state %s is read as it was', (_, state) => {
  const stored = storeState({ state, reply: { kind: 'continue', text: '' } }, menu);
  expect(getStoredState({ state: stored })).toEqual({ ...state, menu: computeFingerprint(menu) });
});

test('the state of a dialogue that has ended has no screens to go back to, and everything else', () => {
  const { history: _, ...rest } = later;
  const stored = storeState({ state: later, reply: { kind: 'end', text: '' } }, menu);
  expect(getStoredState({ state: stored })).toEqual({ ...rest, menu: computeFingerprint(menu) });
});

test('a state stays below 64 KiB in a dialogue with many long lookups, and the payer can still go back', () => {
  /* Five lists of twenty items each: the maximum for a menu. */
  const text = { text: 40 };
  const item = { name: text, due: { amount: '5000.00' }, note: text, place: text };
  const names = ['one', 'two', 'three', 'four', 'five'];
  const take = Object.fromEntries(names.map((name) => [name, { list: 20, of: item, from: 'all' }]));
  const long = shopMenu({
    screens: {
      welcome: {
        kind: 'ask',
        answer: 'text',
        name: 'number',
        pattern: 'id\\d+',
        text: 'Number:',
        to: 'find',
      },
      find: { kind: 'lookup', take, found: 'found', fallback: 'found' },
      found: {
        kind: 'choose',
        text: 'Of {number}',
        options: ['welcome', 'requests', 'number', 'bill', 'status'].map((to) => ({ label: `To ${to}`, to })),
      },
    },
  });
  const all = Array.from({ length: 20 }, (_, n) => ({
    ...{ name: 'N'.repeat(40), due: 1_000 + n, note: 'R'.repeat(40), place: 'P'.repeat(40) },
  }));
  const lookup = () => ({ kind: 'found', fields: { all } }) as const;
  const bytes = (step: Step) => Buffer.byteLength(storeState(step, long));
  const steps = [converse(long)];
  for (let n = 0; n < 14; n++) {
    for (const input of [`id${n}`, 'To welcome']) {
      steps.push(proceed(long, steps.at(-1) as Step, [input], { lookup }));
    }
  }
  const last = steps.at(-1) as Step;
  expect(proceed(long, last, ['0']).reply.text).toContain('Of id13');
  // A redial stores the state that can be resumed beside its own.
  const redial = converse(long, [], { history: { interrupted: last.state } });
  expect(proceed(long, redial, ['Continue', '0']).reply.text).toContain('Of id13');
  const sizes = [...steps, redial].map(bytes);
  expect(Math.max(...sizes)).toBeGreaterThan(16 * 1024);
  expect(Math.max(...sizes)).toBeLessThan(64 * 1024);
});

const openOnly = expect.stringContaining(
  'collection_open_payer (merchant_id=? AND payer=? AND livemode=? AND requested_by=?',
);

/** The steps of a plan that read collections. */
const readsOf = (steps: readonly string[]) => steps.filter((step) => /\bcollection\b/.test(step));

test('a turn reads the turns of its session by their key, and no collection beside them', async () => {
  const till = await createTill();
  const plans = await queryPlansOf(till.config.database.file, async () => {
    await till.restart();
    await till.pay('0244123456');
  });
  const history = plans.filter(({ sql }) => /max\("turn"\."sequence"\)|max\("sequence"\)/.test(sql));
  expect(history.length).toBe(1);
  expect(history.flatMap(({ steps }) => steps.filter((step) => /\bturn\b/.test(step)))).toEqual([
    expect.stringContaining('COVERING INDEX turn_request (channel=? AND session=? AND dialler=?)'),
    expect.stringContaining('INDEX turn_request (channel=? AND session=? AND dialler=? AND sequence>?)'),
  ]);
});

test('the last turn of a phone at a merchant is read from the recent turns of the phone', async () => {
  const till = await createTill();
  const plans = await queryPlansOf(till.config.database.file, async () => {
    await till.restart();
    await till.pay('0244123456');
  });
  const last = plans.filter(({ sql }) => /"dialler" = \? and "turn"."merchant_id" = \?/.test(sql));
  expect(last.map(({ steps }) => steps)).toEqual([
    ['SEARCH turn USING INDEX turn_phone (dialler=? AND at>?)'],
  ]);
});

test('a rejected collection finds the open one of its dialler in the same index', async () => {
  const { file, collections } = createBench();
  const key = {
    merchantId: 'demo-shop',
    livemode: 0,
    payer: number(1),
    dialler: number(2) as Msisdn,
  } as const;
  const plans = await queryPlansOf(file, () => collections.findOpen(key));
  expect(plans.map(({ steps }) => readsOf(steps))).toEqual([[openOnly]]);
});

const ids = systemIds(testClock());

const dialogues = Array.from({ length: 4_000 }, () => ids.next('dlg'));

test.each([0, 0.1, 0.5, 1])('about %d of the dialogues are logged, each one or not at all', (share) => {
  const logged = dialogues.filter((id) => isSampled(id, share));
  expect(Math.abs(logged.length / dialogues.length - share)).toBeLessThan(0.05);
  expect(logged.every((id) => isSampled(id, share))).toBe(true);
});

test('the dialogues of a small share are among those of a larger one', () => {
  const small = dialogues.filter((id) => isSampled(id, 0.1));
  expect(small.every((id) => isSampled(id, 0.2))).toBe(true);
});
