import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createServiceClient,
  type Fetch,
  type ServiceAnswer,
} from '../../../src/gateway/collection/calls/client.ts';
import { settle, testClock } from '../../kit/clock.ts';
import { inconclusiveAnswers, noAnswer } from '../../kit/network-faults.ts';
import { session } from './support.ts';

const initiated = { id: 'pay_1', status: 'initiated', mode: 'offline', channel: 'ussd' };
const status = { id: 'pay_1', status: 'paid', terminal: true, paid_at: '2026-03-06T09:00:10.000Z' };

const key = 'sk_test_0123456789';
const create = { idempotencyKey: 'col_1.create.x', body: '{"amount_minor": 2000 , "msisdn":"233244123456"}' };
const initiate = { sessionId: 'pay_1', idempotencyKey: 'col_1.initiate.x' };

function clientOf(fetch: Fetch, url = 'http://service.test') {
  const clock = testClock();
  return { clock, client: createServiceClient({ url, fetch, clock, callTimeoutMs: 12_000 }) };
}

/** The three calls. Each receives the same answer. */
const calls = (fetch: Fetch) => {
  const { client } = clientOf(fetch);
  return [
    () => client.create(key, create),
    () => client.initiate(key, initiate),
    () => client.status(key, { sessionId: 'pay_1' }),
  ];
};

function errorAnswer(status: number, code: string, headers: Record<string, string> = {}): Response {
  return Response.json({ error: { code, message: 'for people' }, request_id: 'req_1' }, { status, headers });
}

describe('a request', () => {
  async function sent(url?: string) {
    const requests: { url: string; method: string; headers: Record<string, string>; body?: string }[] = [];
    const redirects: string[] = [];
    const { client } = clientOf(async (target, { signal: _signal, redirect, ...init }) => {
      requests.push({ url: target, ...init });
      redirects.push(redirect);
      return Response.json({});
    }, url);
    await client.create(key, create);
    await client.initiate(key, initiate);
    await client.status(key, { sessionId: 'pay_1' });
    expect(redirects).toEqual(['error', 'error', 'error']);
    return requests;
  }

  test('create sends the stored bytes under its key', async () => {
    const [request] = await sent();
    expect(request).toEqual({
      url: 'http://service.test/v1/payments/sessions',
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'application/json',
        'content-type': 'application/json',
        'idempotency-key': create.idempotencyKey,
      },
      body: create.body,
    });
  });

  test('initiate sends an empty object under its own key', async () => {
    const [, request] = await sent();
    expect(request).toMatchObject({
      url: 'http://service.test/v1/payments/sessions/pay_1/initiate',
      method: 'POST',
      headers: { 'idempotency-key': initiate.idempotencyKey },
      body: '{}',
    });
  });

  test('a poll has neither body nor key', async () => {
    const [, , request] = await sent();
    expect(request).toEqual({
      url: 'http://service.test/v1/payments/sessions/pay_1/status',
      method: 'GET',
      headers: { authorization: `Bearer ${key}`, accept: 'application/json' },
    });
  });

  test('a service URL may have a path and trailing slashes', async () => {
    const [request] = await sent('https://api.example.com/payments//');
    expect(request?.url).toBe('https://api.example.com/payments/v1/payments/sessions');
  });

  test('a session id is encoded in the path', async () => {
    let asked = '';
    const { client } = clientOf(async (url) => {
      asked = url;
      return Response.json({});
    });
    await client.status(key, { sessionId: '../../v1/admin?x=#' });
    expect(new URL(asked).pathname).toBe('/v1/payments/sessions/..%2F..%2Fv1%2Fadmin%3Fx%3D%23/status');
  });
});

describe('a successful answer', () => {
  test.each([200, 201, 202])('is read at %i, without unknown fields', async (httpStatus) => {
    const { client } = clientOf(async (url) => {
      const body = url.endsWith('/status') ? status : url.endsWith('/initiate') ? initiated : session;
      return Response.json({ ...body, invented_later: { by: 'the service' } }, { status: httpStatus });
    });
    expect(await client.create(key, create)).toEqual({ kind: 'ok', value: session, ms: 0 });
    expect(await client.initiate(key, initiate)).toEqual({ kind: 'ok', value: initiated, ms: 0 });
    expect(await client.status(key, { sessionId: 'pay_1' })).toEqual({ kind: 'ok', value: status, ms: 0 });
  });

  test('includes the duration', async () => {
    const { client, clock } = clientOf(async () => {
      await clock.sleep(340);
      return Response.json(session);
    });
    const answered = client.create(key, create);
    await clock.advance(340);
    expect(await answered).toMatchObject({ kind: 'ok', ms: 340 });
  });

  test('about another session is unknown', async () => {
    const [, ...about] = calls(async (url) =>
      Response.json({ ...(url.endsWith('/status') ? status : initiated), id: 'pay_2' }),
    );
    for (const call of about) {
      expect(await call()).toMatchObject({ kind: 'unknown', detail: 'unreadable_answer' });
    }
  });
});

