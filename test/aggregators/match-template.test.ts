import { expect, test } from 'vitest';
import type { Template } from '../../src/aggregators/description/template.ts';
import { matchTemplate } from '../../src/aggregators/generic/match-template.ts';

/** The fields of the request, with their names in lower case. */
const sent = new Map<string, string | boolean>([
  ['id', 's-1'],
  ['new', true],
  ['payer.number', '233244123456'],
]);
const written = '2026-03-06T09:00:00.000Z';

/** Templates and answers, and the screen that the phone shows: none if they differ. */
test.each<[what: string, template: Template, answer: unknown, screen?: string]>([
  ['a text', 'CON {text}', 'CON Pay', 'Pay'],
  ['an empty text', 'CON {text}', 'CON ', ''],
  ['words before a text', 'CON {text}', '1 CON Pay'],
  ['words after a text', '{text} END', 'Pay END 1'],
  ['no text', 'CON {text}', undefined],
  ['a map instead of a text', '{text}', { m: 'Pay' }],
  ['a map', { m: '{text}' }, { m: 'Pay' }, 'Pay'],
  ['no map', { m: '{text}' }, null],
  ['a text instead of a map', { m: '{text}' }, 'Pay'],
  ['a list instead of a map', { 0: '{text}' }, ['Pay']],
  ['a map in a map', { m: { text: '{text}' } }, { m: { text: 'Pay' } }, 'Pay'],
  ['a further field', { m: '{text}' }, { m: 'Pay', more: 1 }],
  ['a further field in a map', { m: { text: '{text}' } }, { m: { text: 'Pay', more: 1 } }],
  ['a missing field', { m: '{text}', on: 1 }, { m: 'Pay' }],
  ['another field', { m: '{text}', id: '{other}' }, { m: 'Pay', no: 's-1' }],
  ['another spelling of a field', { m: '{text}', on: 1 }, { m: 'Pay', On: 1 }],
  ['the same number', { m: '{text}', on: 1 }, { m: 'Pay', on: 1 }, 'Pay'],
  ['another number', { m: '{text}', on: 1 }, { m: 'Pay', on: 0 }],
  ['a number as text', { m: '{text}', on: 1 }, { m: 'Pay', on: '1' }],
  ['an empty map instead of a number', { m: '{text}', on: 1 }, { m: 'Pay', on: {} }],
  ['the same nothing', { m: '{text}', none: null }, { m: 'Pay', none: null }, 'Pay'],
  ['an empty map instead of nothing', { m: '{text}', none: null }, { m: 'Pay', none: {} }],
  ['a flag instead of a text', { m: '{text}', on: 'true' }, { m: 'Pay', on: true }],
  ['the value of a field', { m: '{text}', id: 'x-{id}-y' }, { m: 'Pay', id: 'x-s-1-y' }, 'Pay'],
  ['another value of a field', { m: '{text}', id: 'x-{id}-y' }, { m: 'Pay', id: 'x-s-2-y' }],
  ['a field in another spelling', { m: '{text}', id: '{ID}' }, { m: 'Pay', id: 's-1' }, 'Pay'],
  ['another value of it', { m: '{text}', id: '{ID}' }, { m: 'Pay', id: 's-2' }],
  ['a field in a map', { m: '{text}', to: '+{payer.number}' }, { m: 'Pay', to: '+233244123456' }, 'Pay'],
  ['another value in a map', { m: '{text}', to: '+{payer.number}' }, { m: 'Pay', to: '+1' }],
  ['any value of an unknown field', { m: '{text}', hop: 'h{hop}' }, { m: 'Pay', hop: 'h12' }, 'Pay'],
  ['no value of an unknown field', { m: '{text}', hop: 'h{hop}' }, { m: 'Pay', hop: 'h' }, 'Pay'],
  ['the flag of the request', { m: '{text}', new: '{NEW}' }, { m: 'Pay', new: true }, 'Pay'],
  ['the flag as text', { m: '{text}', new: 'is {new}' }, { m: 'Pay', new: 'is true' }, 'Pay'],
  ['another flag', { m: '{text}', new: '{NEW}' }, { m: 'Pay', new: false }],
  ['a flag in a text', { m: '{text}', new: 'is {new}' }, { m: 'Pay', new: true }],
  ['a flag before a text', { m: '{text}', new: '{new}!' }, { m: 'Pay', new: true }],
  ['a number of an unknown field', { m: '{text}', hop: '{next-hop}' }, { m: 'Pay', hop: 12 }, 'Pay'],
  ['a map of an unknown field', { m: '{text}', hop: '{hop}' }, { m: 'Pay', hop: {} }],
  ['nothing of an unknown field', { m: '{text}', hop: '{hop}' }, { m: 'Pay', hop: null }],
  ['a number as screen', { m: '{text}', again: '{text}' }, { m: 'Pay', again: 1 }],
  ['a number of a field named after the text', { m: '{text}', no: '{text2}' }, { m: 'Pay', no: 1 }, 'Pay'],
  ['a number as time', { m: '{text}', at: '{at}' }, { m: 'Pay', at: 1 }],
  ['a time', { m: '{text}', at: '{at}' }, { m: 'Pay', at: written }, 'Pay'],
  ['another text as time', { m: '{text}', at: '{at}' }, { m: 'Pay', at: 'now' }],
  ['one screen twice', { m: '{text}', again: '{text}' }, { m: 'Pay', again: 'Pay' }, 'Pay'],
  ['two screens', { m: '{text}', again: '{text}' }, { m: 'Pay', again: 'Leave' }],
  ['two screens of three', '{text};{text};{text}', 'Pay;Pay;Leave'],
  ['no screen', { on: 1 }, { on: 1 }],
])('%s: %j and the answer %j', (_, template, answer, screen) => {
  expect(matchTemplate(template, answer, sent, false)).toBe(screen);
});

