import { describe, expect, test } from 'vitest';
import { type Menu, menuSchema } from '../../src/menu/schema.ts';
import type { CallerHistory, Step } from '../../src/menu/state/state.ts';
import { startDialogue, step } from '../../src/menu/state/step.ts';
import { alreadyWaitingText, faultText, sessionLostText } from '../../src/menu/text/messages.ts';
import { amountMinor } from '../../src/shared/money.ts';
import { msisdnOf } from '../kit/msisdn.ts';
import { schoolMenu, shopMenu } from '../kit/shop-menu.ts';
import { converse, payment } from './conversation.ts';
import { context, menuIn, walk } from './support.ts';

const shop = menuIn('fixtures/menus/shop.yaml');
const tickets = menuIn('fixtures/menus/tickets.yaml');
const unsequenced = { ...context, sequenced: false };

const welcome = 'Demo Shop\n1. Pay with this number\n2. Pay with another number\n3. Pay a bill\n4. Twi';
const askAmount = 'Amount in GHS, such as 20 or 20.50:\n0. Back';
const askNetwork = 'Its network:\n1. MTN\n2. Telecel\n3. AT\n0. Back';
const typeAmount = 'Type as 20 or 20.50';
const approve20 =
  'Approve GHS 20.00 to Demo Shop with your PIN.\nNo prompt? Dial *170#, Wallet, My Approvals';
const confirm20 = 'Pay GHS 20.00 to Demo Shop\nfrom 0244123456?\nA fee may apply.\n1. Yes\n2. No\n0. Back';

describe('the step for each input in the shop menu', () => {
  const table: [inputs: string[], kind: string, text: string][] = [
    [[], 'continue', welcome],
    [['1'], 'continue', askAmount],
    [[' 1 '], 'continue', askAmount],
    [['1', '20'], 'continue', confirm20],
    [['1', '20', '1'], 'end', approve20],
    [['1', '20', '2'], 'end', 'Cancelled. Nothing was paid.'],
    [['1', '20', '7'], 'continue', `Invalid option.\n${confirm20}`],
    [
      ['1', '1'],
      'continue',
      'Pay GHS 1.00 to Demo Shop\nfrom 0244123456?\nA fee may apply.\n7. Yes\n2. No\n0. Back',
    ],
    [
      ['1', '2'],
      'continue',
      'Pay GHS 2.00 to Demo Shop\nfrom 0244123456?\nA fee may apply.\n1. Yes\n8. No\n0. Back',
    ],
    [['1', '2', '8'], 'end', 'Cancelled. Nothing was paid.'],
    [['9'], 'continue', `Invalid option.\n${welcome}`],
    [[''], 'continue', `Invalid option.\n${welcome}`],
    [['01'], 'continue', `Invalid option.\n${welcome}`],
    [['9', '9', '9'], 'end', 'Too many invalid entries. Nothing was paid. Please dial again.'],
    [['9', '9', '1', 'x', 'x'], 'continue', `${typeAmount}\n${askAmount}`],
    [['1', '0'], 'continue', welcome],
    [['1', '0.99'], 'continue', `At least GHS 1.00.\n${askAmount}`],
    [['1', '5000.01'], 'continue', `At most GHS 5000.00.\n${askAmount}`],
    [['1', '-5'], 'continue', `${typeAmount}\n${askAmount}`],
    ...['20#', 'GHS 20', '20 GHS', '20 cedis', 'GH¢20', '20.', '20/-', '20/=', '20.00#', '20 #'].map(
      (typed): (typeof table)[number] => {
        return [['1', typed], 'continue', confirm20];
      },
    ),
    ...['20,50', '1.000', '2 0', '#20', '20*'].map((typed): (typeof table)[number] => {
      return [['1', typed], 'continue', `${typeAmount}\n${askAmount}`];
    }),
    [['1#'], 'continue', askAmount],
    [['1', '20', '1#'], 'end', approve20],
    [['1', '0#'], 'continue', welcome],
    [['2', '0201234567#'], 'continue', askNetwork],
    [['2', '+233 20 123 4567#'], 'continue', askNetwork],
    [['3', 'inv-0042#'], 'continue', askAmount],
    [['2', '0201234567'], 'continue', askNetwork],
    [['2', '0201234567', '2'], 'continue', askAmount],
    [
      ['2', '0302123456'],
      'continue',
      'Type it as 0244123456\nNumber that pays, such as 0244123456:\n0. Back',
    ],
    [
      ['2', '0201234567', '2', '5', '1'],
      'end',
      'Approve GHS 5.00 to Demo Shop with your PIN.\nNo prompt? Dial *110#, approvals',
    ],
    [['3', 'INV-12'], 'continue', 'Invalid. Example: INV-1234\nBill number, such as INV-1234:\n0. Back'],
    [
      ['3', 'inv-0042', '5'],
      'continue',
      'Pay GHS 5.00 to Demo Shop\nfrom 0244123456?\nBill INV-0042\nA fee may apply.\n1. Yes\n2. No\n0. Back',
    ],
    [
      ['4'],
      'continue',
      'Demo Shop\n1. Fa saa number yi tua\n2. Fa number foforo tua\n3. Tua bill\n4. English',
    ],
    [['4', '4'], 'continue', welcome],
    [['4', '1', '20', '2'], 'end', 'Yeagyae. Woantua hwee.'],
  ];
  test.each(table)('%j', (inputs, kind, text) => {
    expect(walk(shop, inputs).reply).toEqual({ kind, text });
  });
});

