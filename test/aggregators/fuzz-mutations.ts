import type { Chance } from './chance.ts';
import type { Sent } from './fuzz-requests.ts';

type Fields = readonly (readonly [name: string, value: unknown])[];

/** Values of other types, other sizes, and names of other things. */
const instead: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e21,
  Number.MAX_SAFE_INTEGER + 2,
  '',
  ' ',
  'null',
  'undefined',
  '0244123456',
  '+233 24 412-3456',
  '00233201234567',
  '+15551234567',
  '*713*5*1*20#',
  'START',
  'Timeout',
  '30',
  '\0\u0001',
  '\ud800',
  '\u202e',
  '|^|^',
  '{text}',
  '{at}',
  '"}',
  'x'.repeat(129),
  'x'.repeat(257),
  '9'.repeat(400),
  'x'.repeat(5_000),
  [],
  [[1]],
  {},
  { a: { b: { c: { d: 1 } } } },
  { request_id: 1, response: '1' },
];

const names = [
  '__proto__',
  'constructor',
  'toString',
  '',
  'a.b',
  'payload.response',
  'path.0',
  'x'.repeat(100),
];

const queries = [
  'a=b',
  '=',
  '&&&',
  '%zz=%ff',
  '__proto__=1',
  'status=Success',
  'text=1',
  'msisdn=0244123456',
];
const tails = [
  '/',
  '//',
  '/x',
  '/session/s-1/start',
  '/session/s-1/end',
  '/session/s-1/status',
  '/%ff%fe',
  '/a%2Fb',
];
const contentTypes = [
  '',
  'text/plain',
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'Application/JSON; charset=utf-16',
];

const methods = ['GET', 'POST', 'PUT'] as const;

/** Above this a request is not read at all. */
const tooLarge = 64 * 1024;

/** The request with one to three things about it broken. */
export function mutated(luck: Chance, request: Sent): Sent {
  let broken = request;
  for (let times = luck.pick([1, 1, 1, 2, 3]); times > 0; times--)
    broken = luck.pick(mutations)(luck, broken);
  // A GET has no body.
  return broken.method === 'GET' ? { ...broken, body: '' } : broken;
}

/** What was never a request. */
export function noise(luck: Chance): Sent {
  const body = luck.pick<() => Sent['body']>([
    () => '',
    () => 'hello',
    () => '['.repeat(5_000),
    () => '{"a":'.repeat(2_000),
    () => bytes(luck),
    () => 'x'.repeat(luck.in100(20) ? tooLarge + 1 : tooLarge),
    () => `{"${'k'.repeat(2_000)}":1}`,
    () => `{${Array.from({ length: 300 }, (_, n) => `"f${n}":${n}`).join()}}`,
  ])();
  const method = luck.pick(['POST', 'PUT'] as const);
  return { method, to: luck.pick(['', ...tails]), contentType: luck.pick(contentTypes), body };
}

type Mutation = (luck: Chance, request: Sent) => Sent;

