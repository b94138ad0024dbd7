import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/shared/json.ts';
import { hostileBodies } from '../kit/hostile-values.ts';
import { serve } from '../kit/local-server.ts';
import { callbackUrl } from '../kit/phone.ts';
import { createTill, paidEvent } from '../kit/till.ts';
import { allRowsOf } from '../kit/with-database.ts';
import { adminToken, goods, type openBench, openMerchant } from '../service/support.ts';

const mebibyte = 2 ** 20;

/** Creates a till whose work at start is done. */
async function openQuiet() {
  const till = await createTill();
  await till.clock.advance(2_000);
  return till;
}

describe('S46 hostile-body: the webhook', () => {
  test('rejects each of them, signed or not, and stores nothing', async () => {
    const till = await openQuiet();
    const before = allRowsOf(till.config.database.file);
    const headers = { 'content-type': 'application/json', 'service-signature': 't=1772787600,v1=00' };
    const url = 'http://gateway.test/webhooks/demo-shop';
    for (const [what, body] of Object.entries(hostileBodies)) {
      const forged = await till.gateway().app.request(url, { method: 'POST', headers, body });
      expect([what, forged.status]).toEqual([what, 401]);
      if (typeof body !== 'string') continue;
      expect([what, (await till.deliver(body)).status]).toEqual([what, 400]);
    }
    expect(allRowsOf(till.config.database.file)).toEqual(before);
  });

  test.each([
    ['names its session twice', (text: string) => text.replace('"data":{', '"data":{"id":"pay_other",')],
    [
      'names its amount twice',
      (text: string) => text.replace('"amount_minor"', '"amount_minor":1,"amount_minor"'),
    ],
    ['names its id twice', (text: string) => text.replace('{', '{"\\u0069d":"evt_other",')],
  ])('rejects a signed event that %s, because readers would disagree', async (_, change) => {
    const till = await openQuiet();
    const row = await till.prompted();
    const text = change(JSON.stringify(paidEvent(row)));
    expect((await till.deliver(text)).status).toBe(400);
    expect(await till.inbox()).toEqual([]);
    expect((await till.deliver(paidEvent(row))).status).toBe(200);
    await till.untilStatus('0244123456', 'paid', 5_000);
  });

  test.each([2 ** 60, 2_020.5, '2020'])(
    'books no payment for a signed event with the amount %j, and polls at once',
    async (amount) => {
      const till = await openQuiet();
      const row = await till.prompted();
      const answer = await till.deliver(paidEvent(row, 'evt_odd', { amount_minor: amount }));
      expect(answer.status).toBe(200);
      const polls = () => till.calls.filter(({ name }) => name === 'status').length;
      const before = polls();
      await till.clock.advance(1_000);
      expect(polls()).toBe(before + 1);
      expect(await till.only('0244123456')).toMatchObject({ status: 'initiated', reason: null });
      expect(await till.booked(row.id)).toEqual([]);
    },
  );

  test('ignores a prototype in an event', async () => {
    const till = await openQuiet();
    const row = await till.prompted();
    const data = `{"__proto__":{"id":"${row.sessionId}","status":"paid"}}`;
    const text = `{"id":"evt_p","type":"payment.session.paid","created_at":"now","data":${data}}`;
    expect((await till.deliver(text)).status).toBe(200);
    await till.clock.advance(2_000);
    expect(await till.inbox()).toMatchObject([{ id: 'evt_p', sessionId: null }]);
    expect(await till.only('0244123456')).toMatchObject({ status: 'initiated' });
    expect(({} as Record<string, unknown>).id).toBeUndefined();
  });
});