describe('the intent of a confirmation', () => {
  const own = msisdnOf('0244123456');
  const other = msisdnOf('0201234567');
  const table: [
    what: string,
    menu: Menu,
    inputs: string[],
    intent: Omit<NonNullable<Step['intent']>, 'shortReference'>,
  ][] = [
    [
      'the dialler pays unless another number was typed',
      shop,
      ['1', '20', '1'],
      { payer: own, amountMinor: amountMinor(2000), reference: undefined, operatorHint: 'mtn' },
    ],
    [
      'another number is charged on the chosen network, because prefixes prove nothing',
      shop,
      ['2', '020 123 4567', '1', '1.5', '1'],
      { payer: other, amountMinor: amountMinor(150), reference: undefined, operatorHint: 'mtn' },
    ],
    [
      'a bill has its reference',
      shop,
      ['3', 'INV-0042', '20', '1'],
      { payer: own, amountMinor: amountMinor(2000), reference: 'INV-0042', operatorHint: 'mtn' },
    ],
    [
      'an option sets the amount, and the dialler chooses the network of another number',
      tickets,
      ['2', 'Ama', '3', '0551234567', '1'],
      {
        payer: msisdnOf('0551234567'),
        amountMinor: amountMinor(2500),
        reference: 'ADULT',
        answers: [{ name: 'visitor', label: 'Visitor', value: 'Ama' }],
        operatorHint: 'telecel',
      },
    ],
    [
      "the aggregator's operator is used when the other number is the dialler's",
      tickets,
      ['1', 'Ama', '3', '0244123456', '1'],
      {
        payer: own,
        amountMinor: amountMinor(1000),
        reference: 'CHILD',
        answers: [{ name: 'visitor', label: 'Visitor', value: 'Ama' }],
        operatorHint: 'mtn',
      },
    ],
  ];
  test.each(table)('%s', (_, menu, inputs, intent) => {
    const { reply, intent: given } = walk(menu, inputs);
    expect(reply.kind).toBe('end');
    expect(given).toEqual({ ...intent, shortReference: context.shortReference() });
  });

  test('an unknown operator is no operator hint', () => {
    const { intent } = walk(shop, ['1', '20', '1'], { ...context, operator: 'unknown' });
    expect(intent).not.toHaveProperty('operatorHint');
    expect(intent).toMatchObject({ payer: own, amountMinor: 2000, reference: undefined });
  });
});

test('texts show typed answers and amounts in words, and an operator can have its own last screen', () => {
  expect(walk(tickets, ['2', 'Ama', '1']).reply.text).toBe(
    'GHS 25.00 (twenty-five cedis) from 0244123456\nfor Ama?\nA fee may apply.\n7. Pay\n2. No\n0. Back',
  );
  expect(walk(tickets, ['2', 'Ama', '3', '0501234567', '1']).reply.text).toBe(
    'Approve GHS 25.00, or dial *110#.',
  );
  expect(walk(tickets, ['2', 'Ama', '3', '0501234567', '2']).reply.text).toBe('No ticket was sold.');
});