const mutations: readonly Mutation[] = [
  onFields((luck, fields) => without(fields, luck.below(fields.length))),
  onFields((luck, fields) => changed(fields, luck.below(fields.length), luck.pick(instead))),
  onFields((luck, fields) => changed(fields, luck.below(fields.length), luck.pick(instead))),
  onFields((luck, fields) => changed(fields, luck.below(fields.length), luck.pick(fields)[1])),
  onFields((luck, fields) => changed(fields, luck.below(fields.length), { inner: luck.pick(fields)[1] })),
  onFields((luck, fields) => [...fields, [luck.pick(names), luck.pick(instead)]]),
  onFields((luck, fields) => [[luck.pick(fields)[0], luck.pick(instead)], ...fields]),
  onFields((_luck, fields) => fields.map(([name, value]) => [name.toUpperCase(), value])),
  onFields((_luck, fields) => fields.map(([name, value]) => [name.toLowerCase(), retyped(value)])),
  onFields((luck, fields) => luck.shuffle(fields)),
  onText((luck, text) => text.slice(0, luck.below(text.length + 1))),
  onText((luck, text) => text.slice(luck.below(text.length + 1))),
  onText((_luck, text) => encoded(text)),
  onText((_luck, text) => `${encoded(text)}=`),
  onText((_luck, text) => `\ufeff \n${text}\n`),
  onText((_luck, text) => `[${text}]`),
  onText((_luck, text) => text + text),
  onText((luck, text) =>
    text.replaceAll(luck.pick(['"', ':', '=', '&', '1', '233']), luck.pick(['', "'", '""', '%'])),
  ),
  onText((luck, text) =>
    text.replace(/"[^"]{3,}"/, () => `${luck.below(9) + 1}${'7'.repeat(luck.pick([15, 16, 40]))}`),
  ),
  (luck, request) => ({ ...request, body: bytes(luck) }),
  (luck, request) => ({ ...request, body: flipped(luck, request.body) }),
  (luck, request) => ({ ...request, method: luck.pick(methods) }),
  (luck, request) => ({ ...request, contentType: luck.pick(contentTypes) }),
  (luck, request) => ({ ...request, to: withTail(request.to, luck.pick(tails)) }),
  (luck, request) => ({ ...request, to: withQuery(request.to, luck.pick(queries)) }),
  // All that the body says, in the query.
  (_luck, request) => {
    const fields = fieldsOf(request);
    return fields ? { ...request, to: withQuery(pathOf(request.to), formOf(fields)), body: '' } : request;
  },
];

function onText(change: (luck: Chance, text: string) => string): Mutation {
  return (luck, request) =>
    typeof request.body === 'string' ? { ...request, body: change(luck, request.body) } : request;
}

/** Changes the fields where they stand: in the JSON, in the form, or in the query. */
function onFields(change: (luck: Chance, fields: Fields) => Fields): Mutation {
  return (luck, request) => {
    const fields = fieldsOf(request);
    if (!fields) return request;
    const written = change(luck, fields);
    if (typeof request.body === 'string' && request.body.startsWith('{')) {
      return { ...request, body: jsonOf(written) };
    }
    if (request.body !== '') return { ...request, body: formOf(written) };
    return { ...request, to: withQuery(pathOf(request.to), formOf(written)) };
  };
}

function fieldsOf({ body, to }: Sent): Fields | undefined {
  if (typeof body !== 'string') return undefined;
  const fields = body.startsWith('{') ? objectOf(body) : [...new URLSearchParams(body || to.split('?')[1])];
  return fields && fields.length > 0 ? fields : undefined;
}

function objectOf(body: string): Fields | undefined {
  try {
    return Object.entries(JSON.parse(body) as object);
  } catch {
    return undefined;
  }
}

/** By hand, for an object holds no name twice. */
function jsonOf(fields: Fields): string {
  return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`;
}

function formOf(fields: Fields): string {
  const text = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));
  const pairs = fields.map(([name, value]): [string, string] => [name, text(value).slice(0, 2_000)]);
  return new URLSearchParams(pairs).toString();
}

const without = (fields: Fields, at: number): Fields => fields.filter((_, n) => n !== at);

const changed = (fields: Fields, at: number, value: unknown): Fields =>
  fields.map((field, n) => (n === at ? [field[0], value] : field));

/** Also where half a surrogate pair stands alone. */
const encoded = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

function retyped(value: unknown): unknown {
  if (typeof value === 'string') return /^\d{1,15}$/.test(value) ? Number(value) : value.toLowerCase();
  return typeof value === 'object' ? value : String(value);
}

function bytes(luck: Chance): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: luck.below(300) }, () => luck.below(256));
}

/** One bit of the body the other way round. */
function flipped(luck: Chance, body: Sent['body']): Sent['body'] {
  const all = Uint8Array.from(typeof body === 'string' ? Buffer.from(body) : body);
  const at = luck.below(all.length);
  if (all.length > 0) all[at] = (all[at] ?? 0) ^ (1 << luck.below(8));
  return all;
}

const pathOf = (to: string): string => to.split('?')[0] ?? '';

function withTail(to: string, tail: string): string {
  const query = to.slice(pathOf(to).length);
  return `${pathOf(to)}${tail}${query}`;
}

const withQuery = (to: string, query: string): string => `${to}${to.includes('?') ? '&' : '?'}${query}`;
