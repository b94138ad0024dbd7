import { expect, test } from 'vitest';
import type { CallerHistory } from '../../src/menu/state/state.ts';
import { shopMenu } from '../kit/shop-menu.ts';
import { converse } from './conversation.ts';

/* The question for the language. */

const menu = shopMenu({ languages: ['en', 'tw'] });
const unsequenced = { sequenced: false };
const choice = 'Demo Shop\n1. English\n2. Twi';
const rareKeys = 'Demo Shop\n7. English\n8. Twi';

test.each<[what: string, history: CallerHistory, inputs: string[], screen: RegExp | string]>([
  ['a new dialler is asked', {}, [], choice],
  ['a language that the menu does not have is asked for again', { language: 'ga' }, [], choice],
  ['a known dialler is not asked', { language: 'en' }, [], /^Demo Shop\n1\. My number/],
  ['the known language is spoken', { language: 'tw' }, ['9'], /^San paw bio\.\nDemo Shop/],
  [
    'a dialled suffix skips the question and speaks the first language',
    { suffix: ['1', '20'] },
    [],
    /^Pay GHS 20/,
  ],
  ['an unknown key asks again', {}, ['3'], `Invalid option.\n${choice}`],
  ['the choice is spoken from the next screen on', {}, ['Twi', '9'], /^San paw bio\./],
  ['a language chosen inside the menu too', {}, ['English', 'Change language', '9'], /^San paw bio\./],
])('%s', (_, history, inputs, screen) => {
  const { text } = converse(menu, inputs, { history }).reply;
  if (typeof screen === 'string') expect(text).toBe(screen);
  else expect(text).toMatch(screen);
});

test('every choice is remembered', () => {
  const twi = [{ kind: 'language', language: 'tw' }];
  expect(converse(menu, ['Twi']).preferences).toEqual(twi);
  expect(converse(menu, ['Change language'], { history: { language: 'en' } }).preferences).toEqual(twi);
  expect(converse(menu, ['Twi', '1']).preferences).toBeUndefined();
});

test('a menu with one language does not ask', () => {
  expect(converse(shopMenu()).state.screen).toBe('welcome');
});

test.each<[inputs: string[], screen: RegExp | string]>([
  [[], rareKeys],
  [['7'], /^Demo Shop\n1\. My number/],
  [['7', '1'], 'Amount:\n0. Back'],
  // A late copy of the choice is asked for again, and the menu continues.
  [['8', '8'], /^San kyerew bio\.\nDemo Shop\n1\. My number/],
  [['8', '8', '1', '20'], /^Pay GHS 20\.00 to Demo Shop(.|\n)*1\. Aane/],
])('without sequence numbers, no first input is taken for a repeat: %j', (inputs, screen) => {
  const { text } = converse(menu, inputs, { context: unsequenced }).reply;
  if (typeof screen === 'string') expect(text).toBe(screen);
  else expect(text).toMatch(screen);
});
