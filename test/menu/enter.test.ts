import { describe, expect, test } from 'vitest';
import { lookupKey, lookupRequest } from '../../src/menu/effects/lookup.ts';
import { quoteKey } from '../../src/menu/effects/quote.ts';
import { type LookupScreen, menuSchema, type ProxyScreen } from '../../src/menu/schema.ts';
import { enter, enterWithResult, enterWithTurn, leave, nextTurn } from '../../src/menu/state/enter.ts';
import type {
  HistoryEntry,
  LookedUp,
  MenuContext,
  MenuState,
  ProxyTurn,
} from '../../src/menu/state/state.ts';
import { amountMinor } from '../../src/shared/money.ts';
import { perOperator } from '../../src/shared/msisdn.ts';
import { context } from './support.ts';

const routes = { found: 'done', notFound: 'nobody', fallback: 'failed' };
const network = { operator: { from: 'network' } };
const screens = {
  done: { kind: 'end', text: 'Done.' },
  nobody: { kind: 'end', text: 'Nobody.' },
  failed: { kind: 'end', text: 'Failed.' },
  ask: { kind: 'ask', answer: 'text', name: 'number', text: 'Number:', to: 'find' },
  find: { kind: 'lookup', url: '/find', take: { due: { amount: '500.00' } }, ...routes },
  again: { kind: 'lookup', take: { due: { amount: '500.00' } }, found: 'done' },
  named: { kind: 'lookup', url: '/of/{number}', take: {}, ...routes },
  network: { kind: 'lookup', url: '/network', take: { ...network, due: { number: 9 } }, ...routes },
  text: { kind: 'lookup', url: '/text', take: { operator: { text: 9 } }, ...routes },
  order: {
    kind: 'proxy',
    url: '/order',
    maxTurns: 2,
    take: { due: { number: 9 } },
    done: 'done',
    fallback: 'failed',
  },
  handled: { kind: 'proxy', maxTurns: 2, take: {}, done: 'done' },
  part: { kind: 'proxy', url: '/of/{number}', maxTurns: 2, take: {}, done: 'done', fallback: 'failed' },
  status: { kind: 'status', text: 'Reference:' },
  confirm: { kind: 'confirm', text: 'Pay {amount}?\nFee {fee}', to: 'done' },
  left: { kind: 'lookup', url: '/left', take: {}, found: 'right' },
  right: { kind: 'lookup', url: '/right', take: {}, found: 'left' },
};
const menuOf = (more: object) =>
  menuSchema.parse({ languages: ['en'], start: 'ask', screens: { ...screens, ...more } });
const menu = menuOf({});

const on = (screen: string, more: Partial<MenuState> = {}): MenuState => ({
  ...{ screen, language: 'en', answers: {}, invalidInputs: 0 },
  ...more,
});
const lookupAt = (name: string, more: Partial<MenuState> = {}) => ({
  ...{ menu, context, state: on(name, more) },
  screen: menu.screens[name] as LookupScreen,
});
const proxyAt = (name: string, more: Partial<MenuState> = {}) => ({
  ...{ menu, context, state: on(name, more) },
  screen: menu.screens[name] as ProxyScreen,
});

/** The key of the request of a lookup without answers. */
const keyOf = (screen: string, url: string | undefined = `/${screen}`) =>
  lookupKey(lookupRequest(screen, on(screen), context), url);
const answeredBy = (screen: string): LookedUp => ({ key: keyOf(screen), answer: {} });

describe('a screen that is entered', () => {
  const entered = (state: MenuState, from: Partial<MenuContext> = {}) =>
    enter(menu, state, { ...context, ...from });

  test('ends the dialogue when the menu does not have it', () => {
    expect(entered(on('gone'))).toEqual({
      state: on('(lost)'),
      reply: { kind: 'end', text: 'Session ended. Please dial again.' },
    });
  });

  test('is for attendants alone when it asks for a payment', () => {
    expect(entered(on('status')).state.screen).toBe('(closed)');
    expect(entered(on('status')).reply.text).toBe('For attendants only.');
    expect(entered(on('status'), { isAttendant: true }).reply.text).toBe('Reference:');
    expect(entered(on('ask')).reply.text).toBe('Number:');
  });

  const priced = { answers: { amountMinor: amountMinor(2_000) } };
  const request = {
    payer: context.dialler,
    amountMinor: amountMinor(2_000),
    reference: undefined,
    shortReference: '48217369',
    operatorHint: 'mtn' as const,
  };

  test('requests a quote when it asks for a confirmation, once', () => {
    const state = on('confirm', priced);
    const step = entered(state);
    expect(step.effect).toEqual({ kind: 'quote', state, request });
    const quote = { id: 'q', reference: 'R', feeMinor: 20, totalMinor: 2_020 };
    const quoted = { key: quoteKey(request), quote };
    expect(entered(on('confirm', { ...priced, quoted }))).not.toHaveProperty('effect');
    expect(entered(on('confirm'))).not.toHaveProperty('effect');
    expect(entered(on('done', priced))).not.toHaveProperty('effect');
  });

  test('is no confirmation on a network that the service does not offer', () => {
    const networks = { ...perOperator((operator) => operator), mtn: null };
    const closed = entered(on('confirm', priced), { networks });
    expect(closed.state.screen).toBe('(closed)');
    expect(closed.reply.text).toContain('Demo Shop cannot take payment from the network of 0');
    expect(entered(on('ask', priced), { networks }).state.screen).toBe('ask');
    const others = { ...perOperator(() => null), mtn: 'mtn' };
    expect(entered(on('confirm', priced), { networks: others }).state.screen).toBe('confirm');
  });
});

