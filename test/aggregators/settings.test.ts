import { expect, test } from 'vitest';
import { genericSettings } from '../../src/aggregators/generic/settings.ts';

const request = { session: 'sid', number: 'from', input: 'in' };
const reply = { continue: 'CON {text}', end: 'END {text}' };
const nameExpected = 'expected the name of a field, such as sessionId or payload.input, or a list of up to 8';
const endings = 'completed, cancelled, timeout, failed, ended';
const replyExpected = 'expected a text, or a map of texts, numbers, true, false and further maps';

/** Returns the errors of the settings with other keys. */
function errorsOf(ofRequest: object, ofReply: object): string[] {
  const given = { request: { ...request, ...ofRequest }, reply: { ...reply, ...ofReply } };
  const { error } = genericSettings.safeParse(given);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

/** Returns a map with so many keys. */
const mapOf = (size: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: size }, (_, i) => [`f${i}`, value]));
const [longest, tooLong] = ['x'.repeat(64), 'x'.repeat(65)];

test.each<[other: object, ...errors: string[]]>([
  [{ input: longest }],
  [{ input: 'a.b-1.c' }],
  [{ input: 'a.b.c.d' }, `request.input: ${nameExpected}`],
  [{ input: 'a..b' }, `request.input: ${nameExpected}`],
  [{ input: ' in' }, `request.input: ${nameExpected}`],
  [{ input: tooLong }, `request.input: ${nameExpected}`],
  [{ input: Array(8).fill('a') }],
  [{ input: Array(9).fill('a') }, `request.input: ${nameExpected}`],
  [{ input: [] }, `request.input: ${nameExpected}`],
  [{ number: undefined }, `request.number: ${nameExpected}`],
  [{ session: undefined }, 'request.session: expected the name of a field, or numberAsSession'],
  [{ numberAsSession: 'yes' }, 'request.numberAsSession: expected true or false'],
  [{ session: undefined, numberAsSession: true }],
  [{ method: 'POST' }],
  [{ method: 'GET' }],
  [{ method: 'PATCH' }, 'request.method: expected POST or GET'],
  [{ operators: mapOf(32, 'mtn') }],
  [{ operators: mapOf(33, 'mtn') }, 'request.operators: expected 1 to 32 values'],
  [{ operators: { [longest]: 'mtn' } }],
  [{ operators: { m: 'x' } }, 'request.operators.m: expected one of mtn, telecel, at, glo, unknown'],
  [{ operators: 'mtn' }, 'request.operators: expected codes and operators'],
  [{ cumulative: 'answers' }],
  [{ cumulative: 'all' }, 'request.cumulative: expected true, false or answers'],
  [{ first: 'OPEN' }, 'request.first: expected a map with field and is'],
  [{ first: { field: 'a' } }, 'request.first: expected either is or sameAs'],
  [{ first: { field: 'a', is: '1', sameAs: 'b' } }, 'request.first: expected either is or sameAs'],
  [{ first: { field: 'a', sameAs: 'b' } }],
  [{ first: { field: 'a', is: longest } }],
  [{ first: { field: 'a', is: false } }],
  [{ first: { field: 'a', is: Array(32).fill('1') } }],
  [
    { first: { field: 'a', is: Array(33).fill('1') } },
    'request.first.is: expected true, false, a text in quotes or a list of them',
  ],
  [
    { first: { field: 'a', is: tooLong } },
    'request.first.is: expected true, false, a text in quotes or a list of them',
  ],
  [
    { first: { field: 'a', is: [tooLong] } },
    'request.first.is.0: expected a text of 1 to 64 characters, in quotes if it is a number',
  ],
  [
    { first: { field: 'a', is: '' } },
    'request.first.is: expected true, false, a text in quotes or a list of them',
  ],
  [{ ended: 'OVER' }, 'request.ended: expected a map with field and is'],
  [{ ended: { field: 'a', others: 'input' } }],
  [{ ended: { field: 'a', others: 'gone' } }, `request.ended.others: expected one of input, ${endings}`],
  [{ ended: { field: 'a', is: mapOf(32, 'failed') } }],
  [{ ended: { field: 'a', is: mapOf(33, 'failed') } }, 'request.ended.is: expected 1 to 32 values'],
  [
    { ended: { field: 'a', is: { gone: 'gone' } } },
    `request.ended.is: expected a text in quotes, a list of them, or a map from them to ${endings}`,
  ],
  [{ first: { field: 'a', is: '1' }, ended: { field: 'a', is: '2' } }],
  [{ first: { field: 'a', is: '1' }, ended: { field: 'a', is: '2', others: 'input' } }],
  [{ first: { field: 'a', is: '1' }, ended: { field: 'b' } }],
  [
    { first: { field: ['b', 'a'], is: '1' }, ended: { field: ['c', 'a'] } },
    'request.ended: expected `is` without `others`, because `first` uses the same field',
  ],
  [
    { first: { field: 'a', is: '1' }, ended: { field: 'a', is: '2', others: 'ended' } },
    'request.ended: expected `is` without `others`, because `first` uses the same field',
  ],
  [{ dialled: 'a', suffix: 'b' }, 'request.dialled: expected dialled or suffix, not both'],
  [
    { cumulative: true, dialled: 'a', first: { field: 'b', is: '1' } },
    'request.dialled: expected no value: a cumulative input contains it',
    'request.first: expected no value: a cumulative input contains it',
  ],
  [{ cumulative: true, suffix: 'x' }, 'request.suffix: expected no value: a cumulative input contains it'],
])('a request with %j has the errors %j', (other, ...errors) => {
  expect(errorsOf(other, {})).toEqual(errors);
});

