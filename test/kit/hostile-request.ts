import type { WireRequest } from '../../src/aggregators/simulated-aggregator.ts';
import {
  hostileBody,
  hostileBytes,
  hostileNames,
  hostileText,
  hostileValue,
  percentEncoded,
} from './hostile-values.ts';
import type { Random } from './random.ts';

/* Requests that are nearly right: mutations of valid ones, which every fuzzer of callbacks and webhooks sends. */

/** A request to send. `body` can be bytes that are not text. */
export type RequestToSend = Omit<WireRequest, 'body'> & { body: string | Uint8Array<ArrayBuffer> };

type Fields = readonly (readonly [name: string, value: unknown])[];

const queries = 'a=b = &&& %zz=%ff __proto__=1 status=Success text=1 msisdn=0244123456'.split(' ');
const tails = '/ // /x /session/s-1/start /session/s-1/end /session/s-1/status /%ff%fe /a%2Fb'.split(' ');
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

/** Returns the request with one to three mutations. */
export function mutateRequest(random: Random, request: RequestToSend): RequestToSend {
  let mutant = request;
  for (let times = random.pick([1, 1, 1, 2, 3]); times > 0; times--)
    mutant = random.pick(mutations)(random, mutant);
  // A GET has no body.
  return mutant.method === 'GET' ? { ...mutant, body: '' } : mutant;
}

/** Returns a request whose content is not a request of anybody. */
export function createNoise(random: Random): RequestToSend {
  const method = random.pick(['POST', 'PUT'] as const);
  const to = random.pick(['', ...tails]);
  return { method, to, contentType: random.pick(contentTypes), body: hostileBody(random) };
}

const textMutations: readonly ((random: Random, text: string) => string)[] = [
  (random, text) => text.slice(0, random.int(0, text.length)),
  (random, text) => text.slice(random.int(0, text.length)),
  (_luck, text) => percentEncoded(text),
  (_luck, text) => `${percentEncoded(text)}=`,
  (_luck, text) => `\ufeff \n${text}\n`,
  (_luck, text) => `[${text}]`,
  (_luck, text) => text + text,
  (random, text) =>
    text.replaceAll(random.pick(['"', ':', '=', '&', '1', '233']), random.pick(['', "'", '""', '%'])),
  (random, text) =>
    text.replace(/"[^"]{3,}"/, () => `${random.int(1, 9)}${'7'.repeat(random.pick([15, 16, 40]))}`),
  (random, text) => {
    const at = random.int(0, text.length);
    return `${text.slice(0, at)}${hostileText(random)}${text.slice(at + random.int(0, 8))}`;
  },
  (_luck, text) => `${'['.repeat(5_000)}${text}`,
  (random, text) => text.replaceAll(/\d{6,}/g, () => hostileText(random)),
];

/** Returns the text with a part cut, doubled, encoded or replaced. */
export function mutateText(random: Random, text: string): string {
  return random.pick(textMutations)(random, text);
}

type Mutation = (random: Random, request: RequestToSend) => RequestToSend;

const mutations: readonly Mutation[] = [
  onFields((random, fields) => without(fields, indexIn(random, fields))),
  onFields((random, fields) => changed(fields, indexIn(random, fields), hostileValue(random))),
  onFields((random, fields) => changed(fields, indexIn(random, fields), hostileValue(random))),
  onFields((random, fields) => changed(fields, indexIn(random, fields), random.pick(fields)[1])),
  onFields((random, fields) => changed(fields, indexIn(random, fields), { inner: random.pick(fields)[1] })),
  onFields((random, fields) => [...fields, [random.pick(hostileNames), hostileValue(random)]]),
  onFields((random, fields) => [[random.pick(fields)[0], hostileValue(random)], ...fields]),
  onFields((_luck, fields) => fields.map(([name, value]) => [name.toUpperCase(), value])),
  onFields((_luck, fields) => fields.map(([name, value]) => [name.toLowerCase(), retyped(value)])),
  onFields((random, fields) => random.shuffle(fields)),
  ...Array<Mutation>(8).fill(onText(mutateText)),
  (random, request) => ({ ...request, body: hostileBytes(random) }),
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

function onText(change: (random: Random, text: string) => string): Mutation {
  return (random, request) =>
    typeof request.body === 'string' ? { ...request, body: change(random, request.body) } : request;
}

/** Changes the fields in place: in the JSON, in the form, or in the query. */
function onFields(change: (random: Random, fields: Fields) => Fields): Mutation {
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

const indexIn = (random: Random, { length }: Fields) => random.int(0, length - 1);

const without = (fields: Fields, at: number): Fields => fields.filter((_, n) => n !== at);

const changed = (fields: Fields, at: number, value: unknown): Fields =>
  fields.map((field, n) => (n === at ? [field[0], value] : field));

function retyped(value: unknown): unknown {
  if (typeof value === 'string') return /^\d{1,15}$/.test(value) ? Number(value) : value.toLowerCase();
  return typeof value === 'object' ? value : String(value);
}

/** Returns the body with one inverted bit. */
function flipped(random: Random, body: RequestToSend['body']): RequestToSend['body'] {
  const all = Uint8Array.from(typeof body === 'string' ? Buffer.from(body) : body);
  const at = random.int(0, Math.max(0, all.length - 1));
  if (all.length > 0) all[at] = (all[at] ?? 0) ^ (1 << random.int(0, 7));
  return all;
}

const pathOf = (to: string): string => to.split('?')[0] ?? '';

function withTail(to: string, tail: string): string {
  const query = to.slice(pathOf(to).length);
  return `${pathOf(to)}${tail}${query}`;
}

const withQuery = (to: string, query: string): string => `${to}${to.includes('?') ? '&' : '?'}${query}`;