describe('a lookup', () => {
  test.each<[string, Partial<MenuState>, effect: object | undefined, shown: string]>([
    ['find', {}, { url: '/find' }, 'failed'],
    ['again', {}, {}, '(closed)'],
    ['named', {}, undefined, 'failed'],
    ['named', { answers: { values: { number: 'A 1' } } }, { url: '/of/A%201' }, 'failed'],
    ['find', { lookedUp: [answeredBy('left'), answeredBy('find')] }, undefined, 'done'],
    ['find', { lookedUp: [answeredBy('left')] }, { url: '/find' }, 'failed'],
    ['find', { lookedUp: [{ key: keyOf('find'), answer: 'not_found' }] }, undefined, 'nobody'],
  ])('%s with %j has the effect %j, and %s holds without an answer', (name, more, effect, shown) => {
    const state = on(name, more);
    const step = enter(menu, state, context);
    expect(step.state.screen).toBe(shown);
    const request = lookupRequest(name, state, context);
    expect(step.effect).toStrictEqual(effect && { kind: 'lookup', state, request, ...effect });
  });

  test('without a fallback closes the dialogue with the name of the merchant', () => {
    const { reply } = enterWithResult(lookupAt('again'), undefined);
    expect(reply).toEqual({ kind: 'end', text: expect.stringContaining('Demo Shop') });
  });

  test('moves on with its answer, which is remembered', () => {
    const earlier = answeredBy('left');
    const answer = { due: { amountMinor: amountMinor(500) } };
    const known = { key: keyOf('find'), answer };
    const answers = { values: { due: { amountMinor: amountMinor(500) } } };
    const first = enterWithResult(lookupAt('find', { notFoundCount: 2 }), answer);
    expect(first.state).toStrictEqual(on('done', { answers, lookedUp: [known] }));
    const second = enterWithResult(lookupAt('find', { lookedUp: [earlier] }), answer);
    expect(second.state).toStrictEqual(on('done', { answers, lookedUp: [earlier, known] }));
    const handled = enterWithResult(lookupAt('again'), answer);
    expect(handled.state.lookedUp).toEqual([
      { key: lookupKey(lookupRequest('again', on('again'), context), undefined), answer },
    ]);
  });

  test.each<[string, MenuState['answers'], LookedUp['answer'], MenuState['answers']]>([
    ['network', {}, { operator: 'telecel' }, { operator: 'telecel', values: {} }],
    ['network', { operator: 'mtn' }, { due: { number: 1 } }, { values: { due: { number: 1 } } }],
    ['network', { operator: 'mtn', values: { due: { number: 1 }, a: 'b' } }, {}, { values: { a: 'b' } }],
    ['network', { operator: 'mtn' }, 'not_found', { values: {} }],
    ['text', { operator: 'mtn' }, { operator: 'x' }, { operator: 'mtn', values: { operator: 'x' } }],
    ['text', {}, {}, { values: {} }],
    ['text', { reference: 'R' }, 'not_found', { reference: 'R', values: {} }],
  ])('%s after the answers %j and the answer %j leads to %j', (name, answers, answer, expected) => {
    expect(enterWithResult(lookupAt(name, { answers }), answer).state.answers).toStrictEqual(expected);
  });

  describe('that finds nothing and has no screen for it', () => {
    const history: HistoryEntry[] = [
      { screen: 'ask', answers: {} },
      { screen: 'confirm', answers: {} },
      { screen: 'ask', answers: { reference: 'R' } },
    ];

    test('asks the question before it again, with a message', () => {
      const at = lookupAt('again', { history, lastInput: '7', notFoundCount: 1 });
      const { state, reply } = enterWithResult(at, 'not_found');
      const { lookedUp, ...asked } = state;
      expect(lookedUp).toHaveLength(1);
      expect(asked).toStrictEqual(
        on('ask', {
          answers: { reference: 'R' },
          history: history.slice(0, 2),
          notFoundCount: 2,
          invalidInputs: 2,
          notice: 'notFound',
        }),
      );
      expect(reply).toEqual({ kind: 'continue', text: expect.stringContaining('\nNumber:') });
      const first = enterWithResult(lookupAt('again', { history }), 'not_found');
      expect(first.state).toMatchObject({ notFoundCount: 1, invalidInputs: 1 });
    });

    test.each<Partial<MenuState>>([{ history, notFoundCount: 2 }, { history: [] }, {}])(
      'ends the dialogue after the third time, and without a question: %j',
      (more) => {
        const { state, reply } = enterWithResult(lookupAt('again', more), 'not_found');
        expect(state.screen).toBe('(invalid-inputs)');
        expect(reply).toEqual({
          kind: 'end',
          text: 'Too many invalid entries. Nothing was paid. Please dial again.',
        });
      },
    );
  });
});

