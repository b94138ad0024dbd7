import type { Random } from './random.ts';

/* The hostile values from which every fuzzer draws. */

/** Texts that often break parsers, stores, pages and menus. */
const hostileTexts: readonly string[] = [
  ...['', ' ', ' 1 ', '\n', '\0', '\0x', '\0\u0001', '\ufeff', '\u202e', '\r\nx: y', '\ud800', 'x\udc00'],
  ...[
    '💸',
    'e\u0301',
    ...'Ɔdɔ １ １２３ ٣ " "} { | |^|^ ^'.split(' '),
    '\\',
    ...'&=+ % %00 %31 %zz'.split(' '),
  ],
  ...[...'0 -0 -1 1e9 1e400 NaN Infinity null undefined true'.split(' '), '9'.repeat(40), '9'.repeat(400)],
  ...'* # #0 99 1*1 1*2 *713*5# *713*5*1*20# START Timeout 30 {text} {at} {{7*7}}'.split(' '),
  ...['0244123456', '+233 24 412-3456', '00233201234567', '+15551234567'],
  ...['__proto__', 'constructor', 'toString', "' OR 1=1 --", '<script>alert(1)</script>', '../../etc/passwd'],
  ...[129, 182, 257, 2_000, 9_000].map((length) => 'x'.repeat(length)),
];

const hostileNumbers: readonly number[] = [
  ...[0, -0, -1, 0.1, 1.5, 1e21, 2 ** 53, -(2 ** 53), 100_000_001],
  ...[Number.MAX_SAFE_INTEGER + 2, Number.MAX_VALUE, Number.MIN_VALUE],
];

/** Names of fields and query parameters. */
export const hostileNames: readonly string[] = [
  ...[
    '__proto__',
    'constructor',
    'toString',
    '',
    ...'a.b payload.response path.0 limit cursor text'.split(' '),
  ],
  'x'.repeat(100),
];

/** Bodies within the size limit of both programs, none of which is a request. */
export const hostileBodies: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>> = {
  'lists nested as deep as fits': '['.repeat(60_000),
  'closed lists nested as deep as fits': '['.repeat(30_000) + ']'.repeat(30_000),
  'objects nested as deep as fits': `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  'bytes that are no UTF-8': Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d),
  'an overlong character': Uint8Array.of(0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d),
  'half a character': Uint8Array.of(0x22, 0xf0, 0x9f, 0x98, 0x22),
  'a surrogate': Uint8Array.of(0xed, 0xa0, 0x80),
  'a prototype': '{"__proto__":{"admin":true,"isAdmin":1},"constructor":{"prototype":{"admin":true}}}',
  'an amount beyond every integer': `{"msisdn":"233244123456","amount_minor":${2 ** 60},"network":"mtn"}`,
  'an amount of many digits': `{"amount_minor":${'9'.repeat(400)}}`,
  'an amount without end': '{"msisdn":"233244123456","amount_minor":1e400,"network":"mtn"}',
  'a name twice': '{"msisdn":"233244123456","amount_minor":1,"amount_minor":99999,"network":"mtn"}',
  'a name twice, once escaped':
    '{"msisdn":"233244123456","amount_minor":1,"amount\\u005fminor":9,"network":"mtn"}',
  'an unpaired surrogate in a value': '{"msisdn":"\\ud800"}',
  'an unpaired surrogate in a name': '{"\\udfff":1}',
  'thousands of names': `{${Array.from({ length: 5_000 }, (_, n) => `"n${n}":1`).join(',')}}`,
  'a long name': `{"${'k'.repeat(2_000)}":1}`,
  'a long value': `{"a":"${'y'.repeat(60_000)}"}`,
  'half a body': '{"msisdn":"233244123456","amount_mi',
  'a name without a value': '{"a":}',
  'two objects': '{}{}',
  'an unfinished object': '{',
  'no object': 'null',
  'a list': '[]',
  'a text': '"x"',
  'a number': '1',
  'no JSON': 'hello',
  'NUL bytes': '\0'.repeat(1_000),
};

/** A body that is larger than both programs read. */
const oversizedBody = `{"a":"${'z'.repeat(70_000)}"}`;

const post = (headers: string, body = '') =>
  `POST /handset/prompts/x/approve HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`;

/** HTTP messages that are malformed, ambiguous or unusual. Each is answered with 4xx, or the connection is closed. */
export const malformedMessages: readonly string[] = [
  ...['hello\r\n\r\n', '\r\n\r\n\r\n', '\0\0\0\0', '\u0000\u0001\u0002\r\n\r\n'],
  ...['\u0016\u0003\u0001\u0002\0\u0001\0\u0001\u00fc', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ...['GET /\r\n\r\n', 'GET /x HTTP/9.9\r\n\r\n', 'get / HTTP/1.1\r\n\r\n', 'GET /x HTTP/1.1\r\n\r\n'],
  ...['a b', '', '[::1'].map((host) => `GET /x HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
  'GET /x HTTP/1.1\r\nhost : x\r\n\r\n',
  'GET /x HTTP/1.1\r\nhost: x\r\nx: a\u0000b\r\n\r\n',
  'GET /x HTTP/1.1\r\nhost: x\r\n\r\n\r\nPOST',
  ...[
    ...'http://elsewhere.test/x // /%zz/%ff?%zz=%ff& /x?msisdn=%ff%fe&&=&= /x#y'.split(' '),
    '/\u00ff\u00fe',
  ].map((target) => `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`),
  ...['OPTIONS *', 'TRACE /', 'CONNECT x:443'].map((start) => `${start} HTTP/1.1\r\nHost: x\r\n\r\n`),
  'GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \u00ff\u00e9\r\n\r\n',
  'GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n',
  `GET /x HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
  `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  ...['-1', '1e9', '99999999'].map((length) => post(`Content-Length: ${length}`)),
  post('Content-Length: 1\r\nContent-Length: 2', 'ab'),
  post('Transfer-Encoding: chunked\r\nContent-Length: 2', '{}'),
  post('Transfer-Encoding: chunked', 'zz\r\n'),
  post('Transfer-Encoding: chunked', '1\r\n{\r\n0\r\n\r\n'),
  post('Transfer-Encoding: chunked', `${`400\r\n${'x'.repeat(1024)}\r\n`.repeat(80)}0\r\n\r\n`),
  post('Expect: 100-continue\r\nContent-Length: 2', '{}'),
  post('Content-Encoding: gzip\r\nContent-Length: 2', '{}'),
];

