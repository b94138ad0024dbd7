import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../src/shared/http/server.ts';
import { createAccount, createConsoleTill } from '../kit/console.ts';
import { createMerchantKey } from '../kit/merchant-api.ts';
import { basic, callStaff, callWithConfiguration, staffActions, staffTokens } from '../kit/staff.ts';
import type { Till } from '../kit/till.ts';
import { ask } from '../service/admin-client.ts';
import { openBench, openMerchant, payer } from '../service/support.ts';

type Held = { path: string; headers: Record<string, string>; body: string };

/** Sends the first half of a request, waits for something, and sends the rest. */
async function holdBack(till: Till, { path, headers, body }: Held, meanwhile: () => Promise<unknown>) {
  const bytes = new TextEncoder().encode(body);
  const half = Math.floor(bytes.length / 2);
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  const writer = writable.getWriter();
  const init = {
    method: 'POST',
    headers: { ...headers, 'content-length': String(bytes.length) },
    body: readable,
    duplex: 'half',
  } satisfies RequestInit & { duplex: 'half' };
  const answer = Promise.resolve(till.gateway().app.request(path, init));
  await writer.write(bytes.slice(0, half));
  await meanwhile();
  await writer.write(bytes.slice(half));
  await writer.close();
  return answer;
}

async function createPaid() {
  const till = await createConsoleTill();
  await till.pay('0244123456');
  const { id } = await till.only('0244123456');
  return { till, id };
}

const notes = async (till: Till) => (await staffActions(till)).filter(({ action }) => action === 'note');

const json = { 'content-type': 'application/json' };

test('a form that was held back does nothing for a person who was disabled meanwhile', async () => {
  const { till, id } = await createPaid();
  const yaw = await (await createAccount(till, 'yaw', 'lead')).signIn();
  const held = {
    path: `/console/payments/${id}/notes`,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      cookie: yaw.cookie() ?? '',
    },
    body: 'text=approved+by+me',
  };
  const answer = await holdBack(till, held, () => callWithConfiguration(till, '/accounts/yaw/disable', {}));
  expect(answer.status).toBe(303);
  expect(answer.headers.get('location')).toContain('/console/sign-in');
  expect(await notes(till)).toEqual([]);
});

test('a call of the command line that was held back does nothing for a person who was disabled meanwhile', async () => {
  const { till, id } = await createPaid();
  await callStaff(till, 'ama', `/collections/${id}/notes`, { text: 'first' });
  const held = {
    path: `/staff/v1/collections/${id}/notes`,
    headers: { ...json, authorization: basic('ama', staffTokens.ama) },
    body: JSON.stringify({ text: 'second' }),
  };
  const answer = await holdBack(till, held, () => callWithConfiguration(till, '/accounts/ama/disable', {}));
  expect(answer.status).toBe(401);
  expect(await notes(till)).toHaveLength(1);
});

test('a call of a merchant that was held back does nothing with a key that was revoked meanwhile', async () => {
  const { till, id } = await createPaid();
  const { key, secret } = await createMerchantKey(till);
  const held = {
    path: `/merchant/v1/payments/${id}/notes`,
    headers: { ...json, authorization: `Bearer ${secret}`, 'idempotency-key': 'held' },
    body: JSON.stringify({ text: 'held back' }),
  };
  const answer = await holdBack(till, held, () =>
    callStaff(till, 'adwoa', `/merchant-keys/${key.id}/revoke`, {}),
  );
  expect(answer.status).toBe(401);
  expect(await notes(till)).toEqual([]);
});

test.each(['directly', 'by the app'])(
  'a create that was held back is not carried out by the service with a revoked key, %s',
  async (way) => {
    const { bench, merchantId } = await openMerchant();
    const added = await ask(bench, 'POST', `/merchants/${merchantId}/keys`, {
      livemode: false,
      scopes: ['collections:offline'],
    });
    expect(added.status).toBe(201);
    const { id, key } = (await added.json()) as { id: string; key: string };
    const { answerDirectly: _, ...plain } = bench.service.served;
    const served = way === 'directly' ? bench.service.served : plain;
    const { port, close } = await listen(served, { host: '127.0.0.1', port: 0 }, '-');
    onTestFinished(() => close(0));
    const order = { msisdn: payer, amount_minor: 2_000, network: 'mtn', mode: 'offline', reference: 'INV-1' };
    const body = JSON.stringify(order);
    const headers = {
      ...{ ...json, authorization: `Bearer ${key}`, 'idempotency-key': 'held' },
      ...{ 'content-length': Buffer.byteLength(body), expect: '100-continue' },
    };
    const outgoing = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/v1/payments/sessions',
      headers,
    });
    outgoing.flushHeaders();
    // The server has the headers, and waits for the body.
    await once(outgoing, 'continue');
    outgoing.write(body.slice(0, 10));
    expect((await ask(bench, 'POST', `/keys/${id}/revoke`)).status).toBe(200);
    outgoing.end(body.slice(10));
    const [incoming]: IncomingMessage[] = await once(outgoing, 'response');
    incoming?.resume();
    expect(incoming?.statusCode).toBe(401);
  },
);

test.each([
  ['/merchant/v1/payments/col_1/notes', 'Bearer dk_test_stranger'],
  ['/staff/v1/collections/col_1/notes', basic('ama', `${staffTokens.ama}x`)],
  ['/staff/v1/collections/col_1/notes', ''],
])(
  'the gateway answers a stranger at %s with %j without waiting for the body',
  async (path, authorization) => {
    const till = await createConsoleTill();
    const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
    onTestFinished(() => writable.abort());
    const init = {
      method: 'POST',
      headers: { ...json, 'content-length': '60', ...(authorization && { authorization }) },
      body: readable,
      duplex: 'half',
    } satisfies RequestInit & { duplex: 'half' };
    expect((await till.gateway().app.request(path, init)).status).toBe(401);
  },
);

test.each([
  ['/v1/payments/sessions', { 'content-length': 60_000 }],
  ['/v1/payments/sessions', { 'transfer-encoding': 'chunked' }],
  ['/backoffice/merchants', { 'transfer-encoding': 'chunked' }],
])('the service answers a stranger at %s with %j without waiting for the body', async (path, length) => {
  const { port, close } = await listen(openBench().service.served, { host: '127.0.0.1', port: 0 }, '-');
  onTestFinished(() => close(0));
  const headers = { ...json, authorization: 'Bearer sk_test_stranger', ...length };
  const outgoing = request({ ...{ port, host: '127.0.0.1', method: 'POST' }, path, headers });
  onTestFinished(() => void outgoing.destroy());
  outgoing.on('error', () => {});
  outgoing.flushHeaders();
  const [incoming]: IncomingMessage[] = await once(outgoing, 'response');
  expect(incoming?.statusCode).toBe(401);
});
