import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { apiErrors } from '../../src/contract/service/api-errors.ts';
import { magicNumbers } from '../../src/contract/service/magic-numbers.ts';
import { honoPath } from '../../src/kit/api.ts';
import { describeApi } from '../../src/service/http/openapi.ts';
import { servedDocument } from '../kit/api-document.ts';
import { checkResponse, createValidators, errorsOf, escapePointer } from '../kit/openapi.ts';
import { ask } from './admin-client.ts';
import { create, initiate, json, openBench, openMerchant } from './support.ts';

type Examples = { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> };
type Operation = {
  operationId: string;
  tags?: string[];
  summary?: string;
  security?: object[];
  parameters?: { name: string; in: string; required?: boolean; schema: { example?: unknown } }[];
  requestBody?: { required: boolean; content: Record<string, Examples> };
  responses: Record<string, { description: string; content?: Record<string, Examples> }>;
};
type Document = {
  openapi: string;
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, object>>;
};

let text: string;
let api: Document;
let operations: { pointer: string; path: string; method: string; operation: Operation }[];

beforeAll(async () => {
  text = await servedDocument();
  api = JSON.parse(text);
  operations = (['paths', 'webhooks'] as const).flatMap((part) =>
    Object.entries(api[part]).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        pointer: `/${part}/${escapePointer(path)}/${method}`,
        path,
        method,
        operation,
      })),
    ),
  );
});

test('docs/openapi.json is the document that the service returns', () => {
  const committed = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
  expect(JSON.parse(text), 'docs/openapi.json is out of date: run `npm run openapi`').toEqual(committed);
});

test('the document is OpenAPI 3.1; every operation has a unique id and a described tag', () => {
  expect(api.openapi).toBe('3.1.0');
  const names = operations.map(({ operation }) => operation.operationId);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  expect(api.tags.filter(({ description }) => !description)).toEqual([]);
  for (const { path, operation } of operations) {
    expect(operation.summary, path).toBeTruthy();
    expect(operation.security, path).toBeDefined();
    if (path.startsWith('/')) expect(operation.tags, path).toHaveLength(1);
  }
});

test('every described operation is served', () => {
  const served = openBench().service.app.routes.map(({ method, path }) => `${method} ${path}`);
  const described = operations.filter(({ path }) => path.startsWith('/'));
  const routes = described.map(({ method, path }) => `${method.toUpperCase()} ${honoPath(path)}`);
  expect(routes.filter((route) => !served.includes(route))).toEqual([]);
});

test('every reference has a target, and every component is referenced', () => {
  const used = new Set(
    [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([\w-]+)"/g)].map(
      ([, kind, name]) => `${kind}/${name}`,
    ),
  );
  const there = Object.entries(api.components)
    .filter(([kind]) => kind !== 'securitySchemes')
    .flatMap(([kind, parts]) => Object.keys(parts).map((name) => `${kind}/${name}`));
  expect([...used].filter((ref) => !there.includes(ref))).toEqual([]);
  expect(there.filter((ref) => !used.has(ref))).toEqual([]);
});

test('two schemas with one component name are an error of the program', () => {
  const route = (path: string, schema: z.ZodType) => ({
    ...{ method: 'get', path, id: path, summary: 'Read it', errors: [] },
    success: { status: 200, description: 'It.', schema: schema.meta({ id: 'Named' }) },
  });
  const delivery = { headerName: 'signature', retryDelaysMs: [1_000], timeoutMs: 1_000 };
  const first = route('/first', z.object({ name: z.string() }));
  expect(describeApi([first], delivery).components.schemas).toHaveProperty('Named');
  const second = route('/second', z.object({ other: z.string() }));
  expect(() => describeApi([first, second], delivery)).toThrow('two schemas have the name Named');
});

test('the described path parameters are exactly those in the path', () => {
  for (const { path, operation } of operations) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const described = (operation.parameters ?? []).filter((one) => one.in === 'path');
    expect(
      described.map(({ name }) => name),
      path,
    ).toEqual(inPath);
    expect(
      described.every(({ required }) => required),
      path,
    ).toBe(true);
  }
});

