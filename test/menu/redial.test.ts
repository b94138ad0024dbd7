import { describe, expect, test } from 'vitest';
import type { MenuContext, PaymentSummary } from '../../src/menu/state/state.ts';
import { msisdnOf } from '../kit/msisdn.ts';
import { shopMenu } from '../kit/shop-menu.ts';
import { converse, keyOf, offers, payment, proceed } from './conversation.ts';
import { context } from './support.ts';

/* A redial while a payment is open or recent: its screen, its offers, and what each offer leads to. */

const menu = shopMenu();
const other = msisdnOf('0201234567');
const unsequenced = { sequenced: false };

/** The screen of a payment that differs from a paid one of the own phone. */
const redial = (changed: Partial<PaymentSummary>, inputs: string[] = [], from: Partial<MenuContext> = {}) =>
  converse(menu, inputs, { history: { payment: { ...payment, ...changed } }, context: from });

const requested = { dialler: other, reference: 'INV-7' };
const asked = { payer: other };

test.each<[what: string, changed: Partial<PaymentSummary>, screen: string[]]>([
  [
    'a waiting payment',
    { state: 'waiting' },
    ['GHS 20.20 to Demo Shop is waiting for the PIN of 0244123456.', '1. How to approve', '2. New payment'],
  ],
  [
    'a payment that no poll has confirmed',
    { state: 'confirming' },
    ['GHS 20.20 to Demo Shop at 10:00 is being confirmed. Check again soon.', '1. New payment'],
  ],
  ['a paid one', {}, ['GHS 20.00 to Demo Shop was paid at 10:00. Ref 4821 7362', '1. New payment']],
  [
    'a failed one',
    { state: 'failed' },
    ['GHS 20.20 to Demo Shop was not paid.', '1. Send prompt again', '2. New payment'],
  ],
  [
    'a failed one that would fail again',
    { state: 'failed', isRetryExcluded: true },
    ['GHS 20.20 to Demo Shop was not paid.', '1. New payment'],
  ],
  [
    'a failed one that would be rejected now',
    { state: 'failed', cause: 'declined', retryRejection: 'rejectedCoolDown' },
    [
      'GHS 20.20 to Demo Shop was not paid.',
      'The prompt was declined.',
      'Sorry, recent requests were declined.',
      'Nothing was paid.',
      'Please try again later.',
      '1. New payment',
    ],
  ],
  [
    'one that failed because of the money',
    { state: 'failed', cause: 'no_money' },
    ['GHS 20.20 to Demo Shop was not paid.', 'Not enough money.', '1. Send prompt again', '2. New payment'],
  ],
  [
    "another payer's failure, whose reason is not the dialler's to read",
    { ...asked, state: 'failed', cause: 'no_money' },
    ['GHS 20.20 to Demo Shop was not paid.', '1. Send prompt again', '2. New payment'],
  ],
  [
    "another payer's missing wallet, because the dialler chose the network",
    { ...asked, state: 'failed', cause: 'no_wallet', isRetryExcluded: true },
    ['GHS 20.20 to Demo Shop was not paid.', 'No wallet on this network.', '1. New payment'],
  ],
  [
    'one without a result',
    { state: 'unknown' },
    ['GHS 20.20 to Demo Shop at 10:00: result not yet known.', '1. How to approve', '2. New payment'],
  ],
  [
    'a waiting request of another phone',
    { ...requested, state: 'waiting' },
    [
      'Requested by another phone:',
      'GHS 20.20 to Demo Shop is waiting for the PIN of 0244123456.',
      'For INV-7',
      '1. How to approve',
      '2. New payment',
      '3. Block requests',
    ],
  ],
  [
    'a failed request of another phone',
    { ...requested, state: 'failed' },
    [
      'Requested by another phone:',
      'GHS 20.20 to Demo Shop was not paid.',
      'For INV-7',
      '1. New payment',
      '2. Block requests',
    ],
  ],
  [
    'a waiting request to another phone, with a masked number',
    { ...asked, state: 'waiting' },
    ['GHS 20.20 to Demo Shop is waiting for the PIN of 0201***567.', '1. How to approve', '2. New payment'],
  ],
  [
    'a failed request to another phone',
    { ...asked, state: 'failed', reference: 'INV-7' },
    ['GHS 20.20 to Demo Shop was not paid.', 'For INV-7', '1. Send prompt again', '2. New payment'],
  ],
])('%s is shown first', (_, changed, screen) => {
  expect(redial(changed).reply).toEqual({ kind: 'continue', text: screen.join('\n') });
});

test('a failed one whose number was ported to a network that the service does not offer has no prompt again', () => {
  const networks = { ...context.networks, glo: null };
  const screen = redial({ state: 'failed', operator: 'mtn' }, [], { operator: 'glo', networks });
  expect(offers(screen)).toEqual(['New payment']);
  expect(screen.reply.text).toContain('cannot take payment from the network of 0244123456');
});

test('a phone that blocks requests is not offered to block them', () => {
  expect(offers(redial({ ...requested, state: 'failed' }, [], { blocksRequests: true }))).toEqual([
    'New payment',
  ]);
});

