import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ask, type HttpReply, serve } from '../kit/local-server.ts';
import { callbackUrl } from '../kit/phone.ts';
import { createTill } from '../kit/till.ts';
import { adminToken, newMerchant, openBench } from '../service/support.ts';

/*
 * Checks every response as a client receives it: over real sockets, because an HTTP server adds headers and
 * answers some requests before any route.
 */

async function openGateway() {
  const till = await createTill();
  return { till, port: (await serve(till.gateway().app)).port };
}

async function openService() {
  const bench = openBench();
  const merchant = await newMerchant(bench);
  return { bench, port: (await serve(bench.service.app)).port, ...merchant };
}

/** Headers for an API: responses are no pages, are not cached, and require TLS where it is available. */
const expected = {
  'cache-control': 'no-store',
  'content-security-policy': expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
};

const inner = /\bat .+:\d+:\d+|\.[jt]s:\d|node_modules|\b(?:SQLITE|ZodError|SyntaxError)\b/;

function checkAnswer({ status, headers, body }: HttpReply, what: string, other = {}): void {
  expect(headers, what).toMatchObject({ ...expected, ...other });
  // Headers do not reveal programs, and no other site's script can read a response.
  for (const name of ['server', 'x-powered-by', 'via', 'set-cookie'])
    expect(headers, what).not.toHaveProperty(name);
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  if (status !== 204 && body !== '') expect(headers['content-type'], what).toMatch(/^[a-z]+\/[a-z-]+/);
  if (status >= 400) expect(body, what).not.toMatch(inner);
}

test('every response of the gateway has the security headers of an API and reveals no internals', async () => {
  const { till, port } = await openGateway();
  const screen = new URL(callbackUrl(till, 'africastalking')).pathname;
  const json = { 'content-type': 'application/json' };
  const asked: [
    method: string,
    path: string,
    status: number,
    headers?: Record<string, string>,
    body?: string,
  ][] = [
    ['POST', screen, 200, {}, 'sessionId=s-1&phoneNumber=%2B233244123456&text='],
    ['POST', screen, 200, {}, 'x'.repeat(70_000)],
    ['DELETE', screen, 404],
    ['PATCH', screen, 404],
    ['POST', '/ussd/africastalking/wrong', 404],
    ['OPTIONS', screen, 404, { origin: 'https://evil.test', 'access-control-request-method': 'POST' }],
    ['POST', '/webhooks/demo-shop', 415, { 'content-type': 'text/plain' }, '{}'],
    ['POST', '/webhooks/demo-shop', 401, json, '{}'],
    ['POST', '/webhooks/demo-shop', 413, json, 'x'.repeat(70_000)],
    ['POST', '/webhooks/unknown', 401, json, '{}'],
    ['GET', '/webhooks/demo-shop', 404],
    ['GET', '/healthz', 200],
    ['GET', '/readyz', 200],
    ['GET', '/metrics', 200],
    ['POST', '/metrics', 404],
    ['TRACE', '/healthz', 404],
    ['GET', '/nothing/here', 404],
    ['GET', '/%zz', 404],
    ['GET', '/../../etc/passwd', 404],
  ];
  for (const [method, path, status, headers, body] of asked) {
    const answer = await ask(port, path, { method, headers, body });
    checkAnswer(answer, `${method} ${path}`);
    expect([method, path, answer.status]).toEqual([method, path, status]);
    if (path === screen && status === 200)
      expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    if (status >= 400)
      expect(JSON.parse(answer.body)).toEqual({
        error: { code: expect.any(String), message: expect.any(String) },
      });
  }
});

