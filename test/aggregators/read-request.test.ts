import { describe, expect, test } from 'vitest';
import type { Description, KindRule } from '../../src/aggregators/description/description.ts';
import { readRequest } from '../../src/aggregators/description/read-request.ts';
import { readFields } from '../../src/aggregators/description/request-fields.ts';

const usual: Description = {
  ...{ session: ['sid'], number: ['from'], operator: ['net'], input: ['in'] },
  reply: { continue: '', end: '' },
};
const request = { sid: 's-1', from: '0244123456', in: '1' };

/** Returns the reading of a request with other fields, without its fields. */
function read(
  other: Record<string, unknown>,
  description: Partial<Description> = {},
  serviceCode = '*713*5#',
): Record<string, unknown> {
  const fields = readFields({ body: JSON.stringify({ ...request, ...other }), query: {}, path: '' });
  const operators = new Map([['m', 'mtn'] as const, ['x', 'unknown'] as const]);
  const options = { serviceCode, operators, settings: undefined };
  const { fields: read, ...reading } = readRequest({ ...usual, ...description }, options, fields);
  expect(read).toBe(fields);
  return reading;
}

const requestOf = (...args: Parameters<typeof read>) => read(...args).request;
const entryOf = (...args: Parameters<typeof read>) =>
  (requestOf(...args) as { entry: unknown } | undefined)?.entry;

const unreadable = { kind: 'unreadable' };
const dialler = '233244123456';

test.each<[Record<string, unknown>, object, Partial<Description>?]>([
  [{ sid: '' }, unreadable],
  [{ sid: 'a b' }, unreadable],
  [{ sid: 'é' }, unreadable],
  [{ sid: 's'.repeat(129) }, unreadable],
  [{ sid: 's'.repeat(128) }, { request: { session: 's'.repeat(128) } }],
  [{ sid: '!~' }, { request: { session: '!~' } }],
  [{ sid: '' }, { request: { session: dialler } }, { numberAsSession: true }],
  [{ sid: '', from: '' }, unreadable, { numberAsSession: true }],
  [{ from: '' }, unreadable],
  [{ from: 'Kofi' }, unreadable],
  [{ from: '+2348031234567' }, { ...unreadable, isOtherNumber: true }],
  [{ from: '%2B233244123456' }, { request: { dialler } }],
  [{ from: '%2b233\u0000244123456' }, { request: { dialler } }],
])('%j is read as %j', (other, reading, description) => {
  const found = read(other, description);
  expect(found).toMatchObject(reading);
  expect('isOtherNumber' in found).toBe('isOtherNumber' in reading);
});

const rule: KindRule = {
  field: ['type'],
  first: ['New', 'Again'],
  ended: { Bye: 'cancelled', '9': 'timeout' },
};
const first = { kind: 'request', request: { entry: { kind: 'dialled', suffix: [] } } };
const typed = { kind: 'request', request: { entry: { kind: 'typed', input: '1' } } };
const noticeOf = (ending: string) => ({ kind: 'notice', ending, session: 's-1', dialler });