test('the screen has the language of the dialler', () => {
  const twi = shopMenu({ languages: ['en', 'tw'] });
  const history = { language: 'tw', payment: { ...payment, state: 'waiting' } } as const;
  expect(converse(twi, [], { history }).reply.text).toBe(
    'GHS 20.20 ma Demo Shop retwen 0244123456 PIN.\n1. Senea wopene so\n2. Tua foforo',
  );
});

test('an attendant who dials a suffix enters the menu at once; another dialler sees the payment', () => {
  const history = { payment, suffix: ['1'] };
  expect(converse(menu, [], { history, context: { isAttendant: true } }).state.screen).toBe('amount');
  expect(converse(menu, [], { history }).state.screen).toBe('(payment)');
});

describe('How to approve', () => {
  test.each<[what: string, changed: Partial<PaymentSummary>, text: string]>([
    [
      'names the total of the prompt',
      {},
      'GHS 20.20 to Demo Shop with your PIN. Dial *170#, Wallet, My Approvals',
    ],
    [
      'describes the network that was chosen for the number, whatever its prefix',
      { operator: 'telecel' },
      'GHS 20.20 to Demo Shop with your PIN. Dial *110#, approvals',
    ],
  ])('%s', (_, changed, text) => {
    const end = redial({ state: 'waiting', ...changed }, ['How to approve']);
    expect(end.reply).toEqual({ kind: 'end', text: `Approve ${text}` });
    expect(end.intent).toBeUndefined();
  });
});

describe('Send prompt again', () => {
  const failed = { state: 'failed' } as const;

  test('repeats the payment, linked to it and with the total of its screen, and has a short reference of its own', () => {
    const end = redial(failed, ['Send prompt again']);
    expect(end.reply).toEqual({
      kind: 'end',
      text: 'Approve GHS 20.20 to Demo Shop with your PIN. No prompt? Dial *170#, Wallet, My Approvals\nRef 4821 7369',
    });
    expect(end.intent).toEqual({
      payer: context.dialler,
      amountMinor: 2_000,
      reference: undefined,
      shortReference: '48217369',
      retryOf: 'col_1',
      operatorHint: 'mtn',
      shownTotalMinor: 2_020,
    });
  });

  test.each<[what: string, changed: Partial<PaymentSummary>, intent: object]>([
    ['for the network that the aggregator names now', { operator: 'telecel' }, { operatorHint: 'mtn' }],
    [
      'for the network of another payer that was chosen before',
      { ...asked, operator: 'telecel' },
      { operatorHint: 'telecel' },
    ],
    ['for the same bill', { reference: 'INV-7' }, { reference: 'INV-7' }],
    ['for another payer', asked, { payer: other }],
    [
      'with the total of the first prompt, when no screen named a fee',
      { shownTotalMinor: undefined as never },
      { shownTotalMinor: 2_020 },
    ],
  ])('is sent %s', (_, changed, intent) => {
    expect(redial({ ...failed, ...changed }, ['Send prompt again']).intent).toMatchObject(intent);
  });

  test('is sent for the network of the first prompt, with its instructions for approval, when the aggregator names none', () => {
    const end = redial({ ...failed, operator: 'telecel' }, ['Send prompt again'], { operator: 'unknown' });
    expect(end.intent).toMatchObject({ operatorHint: 'telecel' });
    expect(end.reply.text).toContain(context.approvals.telecel);
  });

  test.each<[what: string, changed: Partial<PaymentSummary>]>([
    ['a waiting payment', { state: 'waiting' }],
    ['a paid one', {}],
    ['one without a result', { state: 'unknown' }],
    ['a failed one that would fail again', { ...failed, isRetryExcluded: true }],
    ['a failed request of another phone', { ...failed, ...requested }],
  ])('is on no key of the screen of %s', (_, changed) => {
    for (const from of [{}, unsequenced]) {
      for (let key = 0; key <= 9; key++) {
        expect(redial(changed, [String(key)], from).intent).toBeUndefined();
      }
    }
  });

  // With the phone's number as session, a copy of the last confirmation may arrive after the redial.
  test.each(['1', '7'])('is not on the key %s of the confirmation before the redial', (lastInput) => {
    const history = { payment: { ...payment, ...failed }, lastInput };
    const screen = converse(menu, [], { history, context: unsequenced });
    expect(offers(screen)).toEqual(['Send prompt again', 'New payment']);
    expect([keyOf(screen, 'Send prompt again'), keyOf(screen, 'New payment')]).not.toContain(lastInput);
    const copied = proceed(menu, screen, [lastInput], { context: unsequenced });
    expect([copied.intent, copied.reply.kind]).toEqual([undefined, 'continue']);
  });
});

test('Block requests ends the dialogue and changes the preference of the number', () => {
  const end = redial({ ...requested, state: 'waiting' }, ['Block requests']);
  expect(end.reply).toEqual({ kind: 'end', text: 'Done. Other phones can no longer ask you to pay.' });
  expect(end.preferences).toEqual([{ kind: 'requests', blocksRequests: true }]);
});

test('New payment starts the menu', () => {
  expect(redial({}, ['New payment']).state.screen).toBe('welcome');
});