test('every response of the service has them too; its page may load only its own style sheet', async () => {
  const { port, key } = await openService();
  const admin = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  const shop = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const asked: [
    method: string,
    path: string,
    status: number,
    headers?: Record<string, string>,
    body?: string,
  ][] = [
    ['GET', '/healthz', 200],
    ['GET', '/openapi.json', 200],
    ['GET', '/v1/payments/sessions', 200, shop],
    ['GET', '/v1/payments/sessions', 401],
    ['POST', '/v1/payments/sessions', 400, shop, '{'],
    ['POST', '/v1/payments/sessions', 415, { ...shop, 'content-type': 'text/plain' }, '{}'],
    ['POST', '/v1/payments/sessions', 413, shop, 'x'.repeat(70_000)],
    ['DELETE', '/v1/payments/sessions', 405, shop],
    ['OPTIONS', '/v1/payments/sessions', 405, { origin: 'https://evil.test' }],
    ['GET', '/backoffice/merchants', 401],
    ['GET', '/backoffice/merchants', 200, admin],
    ['POST', '/backoffice/merchants', 400, admin, '{}'],
    ['TRACE', '/healthz', 405],
    ['GET', '/nothing', 404],
  ];
  for (const [method, path, status, headers, body] of asked) {
    const answer = await ask(port, path, { method, headers, body });
    // A public document is the same for everyone: a client asks whether it has changed.
    const isDocument = path === '/openapi.json';
    checkAnswer(answer, `${method} ${path}`, isDocument ? { 'cache-control': 'no-cache' } : {});
    expect([method, path, answer.status]).toEqual([method, path, status]);
    if (status >= 400) {
      expect(JSON.parse(answer.body)).toEqual({
        error: expect.objectContaining({ code: expect.any(String), message: expect.any(String) }),
        request_id: answer.headers['request-id'],
      });
    }
  }
  const page = await ask(port, '/docs');
  checkAnswer(page, '/docs', { 'cache-control': 'no-cache' });
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.headers['content-security-policy']).toMatch(/style-src 'sha256-[\w+/=]+'/);
  expect(page.body).not.toMatch(/<script|\son\w+=|src=|href="http|@import|url\(/i);
});

/** Sends bytes on a connection of their own, and returns the answer. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let got = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(bytes, 'latin1')));
    socket.setTimeout(300, () => socket.destroy());
    socket.on('data', (chunk) => {
      got += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(got));
  });
}

const invalidUrls: [what: string, target: string, host: string][] = [
  ['a user in the Host', '/', 'a@b'],
  ['a user in the Host, as long as the encoded name', '/', 'abcde@\u00fc'],
  ['a password in the Host', '/', 'a:b@c'],
  ['a user in the target', 'http://a@b/', 'b'],
  ['a password in the target', 'http://:a@b/', 'b'],
  ['another protocol in the target', 'ftp://b/', 'b'],
  ['a port that does not exist', '/', 'a:99999'],
  ['an incomplete address', '/', '[::1'],
  ['an address of five numbers', '/', '1.2.3.4.5'],
  ['no Host', '/', ''],
  ['a blank in the Host', '/', 'a b'],
];

test.each(invalidUrls)(
  'a request whose URL has %s is answered 400 and logged by neither program',
  async (_, target, host) => {
    const { till, port: gateway } = await openGateway();
    const { bench, port: service } = await openService();
    const path = target.endsWith('/') ? target : `${target}/`;
    const body = (to: string) =>
      [
        `POST ${path}${to} HTTP/1.1`,
        `Host: ${host}`,
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
        '',
        '2',
        '{}',
        '0',
        '',
        '',
      ].join('\r\n');
    const before = [till.logged(), bench.logged.join('')];
    expect(await exchange(gateway, body('webhooks/demo-shop'))).toMatch(/^HTTP\/1\.1 400 /);
    expect(await exchange(service, body('v1/payments/sessions'))).toMatch(/^HTTP\/1\.1 400 /);
    expect([till.logged(), bench.logged.join('')]).toEqual(before);
  },
);

describe('a request that reaches no route gets a response without internals', () => {
  const raw: [what: string, bytes: string, status: number][] = [
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['headers without end', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(9_000)}\r\n\r\n`, 431],
    [
      'a signature of a megabyte',
      `POST /webhooks/demo-shop HTTP/1.1\r\nHost: x\r\nService-Signature: ${'0'.repeat(2 ** 20)}\r\n\r\n`,
      431,
    ],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'an upgrade',
      'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      200,
    ],
  ];
  test.each(raw)('%s', async (_, bytes, status) => {
    const { port } = await openGateway();
    const answer = await exchange(port, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).not.toMatch(/^(?:server|x-powered-by):/im);
    expect(answer).not.toMatch(inner);
  });
});
