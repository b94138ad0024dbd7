import { resolve, type Schema } from '../../src/kit/openapi/json-schema.ts';
import { hostileBody, hostileSegment, hostileText, hostileValue, percentEncoded } from './hostile-values.ts';
import type { Random } from './random.ts';

/** A generated request. `@pay:7` in path, query or body is a placeholder for an identifier from an earlier answer. */
export type FuzzRequest = {
  /** The addressed operation; `none` when the method does not match it. */
  operationId: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer> | undefined;
};

type Operation = {
  operationId: string;
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: {
    content: Record<
      string,
      { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }
    >;
  };
};

/** The parts of an OpenAPI document from which requests are generated. */
export type FuzzDocument = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

type Credentials = { keys: readonly string[]; adminToken: string };

/** The source of one request: where its parts come from. */
type Source = { random: Random; schemas: Record<string, Schema> };

const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'PROPFIND', 'post'];
const longText = 'x'.repeat(9_000);

/** Generates requests to every operation of a document, from valid ones to arbitrary bytes. */
export function createDocumentRequests(document: FuzzDocument, credentials: Credentials, random: Random) {
  const source = { random, schemas: document.components.schemas };
  const targets = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      // Operations that move money and actions of payers are generated more often.
      const weight = /^\/(v1|handset)\//.test(path) ? 3 : 1;
      return Array.from({ length: weight }, () => ({ path, method: method.toUpperCase(), operation }));
    }),
  );
  return (): FuzzRequest => {
    const { path, method: documented, operation } = random.pick(targets);
    const method = random.happens(0.9) ? documented : random.pick(methods);
    return {
      operationId: method === documented ? operation.operationId : 'none',
      method,
      path: `${pathOf(source, path, operation)}${queryOf(source, operation)}`,
      headers: headersOf(random, operation, credentials),
      body: ['GET', 'HEAD'].includes(method) ? undefined : bodyOf(source, operation),
    };
  };
}

function pathOf({ random }: Source, path: string, { parameters = [] }: Operation): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (random.happens(0.2)) return hostileSegment(random);
    const schema = parameters.find((one) => one.in === 'path' && one.name === name)?.schema ?? {};
    if (schema.enum) return String(random.pick(schema.enum));
    return placeholder(random, schema) ?? encodeURIComponent(String(schema.example ?? 'x'));
  });
}

function placeholder(random: Random, { example }: Schema): string | undefined {
  const prefix = /^([a-z]{2,6})_/.exec(String(example))?.[1];
  return prefix && `@${prefix}:${random.int(0, 999)}`;
}