describe('an error answer', () => {
  test.each([
    [400, 'invalid_msisdn'],
    [401, 'invalid_key'],
    [403, 'offline_scope_required'],
    [404, 'session_not_found'],
    [409, 'idempotency_key_reused'],
    [422, 'idempotency_key_reused'],
  ])('%i with the code %s is a rejection', async (httpStatus, code) => {
    for (const call of calls(async () => errorAnswer(httpStatus, code, { 'retry-after': '5' }))) {
      expect(await call()).toEqual({ kind: 'rejected', httpStatus, code, ms: 0 });
    }
  });

  test.each([408, 409, 425, 500, 502, 503, 504, 599])(
    '%i is unknown, whatever its body',
    async (httpStatus) => {
      for (const call of calls(async () => errorAnswer(httpStatus, 'some_code'))) {
        expect(await call()).toEqual({ kind: 'unknown', httpStatus, detail: 'some_code', ms: 0 });
      }
    },
  );

  test.each([301, 302, 304, 400, 401, 403, 404, 405, 409, 413, 422, 500, 503])(
    '%i without the service’s error body is unknown',
    async (httpStatus) => {
      for (const body of ['<html>blocked</html>', '{"error":"no"}', '{"error":{"code":5}}', '[]', 'null']) {
        const answer = () => new Response(httpStatus === 304 ? null : body, { status: httpStatus });
        for (const call of calls(async () => answer())) {
          expect(await call()).toEqual({ kind: 'unknown', httpStatus, detail: `http_${httpStatus}`, ms: 0 });
        }
      }
    },
  );

  const documented = [
    [403, 'offline_mode_not_enabled'],
    [403, 'offline_scope_required'],
    [400, 'invalid_msisdn'],
  ] as const;
  const bodies: Record<string, (code: string) => unknown> = {
    'error.code without a message': (code) => ({ error: { code } }),
    code: (code) => ({ code, message: 'no' }),
    'error as text': (error) => ({ error }),
    'errors[0].code': (code) => ({ errors: [{ code, detail: 'no' }] }),
    error_code: (code) => ({ status: 'error', error_code: code }),
    'the type of problem details': (code) => ({ type: `https://pay.example/errors/${code}`, status: 403 }),
    'the type with hyphens': (code) => ({ type: `urn:problem:${code.replaceAll('_', '-')}` }),
    'the title of problem details': (code) => ({ type: 'about:blank', title: code.replaceAll('_', ' ') }),
    'capital letters': (code) => ({ error: code.toUpperCase() }),
  };

  test.each(Object.entries(bodies))(
    'a documented code is recognised in %s, with its status only',
    async (_, body) => {
      for (const [httpStatus, code] of documented) {
        const other = httpStatus === 403 ? 400 : 403;
        const [create] = calls(async () => Response.json(body(code), { status: httpStatus }));
        expect(await create?.()).toEqual({ kind: 'rejected', httpStatus, code, ms: 0 });
        if (JSON.stringify(body('x')).includes('"error":{')) continue;
        const [wrong] = calls(async () => Response.json(body(code), { status: other }));
        expect(await wrong?.()).toMatchObject({ kind: 'unknown', detail: `http_${other}` });
      }
    },
  );

  test('any code is recognised at the configured place', async () => {
    const fetch: Fetch = async () => Response.json({ fault: [{ 'a/b': 'till_closed' }] }, { status: 422 });
    const options = { url: 'http://service.test', fetch, clock: testClock(), callTimeoutMs: 12_000 };
    const rejected = { kind: 'rejected', httpStatus: 422, code: 'till_closed', ms: 0 };
    const configured = createServiceClient({ ...options, errorCodePointer: '/fault/0/a~1b' });
    expect(await configured.create(key, create)).toEqual(rejected);
    expect(await createServiceClient(options).create(key, create)).toMatchObject({ kind: 'unknown' });
  });

  test('a code of more than 64 characters is replaced by the status', async () => {
    const [call] = calls(async () => errorAnswer(400, 'x'.repeat(65)));
    expect(await call?.()).toMatchObject({ kind: 'unknown', detail: 'http_400' });
  });

  test('429 is rate limited, whatever its body', async () => {
    for (const answer of [
      () => errorAnswer(429, 'slow_down'),
      () => new Response('<html>', { status: 429 }),
    ]) {
      for (const call of calls(async () => answer())) {
        expect(await call()).toMatchObject({ kind: 'rate_limited', httpStatus: 429, ms: 0 });
      }
    }
  });

  test.each([
    ['7', 7_000],
    [' 30 ', 30_000],
    ['0', 0],
    ['999999', 999_999_000],
    ['1000000', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['', undefined],
    ['soon', undefined],
    ['Wed, 21 Oct 2026 07:28:00 GMT', undefined],
  ])('Retry-After %j is read as %s ms', async (header, retryAfterMs) => {
    for (const httpStatus of [429, 503]) {
      const [call] = calls(
        async () => new Response('', { status: httpStatus, headers: { 'retry-after': header } }),
      );
      expect(await call?.()).toEqual({
        kind: httpStatus === 429 ? 'rate_limited' : 'unknown',
        httpStatus,
        detail: `http_${httpStatus}`,
        ms: 0,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      });
    }
  });
});

test.each(Object.entries(inconclusiveAnswers))('%s is unknown', async (_name, fault) => {
  for (const call of calls(async () => fault())) {
    expect((await call()).kind).toBe('unknown');
  }
});

describe('a network error', () => {
  const failed =
    (fault: unknown): Fetch =>
    () =>
      Promise.reject(fault);

  test.each([
    [
      new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) }),
      'ECONNREFUSED',
    ],
    [
      new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'UND_ERR_SOCKET' }) }),
      'UND_ERR_SOCKET',
    ],
    [new TypeError(`fetch failed for https://user:${key}@host`), 'network_error'],
    [new DOMException('This operation was aborted', 'AbortError'), 'timeout'],
    ['a string', 'network_error'],
    [undefined, 'network_error'],
  ])('%s is reported as %s, without a URL', async (fault, detail) => {
    for (const call of calls(failed(fault))) {
      expect(await call()).toEqual({ kind: 'unknown', detail, ms: 0 });
    }
  });
});