test('S46 hostile-body: each channel responds to each of them with 200 and a screen, and collects nothing', async () => {
  const till = await openQuiet();
  for (const { id } of till.config.channels) {
    for (const [what, body] of Object.entries(hostileBodies)) {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
      const answer = await till.gateway().app.request(callbackUrl(till, id), init);
      expect([id, what, answer.status]).toEqual([id, what, 200]);
    }
  }
  const { collection, turn = [] } = allRowsOf(till.config.database.file);
  expect(collection).toEqual([]);
  // A body that names a number and no input is a dial where a first input can be empty. It gets a first screen, and no more.
  const dial = { dialler: '233244123456', payer: null, reply: 'continue' };
  for (const one of turn) {
    expect(one).toMatchObject(dial);
    expect(['', null]).toContain((one as { input: string | null }).input);
  }
  expect(({} as Record<string, unknown>).admin).toBeUndefined();
});

type Operation = { security?: Record<string, unknown>[] };

/** Every operation of the service except GET, from the OpenAPI document, with its credentials. */
async function callsOf(app: ReturnType<typeof openBench>['service']['app'], key: string) {
  const document = (await (await app.request('/openapi.json')).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== 'get')
      .map(([method, { security = [] }]) => ({
        method: method.toUpperCase(),
        path: path.replaceAll(/\{\w+\}/g, 'none'),
        token: security.some((one) => 'adminToken' in one) ? adminToken : key,
      })),
  );
}

test('S46 hostile-body: every call of the service rejects each of them with 4xx and writes nothing', async () => {
  const { bench, key } = await openMerchant();
  const calls = await callsOf(bench.service.app, key);
  expect(calls.length).toBeGreaterThan(20);
  const before = allRowsOf(bench.file);
  for (const { method, path, token } of calls) {
    for (const [what, body] of Object.entries(hostileBodies)) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const answer = await bench.service.app.request(path, { method, headers, body });
      expect(answer.status, `${method} ${path}: ${what}`).toBeGreaterThanOrEqual(400);
      expect(answer.status, `${method} ${path}: ${what}`).toBeLessThan(500);
    }
  }
  expect(allRowsOf(bench.file)).toEqual(before);
});

test('S46 hostile-body: an amount that occurs twice or is not an integer creates no session', async () => {
  const { bench, key } = await openMerchant();
  const good = JSON.stringify(goods);
  for (const [n, body] of [
    good.replace('"amount_minor":2000', '"amount_minor":2000,"amount_minor":1'),
    good.replace('2000', String(2 ** 60)),
    good.replace('2000', '1e400'),
    good.replace('2000', '2000.000000000000001e1000'),
  ].entries()) {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': `amount-${n}`,
    };
    const init = { method: 'POST', headers, body };
    expect((await bench.service.app.request('/v1/payments/sessions', init)).status).toBe(400);
  }
  expect((await bench.service.statement()).sessions).toEqual([]);
});

describe('S46 hostile-body: ambiguous JSON is rejected', () => {
  const read = (text: string) => parseJson(new TextEncoder().encode(text)).value;
  test.each(['{"a":1,"a":1}', '{"a":1,"\\u0061":2}', '[{"b":{"a":1,"c":[{"a":1}],"a":2}}]', '{"":1,"":2}'])(
    '%s is rejected',
    (text) => {
      expect(() => read(text)).toThrow(SyntaxError);
    },
  );
  test.each([
    '{"a":{"a":{"a":1}},"b":{"a":1}}',
    '[{"a":1},{"a":1}]',
    '{"a":"\\"a\\":1,\\"a\\":2","b":"{}[]:,"}',
    '{"a\\\\":1,"a":2}',
    '"a:a:a"',
    '{}',
  ])('%s is read', (text) => {
    expect(read(text)).toEqual(JSON.parse(text));
  });
});

/** The result of a body that was sent on a socket: the status, or that the connection was closed. */
type Sent = { status: number | 'cut'; bytes: number };