test('every schema is JSON Schema 2020-12, and every example fits its schema', () => {
  const validatorOf = createValidators(api);
  const wrong: string[] = [];
  function fits(pointer: string, values: unknown[]): void {
    const validate = validatorOf(pointer);
    if (!validate) throw new Error(`no schema at ${pointer}`);
    for (const value of values) {
      if (!validate(value)) wrong.push(`${pointer}: ${errorsOf(validate)} in ${JSON.stringify(value)}`);
    }
  }
  function bodyFits(pointer: string, content: Record<string, Examples> = {}): void {
    for (const [type, { example, examples }] of Object.entries(content)) {
      const values = examples ? Object.values(examples).map(({ value }) => value) : [example];
      fits(
        `${pointer}/content/${escapePointer(type)}/schema`,
        values.filter((value) => value !== undefined),
      );
    }
  }
  for (const { pointer, operation } of operations) {
    operation.parameters?.forEach(({ schema }, at) => {
      fits(`${pointer}/parameters/${at}/schema`, schema.example === undefined ? [] : [schema.example]);
    });
    bodyFits(`${pointer}/requestBody`, operation.requestBody?.content);
    for (const [status, { content }] of Object.entries(operation.responses)) {
      bodyFits(`${pointer}/responses/${status}`, content);
    }
  }
  for (const code of Object.keys(apiErrors).filter((code) => code !== 'method_not_allowed')) {
    const example = api.components.examples?.[code] as { value: unknown };
    fits('/components/schemas/Error', [example.value]);
  }
  expect(wrong).toEqual([]);
});

test('examples have real values: whole identifiers, and no name of a field in the place of its value', () => {
  const placeholders: string[] = [];
  function visit(name: string, value: unknown): void {
    if (typeof value === 'object' && value !== null) {
      for (const [field, inner] of Object.entries(value)) visit(field, inner);
    } else if (value === name.replaceAll('_', ' ') || /^[a-z]{2,4}_01[0-9a-z]{0,23}$/.test(String(value))) {
      placeholders.push(`${name}: ${value}`);
    }
  }
  for (const { operation } of operations) {
    for (const part of [operation.requestBody, ...Object.values(operation.responses)]) {
      const { example, examples = {} } = part?.content?.['application/json'] ?? { schema: {} };
      visit('', [example, ...Object.values(examples).map(({ value }) => value)]);
    }
  }
  expect(placeholders).toEqual([]);
});

test('responses may gain fields, requests may not', () => {
  const { schemas = {} } = api.components;
  expect(schemas.OfflineSession).not.toHaveProperty('additionalProperties');
  expect(schemas.OfflineSessionRequest).toHaveProperty('additionalProperties', false);
});

test('every JSON request and response has an example', () => {
  const without: string[] = [];
  for (const { pointer, operation } of operations) {
    for (const part of [operation.requestBody, ...Object.values(operation.responses)]) {
      const media = part?.content?.['application/json'];
      if (media && media.example === undefined && media.examples === undefined) without.push(pointer);
    }
  }
  expect(without).toEqual([]);
});

test('every delivered event fits its webhook in the document, including its headers', async () => {
  const { bench, merchantId, key } = await openMerchant();
  await bench.service.setWebhook({ merchantId, livemode: false, url: 'http://shop.test/hook' });
  // Magic numbers: paid, declined, paid short.
  for (const ending of ['901', '902', '906']) {
    const id = await create(bench, key, { msisdn: `233244123${ending}` });
    expect((await initiate(bench, key, id)).status).toBe(200);
  }
  await bench.clock.advance(10 * 60_000);
  const open = await json(await ask(bench, 'GET', '/reviews'));
  for (const { session_id: id } of open.data as { session_id: string }[]) {
    await ask(bench, 'POST', `/sessions/${id}/review`, { resolution: 'rejected' });
    await ask(bench, 'POST', `/sessions/${id}/refund`, { reference: 'MP26030', by: 'Ama' });
  }
  await bench.clock.advance(10 * 60_000);

  const validatorOf = createValidators(api);
  const types = new Set<string>();
  for (const { headers, body } of bench.received) {
    const event = JSON.parse(body);
    types.add(event.type);
    const operation = api.webhooks[event.type]?.post;
    const validate = validatorOf(
      `/webhooks/${escapePointer(event.type)}/post/requestBody/content/application~1json/schema`,
    );
    expect(validate?.(event), `${validate && errorsOf(validate)} in ${body}`).toBe(true);
    for (const { name } of operation?.parameters ?? []) expect(headers.get(name), name).toBeTruthy();
  }
  expect([...types].sort()).toEqual(Object.keys(api.webhooks).sort());
});

