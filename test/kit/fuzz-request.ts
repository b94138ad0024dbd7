import fc, { type Arbitrary } from 'fast-check';
import { resolve, type Schema } from '../../src/shared/reference/example.ts';

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

/** The parts of the document from which requests are generated. */
export type FuzzDocument = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

const longText = 'x'.repeat(9_000);

/** Texts that often break parsers, stores and pages. */
const wildText = fc.oneof(
  fc.string({ maxLength: 40 }),
  // Every code point, including unpaired surrogates.
  fc.array(fc.nat(0x10ffff), { maxLength: 40 }).map((points) => String.fromCodePoint(...points)),
  fc.constantFrom(
    ...[
      '',
      ' ',
      '\0',
      '\u0000x',
      '\ud800',
      'x\udc00',
      '\ufeff',
      '\u202e',
      '__proto__',
      'constructor',
      'toString',
    ],
    ...[
      "' OR 1=1 --",
      '<script>alert(1)</script>',
      '../../etc/passwd',
      '%00',
      '%',
      '%zz',
      '{{7*7}}',
      '\r\nx: y',
    ],
    ...['null', 'NaN', 'Infinity', '-0', '0', '1e400', '٣', '１２３', '💸', 'e\u0301', longText],
  ),
);

const wildNumber = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(-0, -1, 0.1, 1e21, 2 ** 53, -(2 ** 53), 100_000_001, Number.MAX_VALUE, Number.MIN_VALUE),
);

const wildJson: Arbitrary<unknown> = fc.oneof(
  wildText,
  wildNumber,
  fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [{}]),
  fc.array(wildText, { maxLength: 4 }),
  fc.dictionary(wildText, fc.oneof(wildText, wildNumber), { maxKeys: 4, noNullPrototype: true }),
);

/** Bodies that are not JSON objects, or unusual ones. */
const rawBody: Arbitrary<string | Uint8Array<ArrayBuffer>> = fc.oneof(
  fc.uint8Array({ maxLength: 64 }).map((bytes) => new Uint8Array(bytes)),
  wildText,
  fc.constantFrom(
    ...[
      'null',
      '[]',
      '"x"',
      '1',
      '{',
      '{"a":}',
      '{}{}',
      '\ufeff{}',
      '{"a":1,"a":2}',
      '{"__proto__":{"a":1}}',
    ],
    ...[
      '{"amount_minor":1e400}',
      '{"msisdn":"\\ud800"}',
      '{"\\udfff":1}',
      '{"constructor":{"prototype":{}}}',
    ],
    '['.repeat(30_000),
    `${'{"a":'.repeat(8_000)}1${'}'.repeat(8_000)}`,
    `{"a":"${'y'.repeat(60_000)}"}`,
    `{"a":"${'z'.repeat(70_000)}"}`,
    `{"amount_minor":${'9'.repeat(400)}}`,
  ),
  fc
    .constantFrom([0xff, 0xfe], [0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d], [0xed, 0xa0, 0x80])
    .map((bytes) => new Uint8Array(bytes)),
);

/** Generates requests to every operation of the document, from valid ones to arbitrary bytes. */
export function fuzzRequest(
  document: FuzzDocument,
  credentials: { keys: readonly string[]; adminToken: string },
): Arbitrary<FuzzRequest> {
  const targets = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      // Operations that move money and actions of payers are generated more often.
      const weight = /^\/(v1|handset)\//.test(path) ? 3 : 1;
      return Array.from({ length: weight }, () => ({ path, method, operation }));
    }),
  );
  return fc.constantFrom(...targets).chain(({ path, method, operation }) =>
    fc
      .record({
        method: often(9, fc.constant(method.toUpperCase()), wildMethod),
        path: pathOf(path, operation),
        query: queryOf(operation, document.components.schemas),
        headers: headersOf(operation, credentials),
        body: bodyOf(operation, document.components.schemas),
      })
      .map(({ query, body, path: filled, ...rest }) => ({
        ...rest,
        operationId: rest.method === method.toUpperCase() ? operation.operationId : 'none',
        path: `${filled}${query}`,
        body: ['GET', 'HEAD'].includes(rest.method) ? undefined : body,
      })),
  );
}