/** Sends a body of this size, with a declared length or in chunks, and ignores early responses. */
function pour(port: number, path: string, headers: Record<string, string>, size: number, declared: boolean) {
  return new Promise<Sent>((resolve) => {
    const chunk = Buffer.alloc(65_536, 0x20);
    let bytes = 0;
    let status: Sent['status'] = 'cut';
    const asking = request({
      host: '127.0.0.1',
      port,
      path,
      method: 'POST',
      agent: false,
      headers: {
        ...headers,
        ...(declared ? { 'content-length': size } : { 'transfer-encoding': 'chunked' }),
      },
    });
    const more = () => {
      while (bytes < size) {
        bytes += chunk.length;
        if (!asking.write(chunk)) return;
      }
      asking.end();
    };
    asking.on('response', (answer) => {
      status = answer.statusCode ?? 0;
      answer.resume();
    });
    asking.on('drain', more);
    asking.on('error', () => {});
    asking.on('close', () => resolve({ status, bytes }));
    more();
  });
}

/** The memory of buffers in MiB: bodies are outside the garbage-collected heap. */
const buffers = () => process.memoryUsage().arrayBuffers / mebibyte;

async function flat(pourAll: () => Promise<void>): Promise<void> {
  const before = buffers();
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, buffers() - before);
  }, 5);
  await pourAll().finally(() => clearInterval(watch));
  expect(most).toBeLessThan(48);
}

const hundred = 100 * mebibyte;
const json = { 'content-type': 'application/json' };

test.each([true, false])(
  'S46 hostile-body: each route of the gateway ends a request of 100 MiB early, and memory stays flat (length declared: %s)',
  async (declared) => {
    const till = await openQuiet();
    const { port } = await serve(till.gateway().app);
    const before = allRowsOf(till.config.database.file);
    await flat(async () => {
      const to = (path: string) => pour(port, path, json, hundred, declared);
      expect(await to('/webhooks/demo-shop')).toMatchObject({ status: 413 });
      expect(await to('/nothing')).toMatchObject({ status: 404 });
      expect(await to('/ussd/nalo/wrong')).toMatchObject({ status: 404 });
      expect(await to(new URL(callbackUrl(till, 'nalo')).pathname)).toMatchObject({ status: 200 });
    });
    expect(allRowsOf(till.config.database.file)).toEqual(before);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  },
);

test.each([true, false])(
  'S46 hostile-body: the service ends a request of 100 MiB early, and memory stays flat (length declared: %s)',
  async (declared) => {
    const { bench, key } = await openMerchant();
    const { port } = await serve(bench.service.app);
    const before = allRowsOf(bench.file);
    await flat(async () => {
      for (const [path, token, status] of [
        ['/v1/payments/sessions', key, 413],
        // The body of a stranger is not looked at.
        ['/v1/otp/request', 'nobody', 401],
        ['/backoffice/merchants', adminToken, 413],
        ['/handset/prompts/none/approve', '', 413],
      ] as const) {
        const headers = { ...json, authorization: `Bearer ${token}` };
        expect(await pour(port, path, headers, hundred, declared)).toMatchObject({ status });
      }
    });
    expect(allRowsOf(bench.file)).toEqual(before);
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  },
);

test('S46 hostile-body: an interrupted delivery is not stored and logs no error', async () => {
  const till = await openQuiet();
  const { port } = await serve(till.gateway().app);
  await Promise.all(
    Array.from(
      { length: 20 },
      (_, n) =>
        new Promise<void>((resolve) => {
          const size = n % 2 ? { 'content-length': 1_000 } : { 'transfer-encoding': 'chunked' };
          const headers = { ...json, ...size, 'service-signature': 't=1,v1=00' };
          const asking = request({
            host: '127.0.0.1',
            port,
            path: '/webhooks/demo-shop',
            method: 'POST',
            agent: false,
            headers,
          });
          asking.on('error', () => {});
          asking.on('close', () => resolve());
          asking.write('{"id":"evt_half"', () => setImmediate(() => asking.destroy()));
        }),
    ),
  );
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  expect(await till.inbox()).toEqual([]);
  expect(till.logged()).not.toContain('"level":"error"');
});