describe('the timeout', () => {
  const slow: Record<string, Fetch> = {
    'no answer': (_url, { signal }) => noAnswer(signal),
    'no answer and an ignored signal': () => new Promise(() => {}),
    'a body that never ends': async () => ({
      ok: true,
      status: 200,
      headers: { get: () => null },
      body: (async function* () {
        yield new TextEncoder().encode('{');
        await new Promise(() => {});
      })(),
    }),
  };

  test.each(Object.entries(slow))('ends a call with %s exactly after its time', async (_how, fetch) => {
    const { client, clock } = clientOf(fetch);
    let outcome: unknown;
    const call = client.status(key, { sessionId: 'pay_1' }).then((ended) => {
      outcome = ended;
    });
    await clock.advance(11_999);
    expect(outcome).toBeUndefined();
    await clock.advance(1);
    await call;
    expect(outcome).toEqual({ kind: 'unknown', detail: 'timeout', ms: 12_000 });
  });

  test('aborts the request, which frees its connection', async () => {
    let aborted = false;
    const { client, clock } = clientOf((_url, { signal }) => {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      return noAnswer(signal);
    });
    const call = client.initiate(key, initiate);
    await clock.advance(12_000);
    await call;
    expect(aborted).toBe(true);
  });

  test('leaves no timer after an answer', async () => {
    const { client, clock } = clientOf(async () => Response.json(session));
    await client.create(key, create);
    await settle();
    expect(clock.nextWake()).toBeUndefined();
  });
});

test('an answer of more than 64 KiB is not read to its end', async () => {
  let read = 0;
  const endless: ServiceAnswer = {
    ok: true,
    status: 200,
    headers: { get: () => null },
    body: (async function* () {
      for (;;) {
        read += 16_384;
        yield new Uint8Array(16_384);
      }
    })(),
  };
  for (const call of calls(async () => endless)) {
    read = 0;
    expect((await call()).kind).toBe('unknown');
    expect(read).toBeLessThanOrEqual(5 * 16_384);
  }
});

test('every answer becomes an outcome, and `ok` requires the complete schema', async () => {
  const text = fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc
      .record(
        Object.fromEntries(
          Object.entries(session).map(([name, value]) => [
            name,
            fc.oneof(fc.constant(value), fc.jsonValue()),
          ]),
        ),
        {
          requiredKeys: [],
        },
      )
      .map((value) => JSON.stringify(value)),
  );
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 200, max: 599 }), text, async (httpStatus, body) => {
      const bare = [204, 205, 304].includes(httpStatus);
      for (const call of calls(async () => new Response(bare ? null : body, { status: httpStatus }))) {
        const outcome = await call();
        if (outcome.kind === 'ok') expect(httpStatus).toBeLessThan(300);
        if (outcome.kind === 'rejected') expect(Math.floor(httpStatus / 100)).toBe(4);
      }
    }),
    { numRuns: 200 },
  );
});