describe('the kind of a request', () => {
  test.each<[Record<string, unknown>, Partial<KindRule>, object]>([
    [{ type: 'new' }, {}, first],
    [{ type: 'AGAIN' }, {}, first],
    [{ type: 'more' }, {}, typed],
    [{ type: 'bye' }, {}, noticeOf('cancelled')],
    [{ type: 9 }, {}, noticeOf('timeout')],
    [{ type: 'more' }, { other: 'failed' }, noticeOf('failed')],
    [{}, { other: 'failed' }, typed],
    [{ type: 'Alive' }, { probe: ['ping', 'alive'] }, { kind: 'probe', session: 's-1', dialler }],
    [{ type: 'bye' }, { probe: ['alive'] }, noticeOf('cancelled')],
    [{ type: 'bye' }, { field: ['other', 'type'] }, noticeOf('cancelled')],
    [{ type: 'A', same: 'a' }, { firstIfSame: ['same'] }, first],
    [{ type: 'A', same: 'b' }, { firstIfSame: ['same'] }, typed],
    [{ type: 'bye', same: 'b' }, { firstIfSame: ['same'] }, noticeOf('cancelled')],
    // Without the field of comparison, the input decides.
    [{ type: 'bye' }, { firstIfSame: ['same'] }, typed],
    ...['true', 'TRUE', true, 1, '1', 'yes', 'Y', 'on', 't'].flatMap((type) => [
      [{ type }, { first: ['true'], flag: true }, first] as [object, Partial<KindRule>, object],
      [{ type }, { first: ['false'], flag: true }, typed] as [object, Partial<KindRule>, object],
    ]),
    ...['false', false, 0, '0', 'no', 'N', 'off', 'f', 'null'].flatMap((type) => [
      [{ type }, { first: ['false'], flag: true }, first] as [object, Partial<KindRule>, object],
      [{ type }, { first: ['true'], flag: true }, typed] as [object, Partial<KindRule>, object],
    ]),
    [{ type: 'bye' }, { first: ['true'], flag: true }, noticeOf('cancelled')],
    [{ type: '1' }, { first: ['true'] }, typed],
  ] as [Record<string, unknown>, Partial<KindRule>, object][])(
    'of %j by %j is %j',
    (other, kind, reading) => {
      const found = read(other, { kind: { ...rule, ...kind } });
      expect(found).toMatchObject(reading);
      if (found.kind !== 'request') expect(found).toEqual(reading);
    },
  );

  test('needs no number in a notice', () => {
    expect(read({ type: 'bye', from: '' }, { kind: rule })).toEqual({
      ...{ kind: 'notice', ending: 'cancelled', session: 's-1' },
    });
  });
});

const long = '1'.repeat(183);
const needsDial: Partial<Description> = { kind: { ...rule, firstNeedsDial: true } };
const suffixed: Partial<Description> = { kind: rule, suffix: ['rest'] };

describe('the input', () => {
  test.each<[Record<string, unknown>, object | undefined, Partial<Description>?, string?]>([
    // The text alone decides.
    [{ in: ' 1 ' }, { kind: 'typed', input: '1' }],
    [{ in: '1%23' }, { kind: 'typed', input: '1#' }],
    [{ in: '1%2A2%2b3%3a' }, { kind: 'typed', input: '1*2+3%3a' }],
    [{ in: '1%20' }, { kind: 'typed', input: '1%20' }],
    [{ in: long }, { kind: 'typed', input: long.slice(1) }],
    [{ in: '*713*5*1#' }, { kind: 'dialled', suffix: ['1'] }],
    [{ in: '713*5*1' }, { kind: 'dialled', suffix: ['1'] }],
    [{ in: '*999#' }, { kind: 'dialled', suffix: [] }],
    [{ in: '*999*1' }, { kind: 'typed', input: '*999*1', isFirst: true }],
    [{ in: '5' }, { kind: 'typed', input: '5', isFirst: true }],
    [{ in: '5*1*20' }, { kind: 'typed', input: '5*1*20', suffix: ['1', '20'] }],
    [{ in: '' }, { kind: 'typed', input: '', suffix: [] }],
    [{ in: '', code: '*713*5*1#' }, { kind: 'typed', input: '', suffix: ['1'] }, { dialled: ['code'] }],
    [{ in: '', rest: long }, { kind: 'typed', input: '' }, { suffix: ['rest'] }],
    [{ in: '1', code: '*713*5*1#' }, { kind: 'typed', input: '1' }, { dialled: ['code'] }],
    [{ in: '20' }, { kind: 'typed', input: '20', suffix: [] }, {}, '*20#'],
    [{ in: '*20' }, { kind: 'dialled', suffix: [] }, {}, '*20#'],
    // The request is an input.
    [{ type: 'more', in: '5' }, { kind: 'typed', input: '5' }, { kind: rule }],
    [{ type: 'more', in: '5*1' }, { kind: 'typed', input: '5*1' }, { kind: rule }],
    [{ type: 'more', in: '' }, { kind: 'typed', input: '' }, { kind: rule }],
    [{ type: 'more', in: '*999*1' }, { kind: 'typed', input: '*999*1' }, { kind: rule }],
    [{ type: 'more', in: '713*5*1' }, { kind: 'typed', input: '713*5*1', suffix: ['1'] }, { kind: rule }],
    [{ type: 'more', in: '*713*5#' }, { kind: 'typed', input: '*713*5#', suffix: [] }, { kind: rule }],
    // The request is the first one.
    [{ type: 'new', in: 'hello' }, { kind: 'dialled', suffix: [] }, { kind: rule }],
    [{ type: 'new', in: '5*1' }, { kind: 'dialled', suffix: ['1'] }, { kind: rule }],
    [{ type: 'new', in: long }, undefined, { kind: rule }],
    [{ type: 'new', in: long.slice(1) }, { kind: 'dialled', suffix: [] }, { kind: rule }],
    [{ type: 'new', in: 'hello' }, { kind: 'typed', input: 'hello', isFirst: true }, needsDial],
    [{ type: 'new', in: '' }, { kind: 'dialled', suffix: [] }, needsDial],
    [{ type: 'new', in: '*713*5*1#' }, { kind: 'dialled', suffix: ['1'] }, needsDial],
    [{ type: 'new', in: '*999#' }, { kind: 'dialled', suffix: [] }, needsDial],
    // The suffix has a field of its own.
    [{ type: 'new', rest: '1*20' }, { kind: 'dialled', suffix: ['1', '20'] }, suffixed],
    [{ type: 'new', rest: '*713*5*1#' }, { kind: 'dialled', suffix: ['1'] }, suffixed],
    [{ type: 'new', rest: '*713*5#', in: '713*5*2' }, { kind: 'dialled', suffix: [] }, suffixed],
    [{ type: 'new', rest: '', in: '713*5*2' }, { kind: 'dialled', suffix: ['2'] }, suffixed],
    [{ type: 'new', rest: '20*1' }, { kind: 'dialled', suffix: ['20', '1'] }, suffixed, '*20#'],
    [{ type: 'new', rest: long }, undefined, suffixed],
    [{ type: 'new', rest: long.slice(1) }, { kind: 'dialled', suffix: [long.slice(1)] }, suffixed],
    // The input has everything since the dial.
    [{ in: ' 1* ' }, { kind: 'cumulative', text: '1* ' }, { cumulative: true }],
    [{ in: '5*1' }, { kind: 'cumulative', text: '5*1', suffix: ['1'] }, { cumulative: true }],
    [{ in: '5*1' }, { kind: 'cumulative', text: '5*1' }, { cumulative: 'answers' }],
    [{ in: '' }, { kind: 'cumulative', text: '' }, { cumulative: true }],
    [{ in: '1'.repeat(2049) }, undefined, { cumulative: true }],
    [{ in: '1'.repeat(2048) }, { kind: 'cumulative', text: '1'.repeat(2048) }, { cumulative: true }],
  ])('%j is read as %j', (other, entry, description, serviceCode) => {
    expect(entryOf(other, description, serviceCode)).toEqual(entry);
  });
});