const wildMethod = fc.constantFrom(
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'HEAD',
  'OPTIONS',
  'PROPFIND',
  'post',
);

/** Generates `usual` in `times` out of ten cases, otherwise `other`. */
function often<T>(times: number, usual: Arbitrary<T>, other: Arbitrary<T>): Arbitrary<T> {
  return fc.oneof({ weight: times, arbitrary: usual }, { weight: 10 - times, arbitrary: other });
}

function pathOf(path: string, { parameters = [] }: Operation): Arbitrary<string> {
  const parts = path.split(/(\{\w+\})/).map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined) return fc.constant(part);
    const schema = parameters.find((one) => one.in === 'path' && one.name === name)?.schema ?? {};
    return often(8, documentedValue(schema), wildSegment);
  });
  return fc.tuple(...parts).map((filled) => filled.join(''));
}

/** Percent-encodes a text without its unpaired surrogates, which have no encoding. */
function encoded(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Cs}/gu, ''));
}

/** Generates a documented value of a parameter, encoded for a URL. */
function documentedValue(schema: Schema): Arbitrary<string> {
  if (schema.enum) return fc.constantFrom(...schema.enum.map(String));
  return placeholder(schema) ?? fc.constant(encodeURIComponent(String(schema.example ?? 'x')));
}

function placeholder({ example }: Schema): Arbitrary<string> | undefined {
  const prefix = /^([a-z]{2,6})_/.exec(String(example))?.[1];
  return prefix === undefined ? undefined : fc.nat(999).map((n) => `@${prefix}:${n}`);
}

const wildSegment = fc.oneof(
  wildText.map((text) => encoded(text)),
  fc.constantFrom(
    '%',
    '%zz',
    '%ff',
    '%00',
    '%2e%2e',
    '..',
    '.',
    '%2f',
    '%ed%a0%80',
    ':id',
    '{id}',
    '*',
    ';a=b',
    '//',
  ),
  fc.constant('p'.repeat(5_000)),
);

function queryOf({ parameters = [] }: Operation, schemas: Record<string, Schema>): Arbitrary<string> {
  const named = parameters.filter((one) => one.in === 'query');
  const right = fc
    .record(
      Object.fromEntries(
        named.map(({ name, schema }) => [name, often(8, queryValue(schema, schemas), wildSegment)]),
      ),
      { requiredKeys: named.filter(({ required }) => required).map(({ name }) => name) },
    )
    .map((values) => Object.entries(values).map(([name, value]) => `${name}=${value}`));
  const stray = fc.array(
    fc.tuple(fc.oneof(wildSegment, fc.constantFrom('__proto__', 'limit', 'cursor', 'toString')), wildSegment),
    { maxLength: 3 },
  );
  return often(
    8,
    right,
    fc.tuple(right, stray).map(([pairs, more]) => [...pairs, ...more.map((pair) => pair.join('='))]),
  ).map((pairs) => (pairs.length === 0 ? '' : `?${pairs.join('&')}`));
}

function queryValue(schema: Schema, schemas: Record<string, Schema>): Arbitrary<string> {
  if (schema.example === '0244123456') return payer;
  return placeholder(schema) ?? fitting(schema, schemas).map((value) => encoded(String(value)));
}