function queryOf(source: Source, { parameters = [] }: Operation): string {
  const { random } = source;
  const pairs = parameters
    .filter((one) => one.in === 'query' && (one.required || random.happens(0.5)))
    .map(({ name, schema }) => {
      const value = () => placeholder(random, schema) ?? percentEncoded(String(fitting(source, schema)));
      return `${name}=${random.happens(0.8) ? value() : hostileSegment(random)}`;
    });
  const strays = random.happens(0.2) ? random.int(0, 3) : 0;
  for (let n = 0; n < strays; n++) {
    const name = random.pick([hostileSegment(random), '__proto__', 'limit', 'cursor', 'toString']);
    pairs.push(`${name}=${hostileSegment(random)}`);
  }
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function headersOf(
  random: Random,
  { security = [] }: Operation,
  { keys, adminToken }: Credentials,
): Record<string, string> {
  const isAdmin = Object.hasOwn(security[0] ?? {}, 'adminToken');
  const token = isAdmin ? adminToken : random.pick(keys);
  const wrongTokens = [
    '',
    'Bearer',
    'Bearer sk_test_',
    'Bearer sk_live_x',
    'Basic eDp5',
    'bearer  x',
    `Bearer ${longText}`,
  ];
  const types = ['application/json', 'application/json; charset=utf-8', 'Application/JSON'];
  const wrongTypes = [
    '',
    'text/plain',
    'application/jsonp',
    'multipart/form-data',
    'application/json,text/html',
  ];
  const oddKeys = [
    'one',
    'two',
    '',
    ' ',
    '\u00ff\u00e9',
    'k'.repeat(255),
    'k'.repeat(256),
    longText,
    'a"b\\c',
  ];
  return {
    authorization: random.happens(0.9) ? `Bearer ${token}` : random.pick(wrongTokens),
    'content-type': random.pick(random.happens(0.9) ? types : wrongTypes),
    'idempotency-key': random.happens(0.7) ? `key-${random.int(0, 100_000)}` : random.pick(oddKeys),
    ...(random.happens(0.5) && { 'x-forwarded-for': '10.0.0.1' }),
    ...(random.happens(0.5) && { accept: random.pick(['*/*', 'text/html', 'application/xml']) }),
  };
}

function bodyOf(source: Source, { requestBody }: Operation): FuzzRequest['body'] {
  const { random } = source;
  const media = requestBody?.content['application/json'];
  const kind = random.int(0, 9);
  if (!media) return kind < 9 ? undefined : hostileBody(random);
  if (kind === 9) return hostileBody(random);
  if (kind === 8) return JSON.stringify(hostileValue(random));
  const examples = media.examples
    ? Object.values(media.examples).map(({ value }) => value)
    : [media.example ?? {}];
  const right = random.happens(0.6) ? random.pick(examples) : fitting(source, media.schema);
  return JSON.stringify(kind < 5 ? right : changed(random, right));
}

/** Returns the value with one field dropped, changed or added. */
function changed(random: Random, value: unknown): unknown {
  const fields = Object.entries(Object(value));
  const how = random.pick(['drop', 'add', 'change']);
  if (how === 'add' || fields.length === 0)
    return { ...Object(value), [hostileText(random)]: hostileValue(random) };
  const at = random.int(0, fields.length - 1);
  return Object.fromEntries(
    fields.flatMap(([name, inner], n) => {
      if (n !== at) return [[name, inner]];
      return how === 'drop' ? [] : [[name, hostileValue(random)]];
    }),
  );
}

/** Generates a value that fits a schema. Of patterns, only phone numbers are generated; others use the schema's example. */
function fitting(source: Source, schema: Schema): unknown {
  const { random, schemas } = source;
  const one = {
    ...resolve(schema, schemas),
    ...(schema.example === undefined ? {} : { example: schema.example }),
  };
  const options = one.anyOf ?? one.oneOf;
  if (options) return fitting(source, random.pick(options));
  if (one.enum) return random.pick(one.enum);
  const type = [one.type].flat()[0];
  if (type === 'object') {
    const fields = Object.entries(one.properties ?? {});
    const { required = [] } = one;
    const chosen = fields.filter(([name]) => required.includes(name) || random.happens(0.5));
    return Object.fromEntries(chosen.map(([name, inner]) => [name, fitting(source, inner)]));
  }
  if (type === 'array')
    return Array.from({ length: random.int(0, 4) }, () => fitting(source, one.items ?? {}));
  if (type === 'boolean') return random.happens(0.5);
  if (type === 'integer' || type === 'number') {
    const { minimum: min = 0, maximum: max = 100_000 } = one;
    return random.pick([min, max, random.int(Math.ceil(min), Math.floor(max))]);
  }
  if (one.pattern === '^233\\d{9}$' || one.example === '0244123456') return payer(random);
  return placeholder(random, one) ?? (random.happens(0.7) ? (one.example ?? 'text') : hostileText(random));
}

/** One of a few numbers, so that requests meet prompts and OTPs of earlier ones, and the magic numbers. */
function payer(random: Random): string {
  return random.pick([
    ...['233244123456', '233244123906'],
    `23324412300${random.int(0, 8)}`,
    `233244123${random.int(901, 909)}`,
  ]);
}
