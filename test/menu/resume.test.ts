import { describe, expect, test } from 'vitest';
import type { MenuState } from '../../src/menu/state/state.ts';
import { shopMenu } from '../kit/shop-menu.ts';
import { converse, keyOf, payment, proceed, quoted } from './conversation.ts';

/* A redial after an interrupted dialogue. */

const menu = shopMenu();
const unsequenced = { sequenced: false };

/** The state after the inputs, where the session broke. */
const brokenAt = (...inputs: string[]): MenuState => converse(menu, inputs).state;
const redial = (interrupted: MenuState, inputs: string[] = []) =>
  converse(menu, inputs, { history: { interrupted } });

test.each([
  [{}, 'Demo Shop: your session was interrupted.\n1. Continue\n2. Start over'],
  // Keys that the first screen of the menu does not have: no payer has to type one twice.
  [unsequenced, 'Demo Shop: your session was interrupted.\n7. Continue\n8. Start over'],
])('the dialogue is offered, on %j', (from, text) => {
  const history = { interrupted: brokenAt('1') };
  expect(converse(menu, [], { history, context: from }).reply).toEqual({ kind: 'continue', text });
});

test.each<[at: string[], screen: string, next: string[], intent: object]>([
  [['1'], 'Amount:\n0. Back', ['20', 'Yes'], { amountMinor: 2_000, payer: '233244123456' }],
  [['2'], 'Number that pays:\n0. Back', ['0201234567', '20', 'Yes'], { payer: '233201234567' }],
  [['3', 'INV-1234'], 'Amount:\n0. Back', ['20', 'Yes'], { reference: 'INV-1234', amountMinor: 2_000 }],
  [
    ['1', '20'],
    'Pay GHS 20.00 to Demo Shop from 0244123456?\nFee GHS 0.20, total GHS 20.20\n7. Yes\n2. No\n0. Back',
    ['Yes'],
    { amountMinor: 2_000, quote: { totalMinor: 2_020 } },
  ],
])('interrupted after %j, it continues there with its answers', (at, screen, next, intent) => {
  const resumed = redial(brokenAt(...at), ['Continue']);
  expect(resumed.reply.text).toBe(screen);
  expect(resumed.intent).toBeUndefined();
  expect(proceed(menu, resumed, next).intent).toMatchObject(intent);
});

test('a resumed dialogue has its own language', () => {
  const twi = shopMenu({ languages: ['en', 'tw'] });
  const interrupted = converse(twi, ['Twi', '1']).state;
  const screen = converse(twi, [], { history: { interrupted, language: 'tw' } });
  expect(screen.reply.text).toBe('Demo Shop: wo session twae.\n1. Toa so\n2. Fi ase bio');
  expect(proceed(twi, screen, ['Toa so', '20']).reply.text).toContain('1. Aane');
});

test('Start over discards all answers, and the offer', () => {
  const { state } = redial(brokenAt('3', 'INV-1234', '20'), ['Start over']);
  expect(state).toMatchObject({ screen: 'welcome', answers: {} });
  expect(state).not.toHaveProperty('callerHistory');
  expect(state).not.toHaveProperty('history');
});

test('Start over asks for the language that a dialled suffix had skipped, and the screen has no offer any more', () => {
  const twi = shopMenu({ languages: ['en', 'tw'] });
  const { state } = converse(twi, ['Start over'], { history: { interrupted: brokenAt('1') } });
  expect(state.screen).toBe('(language)');
  expect(state.callerHistory).not.toHaveProperty('interrupted');
});

test('a dialled suffix enters the menu at once', () => {
  const history = { interrupted: brokenAt('1'), suffix: ['3'] };
  expect(converse(menu, [], { history }).state.screen).toBe('bill');
});

test('a recent payment is shown before the offer', () => {
  const history = { interrupted: brokenAt('1'), payment };
  expect(converse(menu, [], { history }).state.screen).toBe('(payment)');
  expect(converse(menu, ['New payment'], { history }).state.screen).toBe('(resume)');
});

describe('a resumed confirm screen', () => {
  test('is confirmed by neither the key for Continue nor a copy of it', () => {
    const history = { interrupted: brokenAt('1', '20') };
    const offered = converse(menu, [], { history, context: unsequenced });
    const key = keyOf(offered, 'Continue') ?? '';
    const confirm = proceed(menu, offered, ['Continue'], { context: unsequenced });
    expect([keyOf(confirm, 'Yes'), keyOf(confirm, 'No')]).toEqual(['1', '2']);
    const copied = proceed(menu, confirm, [key, key], { context: unsequenced });
    expect([copied.intent, copied.state.screen]).toEqual([undefined, 'confirm']);
  });

  test('requests a quote of its own, because the interrupted session can still use its quote', () => {
    const interrupted = brokenAt('1', '20');
    expect(interrupted).toHaveProperty('quoted');
    const requests: number[] = [];
    converse(menu, ['Continue'], {
      history: { interrupted },
      quote(request) {
        requests.push(request.amountMinor);
        return quoted(request);
      },
    });
    expect(requests).toEqual([2_000]);
  });

  test('is also where a dialogue continues that broke on the duplicate question, with the total that binds', () => {
    const interrupted = converse(menu, ['1', '20', 'Yes'], { duplicate: payment }).state;
    expect(interrupted.screen).toBe('(duplicate)');
    const confirm = redial(interrupted, ['Continue']);
    expect(confirm.reply.text).toMatch(/^Pay GHS 20\.00 to .*\nFee GHS 0\.20, total GHS 20\.20\n/);
    const question = proceed(menu, confirm, ['Yes'], { duplicate: payment });
    expect([question.state.screen, question.intent]).toEqual(['(duplicate)', undefined]);
    expect(proceed(menu, question, ['Yes']).intent).toMatchObject({ quote: { totalMinor: 2_020 } });
  });
});