function headersOf(
  { security = [] }: Operation,
  { keys, adminToken }: { keys: readonly string[]; adminToken: string },
): Arbitrary<Record<string, string>> {
  const scheme = Object.keys(security[0] ?? {})[0];
  const right = scheme === 'adminToken' ? [adminToken] : keys;
  const authorization = often(
    9,
    fc.constantFrom(...right).map((token) => `Bearer ${token}`),
    fc.constantFrom(
      '',
      'Bearer',
      'Bearer sk_test_',
      'Bearer sk_live_x',
      'Basic eDp5',
      'bearer  x',
      `Bearer ${longText}`,
    ),
  );
  return fc
    .record(
      {
        authorization,
        'content-type': often(
          9,
          fc.constantFrom('application/json', 'application/json; charset=utf-8', 'Application/JSON'),
          fc.constantFrom(
            '',
            'text/plain',
            'application/jsonp',
            'multipart/form-data',
            'application/json,text/html',
          ),
        ),
        'idempotency-key': often(
          7,
          fc.nat(100_000).map((n) => `key-${n}`),
          fc.constantFrom(
            'one',
            'two',
            '',
            ' ',
            '\u00ff\u00e9',
            'k'.repeat(255),
            'k'.repeat(256),
            longText,
            'a"b\\c',
          ),
        ),
        'x-forwarded-for': fc.constant('10.0.0.1'),
        accept: fc.constantFrom('*/*', 'text/html', 'application/xml'),
      },
      { requiredKeys: ['authorization', 'content-type', 'idempotency-key'] },
    )
    .map(({ 'idempotency-key': key, ...headers }) => ({
      ...headers,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    }));
}

function bodyOf({ requestBody }: Operation, schemas: Record<string, Schema>): Arbitrary<FuzzRequest['body']> {
  const media = requestBody?.content['application/json'];
  const raw: Arbitrary<FuzzRequest['body']> = fc.oneof(rawBody, fc.constant(undefined));
  if (!media) return often(8, fc.constant(undefined), raw);
  const examples = media.examples
    ? Object.values(media.examples).map(({ value }) => value)
    : [media.example ?? {}];
  const right = often(6, fc.constantFrom(...examples), fitting(media.schema, schemas));
  const nearly = fc
    .tuple(right, fc.nat(20), fc.constantFrom('drop', 'add', 'change'), wildText, wildJson)
    .map(mutated);
  return fc.oneof(
    { weight: 5, arbitrary: right.map((value) => JSON.stringify(value)) },
    { weight: 3, arbitrary: nearly.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: wildJson.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: raw },
  );
}

/** Returns the value with one field dropped, changed or added. */
function mutated([value, at, how, name, replacement]: [unknown, number, string, string, unknown]): unknown {
  const fields = Object.entries(Object(value));
  if (how === 'add' || fields.length === 0) return { ...Object(value), [name]: replacement };
  const [field] = fields[at % fields.length] ?? [''];
  return Object.fromEntries(
    fields.flatMap(([key, inner]) => {
      if (key !== field) return [[key, inner]];
      return how === 'drop' ? [] : [[key, replacement]];
    }),
  );
}

/** Generates values that fit a schema. Of patterns, only phone numbers are generated; others use the schema's example. */
function fitting(schema: Schema, schemas: Record<string, Schema>): Arbitrary<unknown> {
  const one = {
    ...resolve(schema, schemas),
    ...(schema.example === undefined ? {} : { example: schema.example }),
  };
  const options = one.anyOf ?? one.oneOf;
  if (options) return fc.oneof(...options.map((option) => fitting(option, schemas)));
  if (one.enum) return fc.constantFrom(...one.enum);
  const type = [one.type].flat()[0];
  if (type === 'object') {
    const fields = Object.entries(one.properties ?? {});
    return fc.record(Object.fromEntries(fields.map(([name, inner]) => [name, fitting(inner, schemas)])), {
      requiredKeys: one.required ?? [],
    }) as Arbitrary<unknown>;
  }
  if (type === 'array') return fc.array(fitting(one.items ?? {}, schemas), { maxLength: 4 });
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer' || type === 'number') {
    const { minimum: min = 0, maximum: max = 100_000 } = one;
    return fc.oneof(fc.integer({ min: Math.ceil(min), max: Math.floor(max) }), fc.constantFrom(min, max));
  }
  if (one.pattern === '^233\\d{9}$') return payer;
  return placeholder(one) ?? often(7, fc.constant(one.example ?? 'text'), wildText);
}

/** A few numbers, so that requests meet prompts and OTPs of earlier ones, and the magic numbers. */
const payer = fc.oneof(
  fc.constantFrom('233244123456', '233244123906'),
  fc.nat(8).map((n) => `23324412300${n}`),
  fc.integer({ min: 901, max: 909 }).map((ending) => `233244123${ending}`),
);
