import { describe, expect, test } from 'vitest';
import { getCallerHistory } from '../../../src/gateway/dialogue/dialler-context.ts';
import { preferenceWrites } from '../../../src/gateway/dialogue/dialler-store.ts';
import { storeState } from '../../../src/gateway/dialogue/stored-state.ts';
import { type LastTurn, maxDiallersOfId, turnStore } from '../../../src/gateway/dialogue/turn-store.ts';
import type { Turn } from '../../../src/gateway/dialogue/types.ts';
import { ledgerStore } from '../../../src/gateway/ledger/ledger-store.ts';
import { verifyLedger } from '../../../src/gateway/ledger/verify.ts';
import type { CallerHistory, PaymentSummary, PreferenceChange } from '../../../src/menu/state/state.ts';
import { testClock } from '../../kit/clock.ts';
import { openOwnStore } from '../../kit/migrated.ts';
import { msisdnOf } from '../../kit/msisdn.ts';
import { noAudits } from '../../kit/no-audits.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import { shopMenu } from '../../kit/shop-menu.ts';
import { converse, payment } from '../../menu/conversation.ts';
import { context } from '../../menu/support.ts';
import { createBench, number } from '../collection/bench.ts';
import { createTurn, menu } from './create-turn.ts';

/* Which payment and which interrupted dialogue a redial shows. */

const minute = 60_000;

const settings = { recentPaymentMs: 15 * minute, resumeWindowMs: 5 * minute };

const own = context.dialler;

const other = msisdnOf('0201234567');

const third = msisdnOf('0244999888');

/** The state after a dial with these recent payments and this last turn. */
function historyOf(
  found: { recent?: PaymentSummary[]; lastTurn?: LastTurn; blocksRequests?: boolean },
  changed: Parameters<typeof createTurn>[0] = {},
): CallerHistory {
  const { recent = [], lastTurn, blocksRequests = false } = found;
  const diallerContext: Turn['diallerContext'] = {
    recent: async () => recent,
    setting: { language: null, blocksRequests },
    start: { recent, lastTurn },
  };
  return getCallerHistory(createTurn({ diallerContext, ...changed }), settings);
}

describe('the payment that is shown', () => {
  const requested = { ...payment, id: 'requested', dialler: other };
  const asked = { ...payment, id: 'asked', payer: other };

  test.each<[what: string, recent: PaymentSummary[], shown: string | undefined]>([
    ['none', [], undefined],
    ['the own one', [payment], 'col_1'],
    ['a request of another phone', [requested], 'requested'],
    ['a request to another phone', [asked], 'asked'],
    ['the own one, although another phone asked later', [requested, payment], 'col_1'],
    ['the newest', [{ ...payment, id: 'newer' }, payment], 'newer'],
    ['one of 15 minutes ago', [{ ...payment, at: context.now - 15 * minute }], 'col_1'],
    ['none that is older', [{ ...payment, at: context.now - 15 * minute - 1 }], undefined],
    ['none between two other phones', [{ ...payment, payer: third, dialler: other }], undefined],
  ])('is %s', (_, recent, shown) => {
    expect(historyOf({ recent }).payment?.id).toBe(shown);
  });

  test('after a dialled suffix is the own one only', () => {
    const requestKind: Turn['requestKind'] = { kind: 'start', suffix: ['1'] };
    expect(historyOf({ recent: [requested] }, { requestKind }).payment).toBeUndefined();
    expect(historyOf({ recent: [payment] }, { requestKind }).payment?.id).toBe('col_1');
  });

  test.each<[state: PaymentSummary['state'], isShown: boolean]>([
    ['waiting', false],
    ['failed', false],
    ['unknown', false],
    ['confirming', true],
    ['paid', true],
  ])('to a phone that blocks requests is no request that is %s: shown is %s', (state, isShown) => {
    const found = historyOf({ recent: [{ ...requested, state }], blocksRequests: true });
    expect(found.payment !== undefined).toBe(isShown);
  });

  test('to an attendant is no payment of a customer', () => {
    const merchant = { attendants: new Set([own]) };
    expect(historyOf({ recent: [asked] }, { merchant }).payment).toBeUndefined();
    expect(historyOf({ recent: [asked, payment] }, { merchant }).payment?.id).toBe('col_1');
  });
});

