import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import type { RequestReading } from '../../src/aggregators/aggregator.ts';
import {
  createDialect,
  describe as describeAggregator,
  describeWith,
  withUsualFacts,
} from '../../src/aggregators/description/describe.ts';
import type { Description, ReplyTemplates } from '../../src/aggregators/description/description.ts';
import { readFields } from '../../src/aggregators/description/request-fields.ts';
import type { Operator } from '../../src/shared/msisdn.ts';

const names = { session: ['sid'], number: ['from'], operator: ['net'], input: ['in'] };
const texts = { continue: 'CON {text}', end: 'END {text}' };
const body = JSON.stringify({ sid: 's-1', from: '0244123456', net: 'M', in: '1' });
const raw = { body, query: {}, path: '' };
const options = { serviceCode: '*713*5#', operators: new Map<string, Operator>(), settings: {} };

test('a fact that is not documented has its usual value', () => {
  expect(withUsualFacts({ name: 'acme', title: 'Acme' })).toEqual({
    ...{ name: 'acme', title: 'Acme', method: 'POST', replyWithinMs: 4_000, sequenced: false },
    promptDelayMs: 0,
    style: { alphabet: 'gsm', limit: 160, lineBreak: '\n', forbidden: '' },
  });
  const given = {
    name: 'acme',
    title: 'Acme',
    method: 'GET',
    replyWithinMs: 8_000,
    sequenced: true,
  } as const;
  expect(withUsualFacts({ ...given, promptDelayMs: 5_000, style: { limit: 120, forbidden: '|' } })).toEqual({
    ...given,
    promptDelayMs: 5_000,
    style: { alphabet: 'gsm', limit: 120, lineBreak: '\n', forbidden: '|' },
  });
});

describe('an aggregator', () => {
  const facts = { name: 'acme', title: 'Acme', replyWithinMs: 8_000 };

  it('without settings accepts none, and has one description', () => {
    const aggregator = describeAggregator(facts, { ...names, reply: texts });
    expect(aggregator).toMatchObject({ ...facts, method: 'POST' });
    expect(aggregator.settings.safeParse({}).success).toBe(true);
    expect(aggregator.settings.safeParse({ more: 1 }).success).toBe(false);
    expect(aggregator.createDialect(options).decode(raw)).toMatchObject({ request: { session: 's-1' } });
  });

  it('with settings has a description for the parsed ones', () => {
    const settings = z.strictObject({ word: z.string().default('GO') });
    const aggregator = describeWith(facts, settings, ({ word }) => ({
      ...names,
      reply: { ...texts, continue: `${word} {text}` },
    }));
    expect(aggregator).toMatchObject({ ...facts, settings });
    const written = (given: object) => {
      const dialect = aggregator.createDialect({ ...options, settings: given });
      return dialect.encode({ kind: 'continue', text: 'Pay' }, dialect.decode(raw), 0).body;
    };
    expect(written({})).toBe('GO Pay');
    expect(written({ word: 'MORE' })).toBe('MORE Pay');
  });
});

test.each<[own: Description['operators'], channel: Record<string, Operator>, operator: Operator]>([
  [undefined, {}, 'unknown'],
  [{ m: 'telecel' }, {}, 'telecel'],
  [undefined, { m: 'at' }, 'at'],
  [{ m: 'telecel' }, { m: 'at' }, 'at'],
  [{ m: 'telecel' }, { x: 'at' }, 'telecel'],
])('the codes of the aggregator %j and those of the channel %j make it %s', (own, channel, operator) => {
  const description = { ...names, ...(own && { operators: own }), reply: texts };
  const operators = new Map(Object.entries(channel));
  const reading = createDialect(description, { ...options, operators }).decode(raw);
  expect(reading).toMatchObject({ request: { operator } });
});

const fields = readFields({ body: JSON.stringify({ id: 'a&b' }), query: {}, path: '' });
const notice: RequestReading = { kind: 'notice', session: 's-1', ending: 'ended', fields };
const probe: RequestReading = { kind: 'probe', session: 's-1', fields };
const unreadable: RequestReading = { kind: 'unreadable', fields };
const plain = 'text/plain; charset=utf-8';
const json = 'application/json';
const own = { probe: { alive: 'ALIVE {id}', over: 'OVER {id}' }, notice: 'BYE {id}' };

/** Replies by their templates, each to continue and to end. */
test.each<
  [what: string, reply: ReplyTemplates, reading: RequestReading, type: string, more: string, last: string]
>([
  ['a text', texts, unreadable, plain, 'CON A&B', 'END A&B'],
  ['a text for a notice', texts, notice, plain, 'END A&B', 'END A&B'],
  ['a text for a probe', texts, probe, plain, 'CON A&B', 'END A&B'],
  ['a text of its own', { ...texts, ...own }, unreadable, plain, 'CON A&B', 'END A&B'],
  ['a text of its own for a notice', { ...texts, ...own }, notice, plain, 'BYE a&b', 'BYE a&b'],
  ['a text of its own for a probe', { ...texts, ...own }, probe, plain, 'ALIVE a&b', 'OVER a&b'],
  ['a line', { ...texts, contentType: 'text/html' }, unreadable, 'text/html', 'CON A&B', 'END A&B'],
  ['XML', { ...texts, contentType: 'text/xml' }, unreadable, 'text/xml', 'CON A&amp;B', 'END A&amp;B'],
  ['a map', { continue: { m: '{text}' }, end: {} }, unreadable, json, '{"m":"A&B"}', '{}'],
  [
    'a map after the fields of the request',
    { continue: { m: '{text}' }, end: {}, echo: true },
    unreadable,
    json,
    '{"id":"a&b","m":"A&B"}',
    '{"id":"a&b"}',
  ],
  [
    'a map with the time',
    { continue: { at: '{at}' }, end: {} },
    unreadable,
    json,
    '{"at":"2026-03-06T09:00:00.000Z"}',
    '{}',
  ],
])('a reply is %s', (_, reply, reading, contentType, more, last) => {
  const dialect = createDialect({ ...names, reply }, options);
  const encode = (kind: 'continue' | 'end') =>
    dialect.encode({ kind, text: 'A&B' }, reading, Date.UTC(2026, 2, 6, 9));
  expect(encode('continue')).toEqual({ contentType, body: more });
  expect(encode('end')).toEqual({ contentType, body: last });
});