test('an input is never read as a placeholder', () => {
  expect(walk(tickets, ['2', '{payer}', '1']).reply.text).toContain('for {payer}?');
});

test.each(['Am\u0254', 'Ama\nMensah'])(
  'a text answer has one line, and only characters that every handset shows: %j',
  (typed) => {
    const { reply } = walk(tickets, ['2', typed]);
    expect(reply.text).toBe('Use plain letters and digits.\nName of the visitor:');
  },
);

test('a text answer longer than its maximum is invalid', () => {
  expect(walk(tickets, ['2', 'a'.repeat(20)]).state.screen).toBe('wallet');
  expect(walk(tickets, ['2', 'a'.repeat(21)]).state.screen).toBe('visitor');
});

describe('repeats on a channel without a sequence (F01, S02)', () => {
  test('an input equal to the one before is asked for again once, then accepted', () => {
    const repeated = walk(shop, ['1', '1'], unsequenced);
    expect(repeated.reply).toEqual({ kind: 'continue', text: `Please type it again.\n${askAmount}` });
    expect(repeated.state).toMatchObject({ screen: 'amount', invalidInputs: 0, answers: {} });
    const accepted = step(shop, repeated.state, '1', unsequenced);
    expect(accepted.reply.text).toContain('Pay GHS 1.00');
    expect(accepted.reply.text).toContain('7. Yes');
  });

  test('an option is asked for again in the same way', () => {
    const repeated = walk(shop, ['4', '4'], unsequenced);
    expect(repeated.state).toMatchObject({ screen: 'welcome', language: 'tw' });
    expect(repeated.reply.text).toContain('San kyerew bio.');
    expect(step(shop, repeated.state, '4', unsequenced).state.language).toBe('en');
  });

  test('after another input, an equal input is not a repeat', () => {
    expect(walk(shop, ['1', 'x', '1'], unsequenced).state.screen).toBe('confirm');
  });

  test('on a sequenced channel every input is accepted at once', () => {
    expect(walk(shop, ['1', '1'], context).state.screen).toBe('confirm');
  });
});

test('a dialogue that has ended never returns an intent', () => {
  for (const inputs of [
    ['1', '20', '1'],
    ['1', '20', '2'],
    ['9', '9', '9'],
    ['1', '20', '9', '9', '9'],
  ]) {
    const ended = walk(shop, inputs);
    for (const input of ['1', '2', '7', '20']) {
      const after = step(shop, ended.state, input, context);
      expect(after.intent).toBeUndefined();
      expect(after.reply).toEqual({ kind: 'end', text: 'Session ended. Please dial again.' });
    }
  }
});

test('a screen that the menu no longer has ends the dialogue', () => {
  const state = { ...walk(shop, ['1']).state, screen: 'gone' };
  expect(step(shop, state, '1', context).reply).toEqual({
    kind: 'end',
    text: 'Session ended. Please dial again.',
  });
});

test('a confirm screen without an amount ends the dialogue without an intent', () => {
  const state = { ...walk(shop, ['1', '20']).state, answers: {} };
  const after = step(shop, state, '1', context);
  expect(after.intent).toBeUndefined();
  expect(after.reply.kind).toBe('end');
});

test('the texts for an open collection, a lost session and a fault have the language and the messages of the menu', () => {
  const collection = {
    amountMinor: amountMinor(500),
    chargeMinor: 505,
    merchant: 'Demo Shop',
    approvals: 'Dial *170#',
  };
  expect(alreadyWaitingText(shop, 'en', collection)).toBe(
    'GHS 5.05 to Demo Shop is already waiting. To approve: Dial *170#',
  );
  expect(alreadyWaitingText(shop, 'tw', collection)).toBe(
    'GHS 5.05 ma Demo Shop da so retwen. Pene so: Dial *170#',
  );
  expect(sessionLostText(shop, 'tw')).toBe('Session no atwam. San fre bio.');
  expect(sessionLostText(shop, 'ga')).toBe('Session ended. Please dial again.');
  expect(faultText({ ...shop, messages: { fault: { tw: 'San ba.' } } }, 'tw')).toBe('San ba.');
  expect(faultText({ ...shop, messages: { fault: { tw: 'San ba.' } } }, 'en')).toContain('try again');
});

