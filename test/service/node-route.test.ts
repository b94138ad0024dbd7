import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createNodeRoute } from '../../src/service/http/node-route.ts';
import type { MerchantAdmission } from '../../src/service/http/router.ts';
import type { Caller } from '../../src/service/key/authenticate.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { StoreFault } from '../../src/sqlite/store.ts';
import { serve } from '../kit/local-server.ts';
import { createSilentLog } from '../kit/log.ts';
import { openMerchant, payer } from './support.ts';

type Sent = { method?: string; path: string; headers?: [name: string, value: string][]; body?: string };

const json: [string, string] = ['content-type', 'application/json'];
const order = { msisdn: payer, amount_minor: 2_000, network: 'mtn', mode: 'offline', reference: 'INV-1' };
const sessions = '/v1/payments/sessions';

/** Sends one request as it is, and returns what does not depend on the time and the identifiers of the response. */
async function send(port: number, { method = 'POST', path, headers = [], body }: Sent) {
  const withHost = [['host', '127.0.0.1'], ...headers].flat();
  const outgoing = request({ port, host: '127.0.0.1', method, path, headers: withHost });
  outgoing.end(body);
  const [incoming]: IncomingMessage[] = await once(outgoing, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of incoming ?? []) chunks.push(chunk);
  const { date, 'request-id': requestId, ...fixed } = incoming?.headers ?? {};
  expect(requestId).toMatch(/^req_/);
  const text = Buffer.concat(chunks).toString('utf8');
  return {
    status: incoming?.statusCode,
    headers: fixed,
    body: text.replaceAll(/(req|pay)_[0-9a-z]{26}/g, '$1'),
  };
}

/** Serves one service with and without the direct route. */
async function openBoth() {
  const { bench, key } = await openMerchant();
  const { served, app } = bench.service;
  const { answerDirectly: _, ...plain } = served;
  let viaApp = 0;
  const answer = app.fetch.bind(app);
  app.fetch = (...given) => {
    viaApp++;
    return answer(...given);
  };
  const ports = { direct: (await serve(served)).port, plain: (await serve(plain)).port };
  const authorized: [string, string] = ['authorization', `Bearer ${key}`];
  const post = (path: string, body: string, ...more: [string, string][]): Sent => ({
    path,
    body,
    headers: [authorized, json, ['content-length', String(Buffer.byteLength(body))], ...more],
  });
  let orders = 0;
  /** Sends a request both ways; each way has idempotency keys of its own. */
  const both = async (make: (own: string) => Sent) => {
    const before = viaApp;
    const direct = await send(ports.direct, make(`direct-${++orders}`));
    const isDirect = viaApp === before;
    expect(direct).toEqual(await send(ports.plain, make(`plain-${orders}`)));
    return { isDirect, ...direct };
  };
  return { both, post, authorized };
}

test('a usual call gets the same response with and without Hono', async () => {
  const { both, post, authorized } = await openBoth();
  const body = JSON.stringify(order);
  const keyed = (own: string) => post(sessions, body, ['idempotency-key', own]);
  expect(await both(keyed)).toMatchObject({ isDirect: true, status: 201 });
  expect(await both(() => post(sessions, body))).toMatchObject({ isDirect: true, status: 400 });
  expect(await both((own) => post(sessions, '{"a":1,"a":2}', ['idempotency-key', own]))).toMatchObject({
    isDirect: true,
    status: 400,
  });
  const unknown = `${sessions}/pay_00000000000000000000000000`;
  expect(await both(() => post(`${unknown}/initiate`, '{}'))).toMatchObject({ isDirect: true, status: 404 });
  const get: Sent = { method: 'GET', path: unknown, headers: [authorized] };
  expect(await both(() => get)).toMatchObject({ isDirect: true, status: 404 });
  const text = {
    ...keyed('text'),
    headers: [authorized, ['content-length', '2']] as Sent['headers'] & object,
  };
  expect(await both(() => ({ ...text, body: '{}' }))).toMatchObject({ isDirect: true, status: 415 });
});

test('a repeated call gets the saved response and its header', async () => {
  const { both, post } = await openBoth();
  const repeated = () => post(sessions, JSON.stringify(order), ['idempotency-key', 'same']);
  await both(repeated).catch(() => undefined);
  expect(await both(repeated)).toMatchObject({
    isDirect: true,
    status: 201,
    headers: { 'idempotent-replayed': 'true' },
  });
});

test('an unusual call is left to Hono', async () => {
  const { both, post, authorized } = await openBoth();
  const list = { method: 'GET', headers: [authorized] };
  const unusual: [status: number, Sent][] = [
    [401, { path: sessions, body: '{}', headers: [json] }],
    [401, { path: sessions, body: '{}', headers: [['authorization', 'Bearer sk_test_other'], json] }],
    [401, { ...list, path: sessions, headers: [authorized, authorized] }],
    [400, { ...list, path: `${sessions}?status=none` }],
    [404, { ...list, path: `${sessions}/%70ay_1` }],
    [404, { ...list, path: `${sessions}/` }],
    [405, { ...list, method: 'DELETE', path: sessions }],
    [200, { ...list, method: 'HEAD', path: sessions }],
    [413, post(sessions, 'x'.repeat(64 * 1024 + 1))],
    [400, { path: sessions, body: '[]', headers: [authorized, json, ['transfer-encoding', 'chunked']] }],
  ];
  for (const [status, sent] of unusual) {
    expect(await both(() => sent), JSON.stringify(sent).slice(0, 200)).toMatchObject({
      isDirect: false,
      status,
    });
  }
});

test('a call whose key cannot be read again after its body gets an error', async () => {
  let reads = 0;
  const clock = systemClock();
  const route = createNodeRoute({
    routes: [{ method: 'POST', path: sessions, serve: () => Promise.reject(new Error('not reached')) }],
    admission: {
      authenticate: () =>
        ++reads === 1
          ? Promise.resolve({ caller: { keyId: 'key_1' } as Caller })
          : Promise.reject(new StoreFault('busy', 'the database is locked')),
      limit: () => undefined,
    } as MerchantAdmission,
    ...{ clock, ids: systemIds(clock), log: createSilentLog() },
  });
  const server = createServer((incoming, outgoing) => void route(incoming, outgoing)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const outgoing = request({ port, method: 'POST', path: sessions, headers: { 'content-length': 2 } });
  outgoing.write('{');
  while (reads === 0) await setImmediate();
  outgoing.end('}');
  const [answer]: IncomingMessage[] = await once(outgoing, 'response');
  answer?.resume();
  expect(answer?.statusCode).toBe(503);
});