const more = { m: '{text}', on: 1 };
const last = { m: '{text}', on: 0 };

test.each<[other: object, ...errors: string[]]>([
  [{ echo: 'yes' }, 'reply.echo: expected true or false'],
  [{ echo: true }, 'reply.echo: expected false: only a map can start with the fields of the request'],
  [{ echo: true, continue: more, end: last }],
  [{ continue: more }, 'reply.end: expected a map, like continue'],
  [{ end: last }, 'reply.end: expected a text, like continue'],
  [{ notice: {} }, 'reply.notice: expected a text, like continue'],
  [{ notice: '' }],
  [{ continue: undefined, end: 1 }, `reply.continue: ${replyExpected}`, `reply.end: ${replyExpected}`],
  [
    { end: reply.continue },
    'reply.end: expected a reply that differs from continue, so that sessions can end',
  ],
  [{ end: 'END' }, 'reply.end: expected the placeholder {text} for the screen'],
  [{ contentType: 'text/html;charset=utf-8' }],
  [{ contentType: 'json' }, 'reply.contentType: expected a content type, such as application/json'],
  [{ contentType: 'application/json' }, 'reply.contentType: expected no JSON type for a text'],
  [
    { continue: more, end: last, contentType: 'text/html' },
    'reply.contentType: expected a JSON type for a map',
  ],
  [{ continue: more, end: last, contentType: 'application/json; charset=utf-8' }],
  [{ contentType: ' text/html' }, 'reply.contentType: expected a content type, such as application/json'],
  [{ contentType: 'text/html;' }, 'reply.contentType: expected a content type, such as application/json'],
  [
    { notice: ' <m/>' },
    'reply.contentType: expected a content type, such as text/xml, for a reply that begins with <',
  ],
  [{ contentType: 'text/xml', notice: ' <m/>' }],
  [
    { contentType: 'text/xml', end: '<![cdata[{text}]]>' },
    'reply.end: expected no CDATA: the placeholders of an XML reply are escaped',
  ],
  [{ contentType: 'text/plain', end: '<![CDATA[{text}]]>' }],
  [{ end: 'END <![CDATA[{text}]]>' }],
  [{ continue: `{text}${'x'.repeat(506)}` }],
  [{ continue: `{text}${'x'.repeat(507)}` }, 'reply.continue: expected at most 512 characters'],
  [{ continue: more, end: { ...last, ...mapOf(30, null) } }],
  [
    { continue: more, end: { ...last, ...mapOf(30, null), more: [] } },
    'reply.end: expected at most 32 fields',
  ],
  [{ continue: more, end: { ...last, [longest]: true } }],
  [
    { continue: more, end: { ...last, [tooLong]: true } },
    `reply.end.${tooLong}: expected a name of 1 to 64 characters`,
  ],
  [{ continue: more, end: { ...last, '': true } }, 'reply.end.: expected a name of 1 to 64 characters'],
  [{ continue: more, end: { ...last, a: { b: { c: { d: 1 } } } } }],
  [
    { continue: more, end: { ...last, a: { b: { c: { d: {} } } } } },
    'reply.end.a.b.c.d: expected at most 4 levels of maps',
  ],
  [{ continue: more, end: { ...last, n: Number.NaN } }, `reply.end.n: ${replyExpected}`],
  [{ continue: more, end: { ...last, n: [] } }, `reply.end.n: ${replyExpected}`],
])('a reply with %j has the errors %j', (other, ...errors) => {
  expect(errorsOf({}, other)).toEqual(errors);
});

test('the values of a description that are left out are the usual ones', () => {
  const given = { ...request, first: { field: 'is', is: '1' }, ended: { field: 'is', is: '2' } };
  expect(genericSettings.parse({ request: given, reply })).toEqual({
    request: {
      ...{ method: 'POST', session: ['sid'], numberAsSession: false, number: ['from'], operators: {} },
      ...{ input: ['in'], cumulative: false, first: { field: ['is'], is: ['1'], needsDial: false } },
      ended: { field: ['is'], is: { 2: 'ended' } },
    },
    reply: { ...reply, echo: false },
  });
});

test.each<[given: unknown, errors: string[]]>([
  [1, ['expected a map with request and reply']],
  [{}, ['expected a map with session, number and input', 'expected a map with continue and end']],
])('the settings %j have the errors %j', (given, errors) => {
  expect(genericSettings.safeParse(given).error?.issues.map(({ message }) => message)).toEqual(errors);
});