test.each<[Record<string, unknown>, object, Partial<Description>?]>([
  [{ net: 'M' }, { operator: 'mtn' }],
  [{ net: 'Vodafone' }, { operator: 'telecel' }],
  [{ net: 'm1234' }, { operator: 'mtn' }, { operatorLength: 1 }],
  [{}, { operator: 'unknown' }],
  [{ net: 'X' }, { operator: 'unknown' }],
  [{ net: 'Nova\u0000%23' }, { operator: 'unknown', unlistedNetwork: 'Nova#' }],
  [{ net: 'n'.repeat(41) }, { operator: 'unknown', unlistedNetwork: 'n'.repeat(40) }],
  [
    { hop: '2', ref: 't-1' },
    { operator: 'unknown', mark: '2', ussdRef: 't-1' },
  ],
  [{ hop: '2 3', ref: '' }, { operator: 'unknown' }],
])('the network and the ids of %j are %j', (other, expected, description) => {
  expect(requestOf(other, { mark: ['hop'], ussdRef: ['ref'], ...description })).toStrictEqual({
    ...{ session: 's-1', dialler, entry: { kind: 'typed', input: '1' } },
    ...expected,
  });
});

test('a request without a network has the operator of the empty code, and no ids that the description does not name', () => {
  const { operator, ...without } = usual;
  expect(operator).toEqual(['net']);
  const fields = readFields({ body: JSON.stringify({ ...request, net: 'Vodafone' }), query: {}, path: '' });
  expect(
    readRequest(without, { serviceCode: '*713*5#', operators: new Map([['', 'mtn']]), settings: {} }, fields),
  ).toEqual({
    kind: 'request',
    fields,
    request: { session: 's-1', dialler, operator: 'mtn', entry: { kind: 'typed', input: '1' } },
  });
});