/** Generates a hostile text: listed, of random ASCII characters, or of any code points, unpaired surrogates included. */
export function hostileText(random: Random): string {
  const kind = random.int(0, 2);
  if (kind === 0) return random.pick(hostileTexts);
  const points = Array.from({ length: random.int(0, 40) }, () =>
    kind === 1 ? random.int(0x20, 0x7e) : random.int(0, 0x10ffff),
  );
  return String.fromCodePoint(...points);
}

/** Generates a value of any JSON type. */
export function hostileValue(random: Random): unknown {
  return random.pick<() => unknown>([
    () => hostileText(random),
    () => hostileText(random),
    () => random.pick(hostileNumbers),
    () => random.int(-1_000_000, 1_000_000),
    () => random.pick([null, true, false, [], {}, [[]], [{}], [[1]], { a: { b: { c: { d: 1 } } } }]),
    () => Array.from({ length: random.int(0, 4) }, () => hostileText(random)),
    () =>
      Object.fromEntries(
        Array.from({ length: random.int(1, 4) }, () => [hostileText(random), random.int(0, 9)]),
      ),
    () => ({ request_id: 1, response: '1' }),
  ])();
}

/** Generates a body that is not a request of anybody. */
export function hostileBody(random: Random): string | Uint8Array<ArrayBuffer> {
  return random.pick<() => string | Uint8Array<ArrayBuffer>>([
    () => random.pick(Object.values(hostileBodies)),
    () => hostileText(random),
    () => JSON.stringify(hostileValue(random)),
    () => hostileBytes(random),
    () => (random.happens(0.2) ? oversizedBody : 'x'.repeat(64 * 1024)),
  ])();
}

export function hostileBytes(random: Random): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: random.int(0, 300) }, () => random.int(0, 255));
}

/** Percent-encodes a text. An unpaired surrogate, which has no encoding, becomes a replacement character. */
export const percentEncoded = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

/** Generates a part of a path or of a query. */
export function hostileSegment(random: Random): string {
  return random.happens(0.5)
    ? percentEncoded(hostileText(random))
    : random.pick([
        ...'% %zz %ff %00 %2e%2e %2f %ed%a0%80 .. . :id {id} * ;a=b //'.split(' '),
        'p'.repeat(5_000),
      ]);
}