/** Answers that must contain the fields of the request. */
test.each<[what: string, template: Template, answer: unknown, screen?: string]>([
  ['all fields', { m: '{text}' }, { id: 's-1', new: true, m: 'Pay' }, 'Pay'],
  ['the fields in another spelling', { m: '{text}' }, { ID: 's-1', New: true, m: 'Pay' }, 'Pay'],
  ['a further field', { m: '{text}' }, { id: 's-1', new: true, m: 'Pay', more: 1 }, 'Pay'],
  ['no field', { m: '{text}' }, { m: 'Pay' }],
  ['one field of two', { m: '{text}' }, { id: 's-1', m: 'Pay' }],
  ['another value', { m: '{text}' }, { id: 's-2', new: true, m: 'Pay' }],
  ['a flag as text', { m: '{text}' }, { id: 's-1', new: 'true', m: 'Pay' }],
  ['a field with the screen', { New: '{text}' }, { id: 's-1', New: 'Pay' }, 'Pay'],
  ['a further field in a map', { m: { is: '{text}' } }, { id: 's-1', new: true, m: { is: 'Pay', more: 1 } }],
  ['no answer', { m: '{text}' }, undefined],
])('an echo with %s: %j and the answer %j', (_, template, answer, screen) => {
  expect(matchTemplate(template, answer, sent, true)).toBe(screen);
});

test('a template with many unknown placeholders is compared in linear time', () => {
  const template = { m: `${'{a}{b}{c}{d}{e}'}!{text}` };
  const startedAt = performance.now();
  expect(matchTemplate(template, { m: 'A'.repeat(200) }, new Map(), false)).toBeUndefined();
  // 17 s with a backtracking engine.
  expect(performance.now() - startedAt).toBeLessThan(400);
});

test('characters of the template and of the request have no meaning as a pattern', () => {
  const sent = new Map([['id', '(a+)+$']]);
  expect(matchTemplate({ m: '[.*] {id}: {text}' }, { m: '[.*] (a+)+$: Hi\nthere' }, sent, false)).toBe(
    'Hi\nthere',
  );
  expect(matchTemplate({ m: '[.*] {id}: {text}' }, { m: '[xx] aaa: Hi' }, sent, false)).toBeUndefined();
});
