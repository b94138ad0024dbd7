import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { FileConfig } from '../../src/gateway/config/schema.ts';
import { signPayload } from '../../src/service/webhook/attempt.ts';
import { ask, type HttpRequest, serve } from '../kit/local-server.ts';
import { callbackUrl } from '../kit/phone.ts';
import { createTill, type Till, webhookSecret } from '../kit/till.ts';
import { adminToken, openMerchant } from '../service/support.ts';

/*
 * Floods of unauthenticated requests, over real sockets. Each client has a budget of them; requests that a secret
 * authenticates have none.
 */

/** More unauthenticated requests than a client's budget. */
const flood = 110;

async function openGateway(trustedProxies: string[] = [], console?: FileConfig['console']) {
  const till = await createTill({
    configure(config) {
      config.listen.trustedProxies = trustedProxies;
      config.console = console;
      config.metrics.allowFrom = ['127.0.0.1'];
    },
  });
  const { app, access, answerDirectly } = till.gateway();
  return { till, port: (await serve({ fetch: app.fetch, access, answerDirectly })).port };
}

async function openService() {
  const { bench, key } = await openMerchant();

  return { bench, key, port: (await serve(bench.service.served)).port };
}

/** Sends unauthenticated requests until the budget of the client is used up. Returns the statuses. */
async function exhaust(port: number, path: string, sent: HttpRequest = {}): Promise<number[]> {
  const statuses = [];
  for (let n = 0; n < flood; n++) statuses.push((await ask(port, path, sent)).status);
  return statuses;
}

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const json = { 'content-type': 'application/json' };
const dial = (session: string) => `sessionId=${session}&phoneNumber=%2B233244123456&networkCode=62001&text=`;
const forged = { ...json, 'service-signature': `t=1,v1=${'0'.repeat(64)}` };

function screenPath(till: Till): string {
  return new URL(callbackUrl(till, 'africastalking')).pathname;
}

function signedEvent(till: Till): HttpRequest {
  const body = JSON.stringify({
    id: 'evt_flood',
    type: 'payment.session.paid',
    created_at: '2026-03-06T09:00:00Z',
    data: { id: 'pay_unknown' },
  });
  const signature = signPayload([webhookSecret], till.clock.now(), body);
  return { method: 'POST', headers: { ...json, 'service-signature': signature }, body };
}

const unauthenticated: [what: string, path: string, status: number, sent: HttpRequest][] = [
  ['an unknown path', '/a', 404, {}],
  ['a wrong secret', '/ussd/africastalking/wrong', 404, { method: 'POST', headers: form, body: dial('s') }],
  ['a channel that does not exist', '/ussd/none/wrong', 404, { method: 'POST', headers: form }],
  [
    'a webhook without a signature',
    '/webhooks/demo-shop',
    401,
    { method: 'POST', headers: json, body: '{}' },
  ],
  ['a forged webhook', '/webhooks/demo-shop', 401, { method: 'POST', headers: forged, body: '{}' }],
  ['a webhook of an unknown merchant', '/webhooks/x', 401, { method: 'POST', headers: forged, body: '{}' }],
  ['a webhook of a wrong type', '/webhooks/demo-shop', 415, { method: 'POST', body: '{}' }],
  ['a webhook that is too large', '/webhooks/x', 413, { method: 'POST', body: 'x'.repeat(70_000) }],
  ['metrics through a proxy', '/metrics', 404, { headers: { via: '1.1 proxy' } }],
];