test('the response check accepts documented responses and rejects all others', async () => {
  const bench = openBench();
  const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    new Response(JSON.stringify(body), {
      status,
      headers: { 'content-type': 'application/json', 'request-id': 'req_1', ...headers },
    });
  const status = { method: 'GET', url: '/v1/payments/sessions/pay_1/status' };
  const good = { id: 'pay_1', status: 'failed', terminal: true, retry_after_seconds: null };
  const refused = (code: string) => ({ error: { code, message: 'words' }, request_id: 'req_1' });
  const wrong: [{ method: string; url: string }, Response][] = [
    [status, answer(200, { ...good, more: 1 })],
    [status, answer(200, { ...good, terminal: 'yes' })],
    [status, answer(200, good, { 'request-id': '' })],
    [status, answer(200, good, { 'content-type': 'text/plain' })],
    [status, answer(200, good, { 'retry-after': '1' })],
    [status, answer(202, good)],
    [status, answer(404, refused('event_not_found'))],
    [status, answer(404, { error: 'not found' })],
    [status, answer(429, refused('too_many_requests'), { 'retry-after': '0.5' })],
    [{ method: 'GET', url: '/v2/anything' }, answer(200, good)],
    [{ method: 'PATCH', url: status.url }, answer(500, refused('internal_error'))],
  ];
  for (const [asked, response] of wrong) {
    await expect(checkResponse(api, asked, response), `${asked.url} ${response.status}`).rejects.toThrow();
  }
  await checkResponse(api, status, answer(200, good));
  await checkResponse(api, status, answer(404, refused('session_not_found')));
  await checkResponse(
    api,
    { method: 'GET', url: '/v2/anything' },
    await bench.service.app.request('/v2/anything'),
  );
});

test('the page contains every operation and error code, without scripts and external resources', async () => {
  const bench = openBench();
  const answer = await bench.service.app.request('/docs');
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';/);
  expect(policy).not.toContain('unsafe');

  const page = await answer.text();
  expect(page).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|\sstyle=|\son\w+=/i);
  const style = /<style>([\s\S]*)<\/style>/.exec(page)?.[1] ?? '';
  expect(policy).toContain(createHash('sha256').update(style).digest('base64'));

  const anchors = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(anchors.filter((id, at) => anchors.indexOf(id) !== at)).toEqual([]);
  const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  expect(targets.filter((id) => !anchors.includes(id))).toEqual([]);
  for (const { path, operation } of operations)
    if (path.startsWith('/')) expect(anchors).toContain(operation.operationId);
  for (const code of Object.keys(apiErrors)) expect(anchors).toContain(code);
});

test('the pages have the first steps with the address of the request, the test numbers, and fresh idempotency keys', async () => {
  const { service } = openBench();
  for (const path of ['/', '/docs']) {
    const page = await (await service.app.request(`http://shop.test:8123${path}`)).text();
    expect(page).toContain('SERVICE=http://shop.test:8123\n');
    expect(page).not.toContain('127.0.0.1:8090');
    for (const { ending } of magicNumbers) expect(page).toContain(`<code>${ending}</code>`);
    expect(page.match(/Idempotency-Key: (?!\$\(date \+%s%N\))\S+ \\/g)).toBeNull();
    expect(page).toContain('Idempotency-Key: $(date +%s%N)');
    const odd = await service.app.request(path, { headers: { host: '"><script>' } });
    expect(await odd.text()).not.toContain('<script>');
  }
});

test('the document and the health check need no key', async () => {
  const bench = openBench();
  const answer = await bench.service.app.request('/openapi.json');
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(await json(answer)).toEqual(JSON.parse(text));
  expect(await json(await bench.service.app.request('/healthz'))).toEqual({ status: 'ok' });
});