describe('lookups and proxies in a row', () => {
  const chain = (count: number, link: (to: string) => object) =>
    menuOf(
      Object.fromEntries(
        Array.from({ length: count }, (_, i) => [`link${i}`, link(i + 1 < count ? `link${i + 1}` : 'done')]),
      ),
    );
  const lookup = { kind: 'lookup', url: '/x', take: {} };
  const proxy = { kind: 'proxy', url: '/x', take: {}, maxTurns: 2, done: 'done' };
  const all = Array.from({ length: 9 }, (_, i) => ({ key: keyOf(`link${i}`, '/x'), answer: {} }));

  test.each<[string, LookedUp[], (to: string) => object]>([
    ['answered lookups', all, (to) => ({ ...lookup, found: to })],
    ['lookups without an answer', [], (to) => ({ ...lookup, found: 'nobody', fallback: to })],
    ['proxies without an answer', [], (to) => ({ ...proxy, fallback: to })],
  ])('are at most 8: %s', (_, lookedUp, link) => {
    const shown = (count: number) => enter(chain(count, link), on('link0', { lookedUp }), context).state;
    expect([shown(8).screen, shown(9).screen]).toEqual(['done', '(lost)']);
  });

  test('that lead to each other end the dialogue', () => {
    const lookedUp = [answeredBy('left'), answeredBy('right')];
    expect(enter(menu, on('left', { lookedUp }), context).state.screen).toBe('(lost)');
  });
});

describe('a proxy screen', () => {
  const request = (name: string, turn: ProxyTurn) => ({ ...lookupRequest(name, on(name), context), ...turn });
  const shown = { turn: 1, text: 'Rice?', state: 's1' };

  test.each<[string, Partial<MenuState>, effect: object | undefined, screen: string]>([
    ['order', {}, { url: '/order' }, 'failed'],
    ['handled', {}, {}, '(closed)'],
    ['part', {}, undefined, 'failed'],
    ['order', { proxied: shown }, undefined, 'order'],
  ])('%s with %j has the effect %j, and %s holds without an answer', (name, more, effect, screen) => {
    const state = on(name, more);
    const step = enter(menu, state, context);
    expect(step.state.screen).toBe(screen);
    expect(step.effect).toStrictEqual(
      effect && { kind: 'proxy', state, request: request(name, { turn: 1 }), ...effect },
    );
  });

  test.each<[Partial<MenuState>, turn: ProxyTurn | undefined]>([
    [
      { proxied: shown, page: 1, invalidInputs: 2 },
      { turn: 2, input: '5', state: 's1' },
    ],
    [{ proxied: { turn: 1, text: 'Rice?' } }, { turn: 2, input: '5' }],
    [{}, { turn: 1, input: '5' }],
    [{ proxied: { ...shown, turn: 2 } }, undefined],
  ])('%j after an input requests the turn %j', (more, turn) => {
    const state = on('order', { lastInput: '5' });
    const { effect, state: without } = nextTurn(proxyAt('order', more), '5');
    expect(without.screen).toBe('failed');
    expect(effect).toStrictEqual(
      turn && { kind: 'proxy', state, request: request('order', turn), url: '/order' },
    );
  });

  test('shows the screen of its answer', () => {
    const at = proxyAt('order');
    const asked = { url: '/order', request: request('order', { turn: 2 }) };
    const step = enterWithTurn(at, asked, {
      ok: true,
      kind: 'screen',
      screen: { text: 'Yam?', state: 's2' },
    });
    expect(step.state).toStrictEqual(on('order', { proxied: { turn: 2, text: 'Yam?', state: 's2' } }));
    expect(step.reply).toEqual({ kind: 'continue', text: 'Yam?' });
    expect(enterWithTurn(at, asked, undefined).state.screen).toBe('failed');
  });

  test('ends with values, which are recorded', () => {
    const asked = { url: '/order', request: request('order', { turn: 2 }) };
    const values = { due: { number: 3 } };
    const known = { key: lookupKey(asked.request, '/order'), answer: values };
    for (const before of [undefined, [answeredBy('left')]]) {
      const at = proxyAt('order', before && { lookedUp: before });
      const { state } = enterWithTurn(at, asked, { ok: true, kind: 'done', values });
      expect(state).toStrictEqual(on('done', { answers: { values }, lookedUp: [...(before ?? []), known] }));
    }
  });
});

