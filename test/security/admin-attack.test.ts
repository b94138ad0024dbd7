import { expect, test } from 'vitest';
import { serve } from '../kit/local-server.ts';
import { allRowsOf } from '../kit/with-database.ts';
import { actions, ask } from '../service/admin-client.ts';
import {
  adminToken,
  type Bench,
  create,
  json,
  newLiveMerchant,
  openBench,
  openMerchant,
  pushed,
} from '../service/support.ts';

type Operation = { security?: Record<string, unknown>[] };
type Call = { method: string; path: string; by: 'admin' | 'merchant' | 'public' };

/** Every operation of the OpenAPI document, so that a new one is covered. */
async function callsOf({ service }: Bench): Promise<Call[]> {
  const answer = await service.app.request('/openapi.json');
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { security = [] }]): Call => {
      const names = security.flatMap(Object.keys);
      const by = names.includes('adminToken') ? 'admin' : names.includes('secretKey') ? 'merchant' : 'public';
      return { method: method.toUpperCase(), path, by };
    }),
  );
}

test('S52 admin-attack: after ten wrong tokens a caller is blocked, also with the right token, and all attempts are logged', async () => {
  const bench = openBench();
  const url = `${(await serve(bench.service.served)).url}/backoffice/merchants`;
  const guess = async (token: string, headers = {}) => {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}`, ...headers } });
    await answer.arrayBuffer();
    return answer;
  };
  expect((await guess(adminToken)).status).toBe(200);
  for (let n = 0; n < 10; n++) expect((await guess(`${adminToken}${n}`)).status).toBe(401);
  const shut = await guess(adminToken);
  expect([shut.status, shut.headers.get('retry-after')]).toEqual([429, '60']);
  // The caller is the address of the socket; headers do not count.
  expect((await guess(adminToken, { 'x-forwarded-for': '203.0.113.7' })).status).toBe(429);
  const warnings = () =>
    bench.logged.filter((line) => line.includes('wrong admin token')).map((line) => JSON.parse(line));
  expect(warnings()).toMatchObject([{ reason: 'wrong_token', caller: '127.0.0.1' }]);

  // Other callers and merchants are not blocked, and the block ends after a minute.
  expect((await ask(bench, 'GET', '/merchants')).status).toBe(200);
  expect((await fetch(url.replace('/backoffice/merchants', '/healthz'))).status).toBe(200);
  await bench.clock.advance(59_999);
  expect((await guess(adminToken)).status).toBe(429);
  await bench.clock.advance(1);
  expect((await guess(adminToken)).status).toBe(200);
  // The other nine attempts are counted in one line.
  expect(warnings().slice(1)).toMatchObject([
    { counts: { wrong_token: 9 }, samples: [{ caller: '127.0.0.1' }] },
  ]);
});

test.each([
  ['with a port', (n: number) => `52.50.116.54:${40_000 + n}`],
  ['with a port, behind another proxy', (n: number) => `52.50.116.54:${n}, 127.0.0.1:5512`],
  ['of one IPv6 network', (n: number) => `[2001:db8::${n.toString(16)}]:443`],
  ['that cannot be read', (n: number) => `unknown-${n}`],
])('S52 admin-attack: a caller behind a proxy, %s, is locked out too', async (_, forwardedFor) => {
  const bench = openBench({ config: { trustedProxies: ['127.0.0.1'] } });
  const url = `${(await serve(bench.service.served)).url}/backoffice/merchants`;
  const guess = async (token: string, from: string) => {
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': from };
    return (await fetch(url, { headers })).status;
  };
  const statuses = [];
  for (let n = 0; n < 40; n++) statuses.push(await guess('wrong', forwardedFor(n)));
  expect(statuses).toEqual([...Array(10).fill(401), ...Array(30).fill(429)]);
  expect(await guess(adminToken, '203.0.113.9:1')).toBe(200);
});

test('S52 admin-attack: without the token every call of the admin API is rejected and changes nothing', async () => {
  const { bench, merchantId, key } = await openMerchant();
  const before = allRowsOf(bench.file);
  const calls = (await callsOf(bench)).filter(({ by }) => by === 'admin');
  expect(calls.length).toBeGreaterThan(15);
  const credentials = ['', 'Bearer ', `Bearer ${key}`, `Basic ${btoa(`admin:${adminToken}`)}`, adminToken];
  for (const { method, path } of calls) {
    for (const authorization of credentials) {
      const answer = await bench.service.app.request(
        path.replace(/\{\w+\}/, merchantId).replaceAll(/\{\w+\}/g, 'x'),
        {
          method,
          headers: { authorization, 'content-type': 'application/json', cookie: `token=${adminToken}` },
          ...(method === 'GET' ? {} : { body: '{}' }),
        },
      );
      expect([method, path, answer.status]).toEqual([method, path, 401]);
    }
  }
  expect(allRowsOf(bench.file)).toEqual(before);
  expect(await actions(bench)).toEqual([]);
});

test('S52 admin-attack: a form of another site changes nothing: it has no token, and its body is not read', async () => {
  const { bench, merchantId } = await openMerchant();
  const before = allRowsOf(bench.file);
  const forms = ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain'];
  for (const type of forms) {
    const headers = { 'content-type': type, origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' };
    const body = '{"name":"Evil","x":"="}';
    const path = '/backoffice/merchants';
    const forged = await bench.service.app.request(path, { method: 'POST', headers, body });
    expect([type, forged.status]).toEqual([type, 401]);
    // With the token a browser would still need a preflight, which no route answers.
    const authorization = `Bearer ${adminToken}`;
    const known = await bench.service.app.request(path, {
      method: 'POST',
      headers: { ...headers, authorization },
      body,
    });
    expect([type, known.status]).toEqual([type, 415]);
  }
  const preflight = await bench.service.app.request(`/backoffice/merchants/${merchantId}/approve-offline`, {
    method: 'OPTIONS',
    headers: { origin: 'https://evil.test', 'access-control-request-method': 'POST' },
  });
  expect(preflight.status).toBe(401);
  expect([...preflight.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  expect(allRowsOf(bench.file)).toEqual(before);
});

test('S52 admin-attack: no GET or HEAD request of the admin API or the API changes a row', async () => {
  const { bench, merchantId, key } = await openMerchant();
  const { id } = await pushed(bench, key);
  const before = allRowsOf(bench.file);
  const gets = (await callsOf(bench)).filter(({ method }) => method === 'GET');
  expect(gets.length).toBeGreaterThan(10);
  for (const { path, by } of gets) {
    const token = by === 'admin' ? adminToken : key;
    const own = path.includes('/merchants/') ? merchantId : id;
    for (const method of ['GET', 'HEAD']) {
      const answer = await bench.service.app.request(path.replaceAll(/\{\w+\}/g, own), {
        method,
        headers: { authorization: `Bearer ${token}` },
      });
      expect(answer.status, `${method} ${path}`).toBeLessThan(500);
    }
  }
  expect(allRowsOf(bench.file)).toEqual(before);
  expect(await actions(bench)).toEqual([]);
});

test("S52 admin-attack: no call returns another merchant's objects, in either mode", async () => {
  const bench = openBench();
  const abena = await newLiveMerchant(bench);
  const mallory = await newLiveMerchant(bench, 'Mallory');
  const { id: paid, promptId } = await pushed(bench, abena.key);
  await bench.service.phone.approve(promptId, '1234');
  await bench.clock.advance(5_000);
  const open = await create(bench, abena.key, { reference: 'INV-8' });
  const before = allRowsOf(bench.file);
  const { data } = await json(
    await bench.service.app.request('/v1/events', { headers: { authorization: `Bearer ${abena.key}` } }),
  );
  const event = String((data as { id: string }[])[0]?.id);
  const calls = (await callsOf(bench)).filter(({ path, by }) => by === 'merchant' && path.includes('{'));
  expect(calls.length).toBeGreaterThanOrEqual(4);
  for (const { method, path } of calls) {
    const ids = path.includes('/events/') ? [event] : [paid, open];
    for (const token of [mallory.key, mallory.liveKey, abena.liveKey]) {
      for (const id of [...ids, 'pay_none']) {
        const answer = await bench.service.app.request(path.replace(/\{\w+\}/, id), {
          method,
          headers: { authorization: `Bearer ${token}` },
        });
        // Another merchant's object and a missing one get the same response.
        const { error } = await json(answer);
        expect([method, path, answer.status, error]).toEqual([
          method,
          path,
          404,
          expect.objectContaining({ code: expect.stringMatching(/_not_found$/) }),
        ]);
      }
    }
  }
  for (const list of ['/v1/payments/sessions', '/v1/events']) {
    for (const token of [mallory.key, mallory.liveKey, abena.liveKey]) {
      const answer = await bench.service.app.request(list, { headers: { authorization: `Bearer ${token}` } });
      expect(await json(answer)).toMatchObject({ data: [] });
    }
  }
  expect(allRowsOf(bench.file)).toEqual(before);
});
