import { expect, test } from 'vitest';
import { menuSchema } from '../../src/menu/schema.ts';
import { afterPayment, builtInState, startMenu } from '../../src/menu/state/start-menu.ts';
import type { CallerHistory } from '../../src/menu/state/state.ts';
import { context } from './support.ts';

const menuOf = (changed: object) =>
  menuSchema.parse({
    languages: ['en', 'tw'],
    start: [{ when: { weekday: 'fri' }, to: 'friday' }, 'closed'],
    screens: {
      friday: { kind: 'ask', answer: 'msisdn', text: { en: 'Number?', tw: 'Nɔma?' }, to: 'closed' },
      closed: { kind: 'end', text: 'Closed.' },
    },
    ...changed,
  });
const menu = menuOf({});
const interrupted = { screen: 'friday', language: 'en', answers: {}, invalidInputs: 0 };

test.each<[object, CallerHistory, lastInput: string | undefined, expected: object]>([
  [{}, {}, undefined, { screen: '(language)', language: 'en', callerHistory: {} }],
  [{}, {}, '7', { screen: '(language)', language: 'en', callerHistory: {}, lastInput: '7' }],
  [{ askLanguage: false }, {}, undefined, { screen: 'friday', language: 'en' }],
  [{}, { language: 'tw' }, '7', { screen: 'friday', language: 'tw', lastInput: '7' }],
  [{}, { suffix: ['1'] }, undefined, { screen: 'friday', language: 'en', pendingInputs: ['1'] }],
  [
    {},
    { interrupted, language: 'tw' },
    '7',
    {
      screen: '(resume)',
      language: 'tw',
      callerHistory: { interrupted, language: 'tw' },
      lastInput: '7',
    },
  ],
])('a menu with %j starts after %j and the input %j', (changed, history, lastInput, expected) => {
  const { state } = afterPayment(menuOf(changed), history, context, lastInput);
  expect(state).toStrictEqual({ answers: {}, invalidInputs: 0, ...expected });
});

test('the start of a menu depends on the time, and a language that it does not have counts for nothing', () => {
  expect(startMenu(menu, 'en', { ...context, localTime: '2026-03-07T10:00' }).reply.text).toBe('Closed.');
  const { language } = builtInState(menu, '(language)', { language: 'ga' });
  expect(language).toBe('en');
});