/** A text that makes a JSON form as long as `size`. */
const filling = (size: number, form: (text: string) => unknown) =>
  'x'.repeat(size - JSON.stringify(form('')).length);

test('a dialogue remembers the newest lookups, in a bounded size', () => {
  const lookedUp = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((key) => ({ key, answer: {} }));
  const remembered = (before: LookedUp[], answer: LookedUp['answer']) =>
    enterWithResult(lookupAt('find', { lookedUp: before }), answer).state.lookedUp?.map(({ key }) => key);
  const key = keyOf('find');
  expect(remembered(lookedUp, {})).toEqual(['b', 'c', 'd', 'e', 'f', 'g', 'h', key]);
  const two = lookedUp.slice(0, 2);
  const text = filling(16_384, (name) => [...two, { key, answer: { name } }]);
  expect(remembered(two, { name: text })).toEqual(['a', 'b', key]);
  expect(remembered(two, { name: `${text}x` })).toEqual(['b', key]);
  expect(remembered(two, { name: 'x'.repeat(20_000) })).toEqual([key]);
});

describe('a screen that is left', () => {
  const next = on('done', { lastInput: '1' });
  const { invalidInputs: _, ...to } = next;
  const left = (state: MenuState) => leave(state, to);
  const entryOf = (text: string): HistoryEntry => ({ screen: 'ask', answers: { reference: text } });

  test('is one to go back to, with its answers, unless it is shown again', () => {
    expect(left(on('ask'))).toStrictEqual({ ...next, history: [{ screen: 'ask', answers: {} }] });
    expect(left(on('done'))).toStrictEqual(next);
    const history = [entryOf('R')];
    expect(left(on('done', { history }))).toStrictEqual({ ...next, history });
    expect(left(on('ask', { history, answers: { reference: 'S' } }))).toStrictEqual({
      ...next,
      history: [entryOf('R'), entryOf('S')],
    });
  });

  test('leaves what the dialogue has looked up, and nothing of its own', () => {
    const kept = {
      notFoundCount: 1,
      lookedUp: [answeredBy('find')],
      quoted: { key: 'k', quote: { id: 'q', reference: 'R', feeMinor: 1, totalMinor: 101 } },
    };
    const own = { page: 1, invalidInputs: 2, turnsAgain: true, notice: 'typeAgain' } as const;
    expect(left(on('done', { ...kept, ...own }))).toStrictEqual({ ...next, ...kept });
  });

  test('shortens a long history from its start', () => {
    const texts = (history: readonly HistoryEntry[]) =>
      left(on('ask', { history, answers: { reference: 'new' } })).history?.map(
        ({ answers }) => answers.reference,
      );
    const names = Array.from({ length: 20 }, (_, i) => `n${i}`);
    expect(texts(names.slice(1).map(entryOf))).toEqual([...names.slice(1), 'new']);
    expect(texts(names.map(entryOf))).toEqual([...names.slice(1), 'new']);
    const rest = 16_384 - JSON.stringify(entryOf('new')).length - JSON.stringify(entryOf('b')).length;
    const long = filling(rest, entryOf);
    expect(texts([entryOf(long), entryOf('b')])).toEqual([long, 'b', 'new']);
    expect(texts([entryOf(`${long}x`), entryOf('b')])).toEqual(['b', 'new']);
    // What is too old does not count.
    expect(texts([entryOf(`${long}x`), ...names.map(entryOf)])).toEqual([...names.slice(1), 'new']);
    const huge = entryOf('x'.repeat(20_000));
    expect(texts([entryOf('a'), huge, entryOf('b')])).toEqual(['b', 'new']);
    expect(left(on('ask', { history: [entryOf('a')], answers: huge.answers })).history).toEqual([huge]);
  });
});