describe('S45 flood: unauthenticated requests to the gateway are limited per client', () => {
  test.each(unauthenticated)('%s', async (_, path, status, sent) => {
    const { till, port } = await openGateway();
    const statuses = await exhaust(port, path, sent);
    expect(statuses).toEqual([...Array(100).fill(status), ...Array(flood - 100).fill(429)]);

    const { headers, body } = await ask(port, path, sent);
    expect(headers).toMatchObject({
      connection: 'close',
      'retry-after': '60',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(JSON.parse(body)).toEqual({ error: { code: 'too_many_requests', message: expect.any(String) } });
    // Other clients have a budget of their own, and the budget refills by one request per second.
    expect((await ask(port, path, { ...sent, from: '127.0.0.2' })).status).toBe(status);
    await till.clock.advance(1_000);
    expect((await ask(port, path, sent)).status).toBe(status);
    expect((await ask(port, path, sent)).status).toBe(429);
  });
});

test('S45 flood: payers, events and health checks are served while strangers flood from the same address', async () => {
  const { till, port } = await openGateway();
  await exhaust(port, '/a');
  for (let n = 0; n < 20; n++) {
    expect((await ask(port, '/a')).status).toBe(429);
    const screen = await ask(port, screenPath(till), { method: 'POST', headers: form, body: dial(`s-${n}`) });
    expect([screen.status, screen.body]).toEqual([200, expect.stringMatching(/^(?:CON|END) /)]);
    expect((await ask(port, '/webhooks/demo-shop', signedEvent(till))).status).toBe(200);
    for (const path of ['/healthz', '/readyz', '/metrics']) expect((await ask(port, path)).status).toBe(200);
  }
});

test('S45 flood: a payer is served although the first requests of the address were forged, also with an encoded path', async () => {
  const { till, port } = await openGateway();
  await exhaust(port, '/ussd/africastalking/wrong', { method: 'POST' });
  const encoded = screenPath(till).replaceAll('-', '%2D');
  const sent = { method: 'POST', headers: form, body: dial('s-1') };
  expect((await ask(port, encoded, sent)).status).toBe(200);
});

test('S45 flood: behind a trusted proxy each client has its own budget, and cannot choose its address', async () => {
  const { port } = await openGateway(['127.0.0.1']);
  const client = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  await exhaust(port, '/a', client('203.0.113.7'));
  expect((await ask(port, '/a', client('203.0.113.7'))).status).toBe(429);
  expect((await ask(port, '/a', client('203.0.113.8, 203.0.113.7'))).status).toBe(429);
  expect((await ask(port, '/a', client('203.0.113.8'))).status).toBe(404);
  // All addresses of one IPv6 network are one client.
  await exhaust(port, '/a', client('2001:db8:1:2::1'));
  expect((await ask(port, '/a', client('2001:db8:1:2:ffff::9'))).status).toBe(429);
  expect((await ask(port, '/a', client('2001:db8:1:3::1'))).status).toBe(404);
});

const strangers: [what: string, path: string, status: number, sent: HttpRequest][] = [
  ['an unknown path', '/a', 404, {}],
  ['no key', '/v1/payments/sessions', 401, {}],
  ['a wrong key', '/v1/payments/sessions', 401, { headers: { authorization: 'Bearer sk_test_wrong' } }],
  ['an unknown path with a wrong key', '/v1/x', 404, { headers: { authorization: 'Bearer sk_test_wrong' } }],
  ['a body without a key', '/v1/payments/sessions', 401, { method: 'POST', body: 'x'.repeat(70_000) }],
];

describe('S45 flood: unauthenticated requests to the service are limited per client', () => {
  test.each(strangers)('%s', async (_, path, status, sent) => {
    const { port, key } = await openService();
    const statuses = await exhaust(port, path, sent);
    expect(statuses).toEqual([...Array(100).fill(status), ...Array(flood - 100).fill(429)]);
    const merchant = { headers: { authorization: `Bearer ${key}` } };
    expect((await ask(port, '/v1/payments/sessions', merchant)).status).toBe(200);
    const admin = { headers: { authorization: `Bearer ${adminToken}` } };
    expect((await ask(port, '/backoffice/merchants', admin)).status).toBe(200);
    expect((await ask(port, path, { ...sent, from: '127.0.0.2' })).status).toBe(status);
  });
});

/** More public pages than a client's budget, and the budget. */
const publicFlood = 250;
const publicBudget = 240;

async function exhaustPublic(port: number, path: string, sent: HttpRequest = {}): Promise<number[]> {
  const statuses = [];
  for (let n = 0; n < publicFlood; n++) statuses.push((await ask(port, path, sent)).status);
  return statuses;
}

const consoleSettings = {
  publicUrl: 'http://localhost:8080',
  secretsKey: randomBytes(32).toString('base64'),
};

const publicPages: [path: string, status: number, sent: HttpRequest][] = [
  ['/merchant/v1/openapi.json', 200, {}],
  ['/merchant/v1/openapi.json?fresh=1', 200, {}],
  ['/merchant/v1/%64ocs', 200, {}],
  ['/ussd/../merchant/v1/docs', 200, {}],
  ['/merchant/v1/docs', 200, {}],
  ['/console/sign-in', 200, {}],
  ['/console/sign-in', 200, { headers: { cookie: 'dialtill_console=nobody' } }],
  ['/console/payments', 303, {}],
  ['/console/', 308, {}],
];

describe('S45 flood: public pages of the gateway are limited per client', () => {
  test.each(publicPages)('%s', async (path, status, sent) => {
    const { till, port } = await openGateway([], consoleSettings);
    const statuses = await exhaustPublic(port, path, sent);
    expect(statuses).toEqual([
      ...Array(publicBudget).fill(status),
      ...Array(publicFlood - publicBudget).fill(429),
    ]);
    const { headers, body } = await ask(port, path, sent);
    expect(headers).toMatchObject({ connection: 'close', 'retry-after': '15' });
    expect(JSON.parse(body)).toMatchObject({ error: { code: 'too_many_requests' } });
    expect((await ask(port, path, { ...sent, from: '127.0.0.2' })).status).toBe(status);
    // Payers, health checks and callers with a key have no part in this budget.
    const screen = { method: 'POST', headers: form, body: dial('s-1') };
    expect((await ask(port, screenPath(till), screen)).status).toBe(200);
    for (const open of ['/healthz', '/readyz', '/metrics']) expect((await ask(port, open)).status).toBe(200);
    expect((await ask(port, '/merchant/v1/payments')).status).toBe(401);
    await till.clock.advance(250);
    expect((await ask(port, path, sent)).status).toBe(status);
  });
});

test('S45 flood: a form of the sign-in counts as a public page before it is read', async () => {
  const { port } = await openGateway([], consoleSettings);
  const body = JSON.stringify({ name: 'x', password: 'x', code: '1' });
  const sent = { method: 'POST', headers: json, body };
  expect(new Set(await exhaustPublic(port, '/staff/v1/sign-in', sent))).toContain(429);
  expect((await ask(port, '/staff/v1/sign-in', sent)).headers).toMatchObject({ 'retry-after': '15' });
});

test.each(['/docs', '/openapi.json', '/'])(
  'S45 flood: %s of the service is limited per client',
  async (path) => {
    const { port, key } = await openService();
    const statuses = await exhaustPublic(port, path);
    expect(statuses).toEqual([
      ...Array(publicBudget).fill(200),
      ...Array(publicFlood - publicBudget).fill(429),
    ]);
    expect((await ask(port, '/healthz')).status).toBe(200);
    expect((await ask(port, path, { from: '127.0.0.2' })).status).toBe(200);
    const merchant = { headers: { authorization: `Bearer ${key}` } };
    expect((await ask(port, '/v1/payments/sessions', merchant)).status).toBe(200);
  },
);

test('S45 flood: rejected requests take nothing from the public paths of the service', async () => {
  const { port } = await openService();
  const { body } = await ask(port, '/openapi.json');
  const { paths } = JSON.parse(body) as { paths: Record<string, Record<string, { security?: object[] }>> };
  const open = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { security = [] }]) => security.length === 0)
      .map(([method]) => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x')] as const),
  );
  expect(open.length).toBeGreaterThan(4);
  await exhaust(port, '/a');
  for (const [method, path] of open) {
    const { status } = await ask(port, path, { method, headers: json, body: method === 'GET' ? '' : '{}' });
    expect([method, path, status]).not.toEqual([method, path, 429]);
  }
});