describe('the keys of every screen', () => {
  test.each<[string, string[], string]>([
    ['back to the previous screen', ['1', '20', '0'], 'amount'],
    ['back twice', ['1', '20', '0', '0'], 'welcome'],
    ['back, and forward with another answer', ['1', '20', '0', '30'], 'confirm'],
    ['home', ['2', '0201234567', '2', '20', '00'], 'welcome'],
    ['the back key without history is invalid', ['0'], 'welcome'],
    ['back after an invalid input', ['1', 'x', '0'], 'welcome'],
    ['a screen that is shown again adds no history', ['4', '4', '1', '0'], 'welcome'],
  ])('%s', (_, inputs, screen) => {
    expect(walk(shop, inputs).state.screen).toBe(screen);
  });

  test('going back removes later answers and keeps the language', () => {
    const other = walk(shop, ['4', '2', '0201234567', '2', '20', '0', '0', '0', '0']);
    expect(other.state).toMatchObject({ screen: 'welcome', language: 'tw', answers: {}, invalidInputs: 0 });
    const { intent } = walk(shop, ['2', '0201234567', '2', '20', '00', '1', '30', '1']);
    expect(intent).toMatchObject({ payer: '233244123456', amountMinor: 3000 });
  });

  test('an input that is a valid answer is not a key', () => {
    const walletScreen = walk(tickets, ['2', '0']);
    expect(walletScreen.state).toMatchObject({ screen: 'wallet', answers: { values: { visitor: '0' } } });
    expect(walk(tickets, ['2']).reply.text).not.toContain('Back');
  });

  test('can be changed or disabled', () => {
    const keys = { back: '#', home: false, more: ['98'] } as const;
    const menu = { ...shop, keys: { ...keys, more: [...keys.more] } };
    expect(walk(menu, ['1']).reply.text).toMatch(/\n#\. Back$/);
    expect(walk(menu, ['1', '#']).state.screen).toBe('welcome');
    expect(walk(menu, ['1', '00']).state.screen).toBe('amount');
    const silent = { ...shop, keys: { ...menu.keys, back: false as const } };
    expect(walk(silent, ['1']).reply.text).not.toContain('Back');
  });

  test('the line for the back key is left out when there is no room for it', () => {
    const confirm = 'Pay GHS 20.00 to Demo Shop\nfrom 0244123456?\nA fee may apply.\n1. Yes\n2. No';
    const shown = (limit: number) => walk(shop, ['1', '20'], { ...context, limit }).reply.text;
    expect(shown(confirm.length + '\n0. Back'.length)).toBe(`${confirm}\n0. Back`);
    expect(shown(confirm.length + '\n0. Back'.length - 1)).toBe(confirm);
  });
});

describe('a screen of several pages', () => {
  const narrow = { ...context, limit: 60 };
  const pageTwo = '2. Pay with another number\n3. Pay a bill\n4. Twi';

  test('is divided between options, and every option is accepted on every page', () => {
    expect(walk(shop, [], narrow).reply.text).toBe('Demo Shop\n1. Pay with this number\n#. More');
    expect(walk(shop, ['#'], narrow).reply.text).toBe(pageTwo);
    expect(walk(shop, ['99'], narrow).reply.text).toBe(pageTwo);
    expect(walk(shop, ['#', '0'], narrow).reply.text).toMatch(/^Demo Shop/);
    const again = walk(shop, ['#', '#'], narrow).reply.text;
    expect(again).toBe('Invalid option.\n2. Pay with another number\n#. More');
    expect(walk(shop, ['#', '#', '#'], narrow).reply.text).toBe(pageTwo);
    expect(walk(shop, ['#', '#', '#', '0'], narrow).reply.text).toMatch(/^Demo Shop/);
    expect(walk(shop, ['3'], narrow).state.screen).toBe('bill');
    expect(walk(shop, ['#', '1'], narrow).state.screen).toBe('amount');
  });

  test('knows after a turn whether the same key turns once more', () => {
    const turned = (...keys: string[]) => {
      const { page, turnsAgain } = walk(shop, keys, { ...context, limit: 45 }).state;
      return [page, turnsAgain];
    };
    expect(turned('#')).toEqual([1, true]);
    expect(turned('#', '#')).toEqual([2, undefined]);
    expect(turned('#', '#', '0')).toEqual([1, true]);
    expect(turned('#', '#', '0', '0')).toEqual([undefined, undefined]);
  });

  test('can be confirmed only on its last page', () => {
    const tiny = { ...context, limit: 56 };
    const first = walk(shop, ['1', '20'], tiny);
    expect(first.reply.text).toBe('Pay GHS 20.00 to Demo Shop\nfrom 0244123456?\n#. More');
    expect(step(shop, first.state, '1', tiny).intent).toBeUndefined();
    const turned = step(shop, first.state, '#', tiny);
    expect(turned.reply.text).toBe('A fee may apply.\n1. Yes\n2. No\n0. Back');
    expect(step(shop, turned.state, '1', tiny).intent).toMatchObject({ amountMinor: 2000 });
  });

  test('keeps its confirm keys on every page: a late repeat of the previous answer confirms nothing', () => {
    const tiny = { ...unsequenced, limit: 66 };
    const turned = walk(shop, ['3', 'INV-0001', '1', '#'], tiny);
    expect(turned.reply.text).toContain('7. Yes');
    expect(step(shop, turned.state, '1', tiny).intent).toBeUndefined();
  });
});

describe('the first step', () => {
  const failed = { ...payment, state: 'failed' } as const;
  test.each<[CallerHistory, isAttendant: boolean, expected: object]>([
    [{ payment }, false, { screen: '(payment)', callerHistory: { payment } }],
    [{ payment, suffix: ['1'] }, false, { screen: '(payment)', callerHistory: { payment, suffix: ['1'] } }],
    [{ payment, lastInput: '7' }, false, { screen: '(payment)', callerHistory: { payment } }],
    [
      { payment: failed, lastInput: '7' },
      false,
      { screen: '(payment)', callerHistory: { payment: failed }, lastInput: '7' },
    ],
    [{ payment }, true, { screen: '(payment)', callerHistory: { payment } }],
    [{ payment, suffix: [] }, true, { screen: '(payment)', callerHistory: { payment, suffix: [] } }],
    [{ lastInput: '7' }, false, { screen: 'welcome' }],
    [
      { payment, suffix: ['1'] },
      true,
      { screen: 'amount', lastInput: '1', history: [{ screen: 'welcome', answers: {} }] },
    ],
  ])('after %j, for an attendant: %s', (history, isAttendant, expected) => {
    const { state } = startDialogue(shop, history, { ...context, isAttendant });
    expect(state).toStrictEqual({ language: 'en', answers: {}, invalidInputs: 0, ...expected });
  });
});

describe('a dialled suffix', () => {
  const dial = (menu: Menu, ...suffix: string[]) => startDialogue(menu, { suffix }, unsequenced);

  test('answers screen by screen, also with equal inputs, up to an invalid one', () => {
    expect(dial(shop, '1', '1').reply.text).toContain('Pay GHS 1.00');
    expect(dial(shop, '1', '1').state).not.toHaveProperty('pendingInputs');
    const invalid = dial(shop, '1', 'x', '20');
    expect(invalid.reply.text).toBe(`${typeAmount}\n${askAmount}`);
    expect(invalid.state).not.toHaveProperty('pendingInputs');
    expect(dial(tickets, '3', '1').reply).toEqual({ kind: 'end', text: 'Open daily 9:00 to 17:00.' });
    expect(dial(tickets, '3', '1').state.screen).toBe('hours');
    expect(dial(tickets, '3', '1').state).not.toHaveProperty('pendingInputs');
    expect(dial({ ...tickets, start: 'hours' }, '1').reply.text).toBe('Open daily 9:00 to 17:00.');
  });

  test('confirms no payment, also when its quote has arrived', () => {
    const shown = converse(shopMenu(), [], { history: { suffix: ['1', '20', '1', '1'] } });
    expect(shown.intent).toBeUndefined();
    expect(shown.state.screen).toBe('confirm');
    expect(shown.state).not.toHaveProperty('pendingInputs');
    expect(shown.reply.text).toContain('Fee GHS 0.20');
  });

  test('changes every preference that it answers', () => {
    const language = (of: string) => ({ kind: 'language', language: of });
    expect(dial(shop, '4').preferences).toEqual([language('tw')]);
    expect(dial(shop, '4', '4', '1').preferences).toEqual([language('tw'), language('en')]);
    expect(dial(shop, '1')).not.toHaveProperty('preferences');
  });

  test('waits for the answer of an effect, and is over with the next input', () => {
    const menu = shopMenu();
    const lookups = { ...menu, screens: { ...menu.screens, ...schoolMenu.screens } };
    const asked = startDialogue(lookups, { suffix: ['1', '1234', '2', '1'] }, context);
    expect(asked.effect).toMatchObject({
      kind: 'lookup',
      state: { screen: 'find', pendingInputs: ['2', '1'] },
    });
    expect(asked.state).toMatchObject({ screen: 'amount', pendingInputs: ['2', '1'] });
    const last = startDialogue(lookups, { suffix: ['1', '1234'] }, context);
    expect(last.effect?.kind).toBe('lookup');
    expect(last.effect?.state).not.toHaveProperty('pendingInputs');
    expect(step(lookups, asked.state, '20', context).state).not.toHaveProperty('pendingInputs');
  });
});

test('an input is read up to 182 characters, without the # at its end where that is no part of the answer', () => {
  const part = menuSchema.parse({
    languages: ['en'],
    start: 'order',
    screens: {
      order: { kind: 'proxy', url: '/x', maxTurns: 3, take: {}, done: 'done', fallback: 'done' },
      note: { kind: 'ask', answer: 'text', name: 'note', text: 'Note?', to: 'done' },
      done: { kind: 'end', text: '{note}.' },
    },
  });
  const at = {
    screen: 'order',
    language: 'en',
    answers: {},
    invalidInputs: 0,
    proxied: { turn: 1, text: '?' },
  };
  const inputOf = (typed: string) => {
    const { effect } = step(part, at, typed, context);
    return effect?.kind === 'proxy' ? effect.request.input : undefined;
  };
  expect(inputOf('x'.repeat(190))).toBe('x'.repeat(182));
  expect(inputOf(' 5 ## ')).toBe('5 ##');
  expect(step(part, { ...at, screen: 'note' }, 'No 7#', context).reply.text).toBe('No 7#.');
  expect(walk(shop, ['1', '20  ##']).reply.text).toBe(confirm20);
});

test('an attendant asks for a payment, and a payer blocks requests', () => {
  const at = (screen: string) => ({ screen, language: 'en', answers: {}, invalidInputs: 0 });
  const { effect } = step(shopMenu(), at('status'), '4821 7362', { ...context, isAttendant: true });
  expect(effect).toMatchObject({ kind: 'status', shortReference: '48217362' });
  const { preferences } = step(shopMenu(), at('requests'), '1', context);
  expect(preferences).toEqual([{ kind: 'requests', blocksRequests: true }]);
});

test.each(['find', 'order', 'done'])(
  'a state on the screen %s that takes no input ends the dialogue',
  (screen) => {
    const menu = shopMenu({
      screens: {
        find: { kind: 'lookup', url: '/x', take: {}, found: 'amount', fallback: 'amount' },
        order: { kind: 'proxy', url: '/x', maxTurns: 3, take: {}, done: 'amount', fallback: 'amount' },
      },
    });
    const state = { screen, language: 'en', answers: {}, invalidInputs: 0 };
    const { reply, state: after } = step(menu, { ...state, notice: 'typeAgain' }, '20', context);
    expect(reply).toEqual({ kind: 'end', text: 'Session ended. Please dial again.' });
    expect(after).toStrictEqual({ ...state, screen: '(lost)' });
  },
);

test('back and home forget the page, the invalid inputs and a later answer, and keep what was looked up', () => {
  const lookedUp = [{ key: 'k', answer: {} }];
  const at = { ...walk(shop, ['4', '2', '0201234567']).state, lookedUp, invalidInputs: 1, page: 0 };
  expect(step(shop, at, '0', context).state).toStrictEqual({
    ...{ screen: 'number', language: 'tw', answers: {}, invalidInputs: 0, lastInput: '0', lookedUp },
    history: [{ screen: 'welcome', answers: {} }],
  });
  expect(step(shop, at, '00', context).state).toStrictEqual({
    ...{ screen: 'welcome', language: 'tw', answers: {}, invalidInputs: 0 },
  });
  const first = walk(shop, ['1']).state;
  expect(step(shop, first, '0', context).state).toStrictEqual({
    ...{ screen: 'welcome', language: 'en', answers: {}, invalidInputs: 0, lastInput: '0', history: [] },
  });
});