describe('the interrupted dialogue', () => {
  const languages = shopMenu({ languages: ['en', 'tw'] });
  const { welcome, amount, confirm, done } = menu.screens;
  if (!welcome || !amount || !confirm || !done) throw new Error('the menu lacks a screen');

  /** The last turn of a dialogue with these inputs. */
  const turnAfter = (inputs: string[], changed: Partial<LastTurn> = {}, of = menu, world = {}): LastTurn => {
    const step = converse(of, inputs, world);
    const { reply } = step;
    return { state: storeState(step, of), reply: reply.kind, ending: null, at: context.now, ...changed };
  };

  test.each<[what: string, lastTurn: LastTurn, screen: string | undefined]>([
    ['after an answer', turnAfter(['3', 'INV-1234']), 'amount'],
    ['on the confirm screen', turnAfter(['1', '20']), 'confirm'],
    ['with an end notice', turnAfter(['1'], { ending: 'cancelled' }), 'amount'],
    [
      'with an end notice in place of a screen',
      turnAfter(['1'], { reply: 'end', ending: 'cancelled' }),
      'amount',
    ],
    ['five minutes ago', turnAfter(['1'], { at: context.now - 5 * minute }), 'amount'],
    ['longer ago', turnAfter(['1'], { at: context.now - 5 * minute - 1 }), undefined],
    ['by a clock that is far ahead', turnAfter(['1'], { at: context.now + 5 * minute + 1 }), undefined],
    ['before any answer', turnAfter([]), undefined],
    ['after a payment', turnAfter(['1', '20', 'Yes']), undefined],
    ['after a No', turnAfter(['1', '20', 'No']), undefined],
    ['with another menu', turnAfter(['English', '1'], {}, languages), undefined],
  ])('%s', (_, lastTurn, screen) => {
    expect(historyOf({ lastTurn }).interrupted?.screen).toBe(screen);
  });

  test('is not offered on a screen that the menu no longer has', () => {
    const { bill: _, ...screens } = menu.screens;
    const merchant = { menu: { ...menu, screens } };
    expect(historyOf({ lastTurn: turnAfter(['3']) }, { merchant }).interrupted).toBeUndefined();
  });

  test('that was interrupted again on the resume screen is still offered, with its answers', () => {
    const interrupted = converse(menu, ['3', 'INV-1234']).state;
    const again = turnAfter([], {}, menu, { history: { interrupted } });
    expect(historyOf({ lastTurn: again }).interrupted).toEqual(interrupted);
  });

  test('is not offered any more after starting over', () => {
    const world = { history: { interrupted: converse(languages, ['English', '1']).state } };
    const over = turnAfter(['Start over'], {}, languages, world);
    expect(JSON.parse(over.state)).toMatchObject({ screen: '(language)' });
    expect(historyOf({ lastTurn: over }, { merchant: { menu: languages } }).interrupted).toBeUndefined();
  });
});

test('the last input of the session is known', () => {
  const { lastInput } = historyOf({}, { history: { last: { input: '7' } as never, earlier: undefined } });
  expect(lastInput).toBe('7');
});

test('each change of a setting is recorded with the values after it, so that the audit accepts it and reports any other', async () => {
  const clock = testClock();
  const { store } = openOwnStore('gateway', { clock });
  const ledger = ledgerStore(store);
  const key = { merchantId: 'demo-shop', livemode: 0, msisdn: msisdnOf('0244123456') } as const;
  const changes: PreferenceChange[] = [
    { kind: 'language', language: 'tw' },
    { kind: 'requests', blocksRequests: true },
    { kind: 'language', language: 'en' },
    { kind: 'requests', blocksRequests: false },
    { kind: 'requests', blocksRequests: true },
  ];
  for (const change of changes) {
    await clock.advance(1_000);
    expect(await store.apply(preferenceWrites(key, change, clock.now()))).toBe(true);
    expect((await verifyLedger(ledger, noAudits)).faults).toEqual([]);
  }
  const [count] = await store.read.get<[number]>('SELECT count(*) FROM dialler_setting_change');
  expect(count).toBe(changes.length);
  await store.apply([
    { sql: 'UPDATE dialler_setting SET opted_out_at = NULL WHERE opted_out_at IS NOT NULL', args: [] },
  ]);
  expect((await verifyLedger(ledger, noAudits)).faults).toMatchObject([
    { fault: expect.stringContaining('differs') },
  ]);
});

/* The number that has used a session id last: an end notice without a number ends its session. */

/** A store with the turns of session `s`, and of other sessions beside it. */
function withTurns() {
  const { store, file } = createBench();
  const turns = turnStore(store);
  const key = { channel: 'nalo', session: 's' };
  const write = (dialler: string, sequence: number, session = key.session) =>
    turns.write({
      ...{
        ...key,
        session,
        dialler,
        sequence,
        dialogueId: 'dlg_1',
        merchantId: 'demo-shop',
        operator: 'mtn',
      },
      ...{ input: null, position: null, payer: null, ussdRef: null, ending: null, state: '{}' },
      ...{ reply: 'continue', screen: 'Welcome', collectionId: null, at: 1_000 },
    });
  return { file, turns, key, write, lastDialler: () => turns.lastDialler(key) };
}

test('it is that of the last turn, whatever the order of the numbers and of their turns', async () => {
  const { write, lastDialler } = withTurns();
  expect(await lastDialler()).toBeUndefined();
  for (const [dialler, sequence] of [
    [2, 1],
    [3, 1],
    [2, 2],
    [1, 1],
    [2, 3],
  ] as const) {
    await write(number(dialler), sequence);
    await write(number(9), sequence * 10 + dialler, 'other');
    expect(await lastDialler()).toBe(number(dialler));
  }
});

test('with more numbers than a limit, it is unknown', async () => {
  const { write, lastDialler } = withTurns();
  for (let n = 1; n <= maxDiallersOfId; n++) await write(number(n), 1);
  expect(await lastDialler()).toBe(number(maxDiallersOfId));
  await write(number(0), 1);
  expect(await lastDialler()).toBeUndefined();
});

test('the query reads one turn of each number, by index', async () => {
  const { file, lastDialler } = withTurns();
  const [plan, ...others] = await queryPlansOf(file, lastDialler);
  expect(others).toEqual([]);
  const reads = plan?.steps.filter((step) => /\bturn\b/.test(step));
  expect(reads).toEqual([
    expect.stringContaining('turn_request (channel=? AND session=?)'),
    expect.stringContaining('turn_request (channel=? AND session=? AND dialler>?)'),
    expect.stringContaining('turn_request (channel=? AND session=? AND dialler=?)'),
  ]);
});
