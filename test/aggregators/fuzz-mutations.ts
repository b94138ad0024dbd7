import type { Chance } from '../kit/chance.ts';
import type { RequestToSend } from './fuzz-requests.ts';

type Fields = readonly (readonly [name: string, value: unknown])[];

/** Values of other types and sizes, and names of special fields. */
const replacements: readonly unknown[] = [
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

/** The gateway does not read a larger body. */
const tooLarge = 64 * 1024;

/** Returns the request with one to three mutations. */
export function mutated(random: Chance, request: RequestToSend): RequestToSend {
  let mutant = request;
  for (let times = random.pick([1, 1, 1, 2, 3]); times > 0; times--)
    mutant = random.pick(mutations)(random, mutant);
  // A GET has no body.
  return mutant.method === 'GET' ? { ...mutant, body: '' } : mutant;
}

/** Returns content that is not a request of any aggregator. */
export function noise(random: Chance): RequestToSend {
  const body = random.pick<() => RequestToSend['body']>([
    () => '',
    () => 'hello',
    () => '['.repeat(5_000),
    () => '{"a":'.repeat(2_000),
    () => bytes(random),
    () => 'x'.repeat(random.in100(20) ? tooLarge + 1 : tooLarge),
    () => `{"${'k'.repeat(2_000)}":1}`,
    () => `{${Array.from({ length: 300 }, (_, n) => `"f${n}":${n}`).join()}}`,
  ])();
  const method = random.pick(['POST', 'PUT'] as const);
  return { method, to: random.pick(['', ...tails]), contentType: random.pick(contentTypes), body };
}

type Mutation = (random: Chance, request: RequestToSend) => RequestToSend;

const mutations: readonly Mutation[] = [
  onFields((random, fields) => without(fields, random.below(fields.length))),
  onFields((random, fields) => changed(fields, random.below(fields.length), random.pick(replacements))),
  onFields((random, fields) => changed(fields, random.below(fields.length), random.pick(replacements))),
  onFields((random, fields) => changed(fields, random.below(fields.length), random.pick(fields)[1])),
  onFields((random, fields) =>
    changed(fields, random.below(fields.length), { inner: random.pick(fields)[1] }),
  ),
  onFields((random, fields) => [...fields, [random.pick(names), random.pick(replacements)]]),
  onFields((random, fields) => [[random.pick(fields)[0], random.pick(replacements)], ...fields]),
  onFields((_luck, fields) => fields.map(([name, value]) => [name.toUpperCase(), value])),
  onFields((_luck, fields) => fields.map(([name, value]) => [name.toLowerCase(), retyped(value)])),
  onFields((random, fields) => random.shuffle(fields)),
  onText((random, text) => text.slice(0, random.below(text.length + 1))),
  onText((random, text) => text.slice(random.below(text.length + 1))),
  onText((_luck, text) => encoded(text)),
  onText((_luck, text) => `${encoded(text)}=`),
  onText((_luck, text) => `\ufeff \n${text}\n`),
  onText((_luck, text) => `[${text}]`),
  onText((_luck, text) => text + text),
  onText((random, text) =>
    text.replaceAll(random.pick(['"', ':', '=', '&', '1', '233']), random.pick(['', "'", '""', '%'])),
  ),
  onText((random, text) =>
    text.replace(/"[^"]{3,}"/, () => `${random.below(9) + 1}${'7'.repeat(random.pick([15, 16, 40]))}`),
  ),
  (random, request) => ({ ...request, body: bytes(random) }),
  (random, request) => ({ ...request, body: flipped(random, request.body) }),
  (random, request) => ({ ...request, method: random.pick(methods) }),
  (random, request) => ({ ...request, contentType: random.pick(contentTypes) }),
  (random, request) => ({ ...request, to: withTail(request.to, random.pick(tails)) }),
  (random, request) => ({ ...request, to: withQuery(request.to, random.pick(queries)) }),
  // Moves all fields of the body to the query.
  (_luck, request) => {
    const fields = fieldsOf(request);
    return fields ? { ...request, to: withQuery(pathOf(request.to), formOf(fields)), body: '' } : request;
  },
];

function onText(change: (random: Chance, text: string) => string): Mutation {
  return (random, request) =>
    typeof request.body === 'string' ? { ...request, body: change(random, request.body) } : request;
}

/** Changes the fields in place: in the JSON, in the form, or in the query. */
function onFields(change: (random: Chance, fields: Fields) => Fields): Mutation {
  return (random, request) => {
    const fields = fieldsOf(request);
    if (!fields) return request;
    const written = change(random, fields);
    if (typeof request.body === 'string' && request.body.startsWith('{')) {
      return { ...request, body: jsonOf(written) };
    }
    if (request.body !== '') return { ...request, body: formOf(written) };
    return { ...request, to: withQuery(pathOf(request.to), formOf(written)) };
  };
}

function fieldsOf({ body, to }: RequestToSend): Fields | undefined {
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

/** Writes JSON with duplicate names, which an object cannot contain. */
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

/** Percent-encodes a text, also with an unpaired surrogate. */
const encoded = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

function retyped(value: unknown): unknown {
  if (typeof value === 'string') return /^\d{1,15}$/.test(value) ? Number(value) : value.toLowerCase();
  return typeof value === 'object' ? value : String(value);
}

function bytes(random: Chance): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: random.below(300) }, () => random.below(256));
}

/** Returns the body with one inverted bit. */
function flipped(random: Chance, body: RequestToSend['body']): RequestToSend['body'] {
  const all = Uint8Array.from(typeof body === 'string' ? Buffer.from(body) : body);
  const at = random.below(all.length);
  if (all.length > 0) all[at] = (all[at] ?? 0) ^ (1 << random.below(8));
  return all;
}

const pathOf = (to: string): string => to.split('?')[0] ?? '';

function withTail(to: string, tail: string): string {
  const query = to.slice(pathOf(to).length);
  return `${pathOf(to)}${tail}${query}`;
}

const withQuery = (to: string, query: string): string => `${to}${to.includes('?') ? '&' : '?'}${query}`;
