import { expect, test } from 'vitest';
import {
  createJsonPost,
  createPost,
  networkNames,
  readJsonAnswer,
  readJsonScreen,
  readScreen,
} from '../../src/aggregators/simulated-aggregator.ts';
import { msisdnOf } from '../kit/msisdn.ts';

const json = 'application/json';

test('most aggregators name the networks as they were', () => {
  expect(networkNames).toEqual({
    mtn: 'MTN',
    telecel: 'VODAFONE',
    at: 'AIRTELTIGO',
    glo: 'GLO',
    unknown: 'UNKNOWN',
  });
});

test('a request is a POST to the callback URL itself', () => {
  expect(createPost('text/plain', 'a=1')).toEqual({
    method: 'POST',
    to: '',
    contentType: 'text/plain',
    body: 'a=1',
  });
  expect(createJsonPost({ a: 1 })).toEqual({
    method: 'POST',
    to: '',
    contentType: json,
    body: '{"a":1}',
  });
});

test.each<[contentType: string, body: string, answer: unknown]>([
  [json, '{"a":1}', { a: 1 }],
  ['application/json; charset=utf-8', '{"a":1}', { a: 1 }],
  ['text/plain', '{"a":1}', undefined],
  ['x application/json', '{"a":1}', undefined],
  [json, '[1]', undefined],
  [json, 'null', undefined],
  [json, '"a"', undefined],
  [json, '{"a"', undefined],
])('the JSON answer of %s %s is %j', (contentType, body, answer) => {
  expect(readJsonAnswer(contentType, body)).toEqual(answer);
});

test.each<[text: unknown, action: unknown, screen: unknown]>([
  ['Pay', 1, { kind: 'continue', text: 'Pay' }],
  ['Bye', 2, { kind: 'end', text: 'Bye' }],
  ['', 2, { kind: 'end', text: '' }],
  ['Pay', '1', undefined],
  ['Pay', undefined, undefined],
  [7, 1, undefined],
  [undefined, 2, undefined],
])('the text %j with the action %j is the screen %j', (text, action, screen) => {
  expect(readScreen(text, action, 1, 2)).toEqual(screen);
  const body = JSON.stringify({ text, action });
  expect(readJsonScreen('text', 'action', [1, 2])(json, body, dial)).toEqual(screen);
});

const dial = {
  ...{ session: 's-1', msisdn: msisdnOf('0244123456'), operator: 'mtn' as const },
  ...{ serviceCode: '*713*5#', dialled: '*713*5#' },
};

test('a JSON screen needs what the aggregator requires', () => {
  const read = readJsonScreen('text', 'on', [true, false], ({ id }, { session }) => id === session);
  const answer = (id: string) => JSON.stringify({ text: 'Pay', on: true, id });
  expect(read(json, answer('s-1'), dial)).toEqual({ kind: 'continue', text: 'Pay' });
  expect(read(json, answer('s-2'), dial)).toBeUndefined();
  expect(read('text/plain', answer('s-1'), dial)).toBeUndefined();
});
