import { once } from 'node:events';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { problemOfAnswer } from '../../../src/menu/effects/lookup.ts';
import { menuSchema } from '../../../src/menu/schema.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import type { NameLookup } from '../../../src/shared/http/checked-fetch.ts';
import { testClock } from '../../kit/clock.ts';
import { startServer } from '../../kit/local-server.ts';
import { closedUrl } from '../../simulator/peer.ts';
import { createLookupBench, lookupRequest, merchantAt, secret } from './support.ts';

const none = { kind: 'none' } as const;

const budgetMs = 1_500;

/** Much longer than a local peer needs, so that only a blocked test reaches it. */
const longMs = 5_000;

const fees = { url: '/fees', request: lookupRequest };

const json = (body: string, status = 200) => ({ status, body });

/** Returns the result of a lookup whose system answers immediately. */
async function answered({ status, body }: { status: number; body: string }, type = 'application/json') {
  const system = await startServer((response) =>
    response.writeHead(status, { 'content-type': type }).end(body),
  );
  const bench = createLookupBench(systemClock());
  const answer = await bench.lookups.ask(merchantAt(system.url), fees, longMs);
  return { answer, outcomes: bench.outcomes };
}

test('an answer with a field of another type is a warning that names the field, and no answer', async () => {
  const system = await startServer((response) => response.end('{"pupil":"AMA","due":"4.20"}'));
  const bench = createLookupBench(systemClock());
  const problemOf = (fields: object) => problemOfAnswer(feesMenu(), 'fees', fields);
  const answer = await bench.lookups.ask(merchantAt(system.url), { ...fees, problemOf }, longMs);
  expect(answer).toEqual(none);
  expect(bench.outcomes).toEqual(['invalid_response']);
  expect(bench.logged()).toContain('"detail":"due: expected a whole number of pesewas, found a text"');
  expect(bench.logged()).not.toMatch(/AMA|4\.20/);
});

/** A menu whose lookup takes a text and an amount. */
function feesMenu() {
  return menuSchema.parse({
    languages: ['en'],
    start: 'fees',
    screens: {
      fees: {
        kind: 'lookup',
        url: '/fees',
        take: { pupil: { text: 9 }, due: { amount: '9.00' } },
        found: 'end',
      },
      end: { kind: 'end', text: 'Bye' },
    },
  });
}

describe('the request', () => {
  test('has amount_minor, and goes to an address under that of the merchant', async () => {
    const system = await startServer((response) => response.end('{}'));
    const { lookups } = createLookupBench(systemClock());
    await lookups.ask(
      merchantAt(`${system.url}/till`),
      { url: '/fees?of=INV-7', request: lookupRequest },
      longMs,
    );
    const [question] = system.questions;
    expect(question?.path).toBe('/till/fees?of=INV-7');
    expect(question?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(question?.body ?? '')).toEqual({
      lookup: 'fees',
      dialler: '233244123456',
      payer: '233201234567',
      operator: 'telecel',
      language: 'en',
      amount_minor: 2_000,
      reference: 'INV-7',
      values: { student: 'Ama Mensah', count: 3 },
    });
  });

  test('is signed like Standard Webhooks: their library verifies it with the secret, and with no other', async () => {
    const system = await startServer((response) => response.end('{}'));
    const { lookups } = createLookupBench(systemClock());
    await lookups.ask(merchantAt(system.url), fees, longMs);
    await lookups.ask(merchantAt(system.url), fees, longMs);
    const ids = system.questions.map(({ headers, body }) => {
      const signed = {
        'webhook-id': String(headers['webhook-id']),
        'webhook-timestamp': String(headers['webhook-timestamp']),
        'webhook-signature': String(headers['webhook-signature']),
      };
      expect(new Webhook(secret).verify(body, signed)).toMatchObject({ lookup: 'fees' });
      const other = new Webhook(`whsec_${Buffer.alloc(24, 8).toString('base64')}`);
      expect(() => other.verify(body, signed)).toThrow('No matching signature found');
      expect(() => new Webhook(secret).verify(`${body} `, signed)).toThrow('No matching signature found');
      return signed['webhook-id'];
    });
    expect(new Set(ids).size).toBe(2);
  });

  test.each([
    ['a path that leaves the address of the merchant', '/../admin'],
    ['a path that leaves it encoded', '/%2e%2e/admin'],
    ['a path that leaves it with an encoded slash', '/..%2Fadmin'],
    ['a path that leaves it encoded twice', '/a/%252e%252e%252f%252e%252e%252fadmin'],
    ['a path that leaves it with a backslash', '/..%5C/admin'],
    ['a path that leaves it with a parameter', '/..;a=1/admin'],
    ['a path that leaves it despite a lone percent sign', '/%zz/..%2F..%2Fadmin'],
    ['a path with NUL', '/fees%00'],
    ['another host', 'SYSTEM/fees'],
    ['another host without a protocol', '@example.com/fees'],
    ['no address', 'ftp://example.com/fees'],
    ['nonsense', 'https://'],
  ])('never goes to %s', async (_, path) => {
    const system = await startServer((response) => response.end('{}'));
    const { lookups, outcomes } = createLookupBench(systemClock());
    expect(
      await lookups.ask(
        merchantAt(`${system.url}/till`),
        { url: path.replace('SYSTEM', system.url), request: lookupRequest },
        longMs,
      ),
    ).toEqual(none);
    expect(system.questions).toEqual([]);
    expect(outcomes).toEqual(['unreachable']);
  });

  test('is never sent without a signature', async () => {
    const system = await startServer((response) => response.end('{}'));
    const { lookups } = createLookupBench(systemClock());
    expect(
      await lookups.ask({ id: 'demo' }, { url: `${system.url}/fees`, request: lookupRequest }, longMs),
    ).toEqual(none);
    expect(system.questions).toEqual([]);
  });

  test.each(['/INV%2F2024%2F1', '/100%25', '/a..b', '/INV-7?of=..%2Fx'])('goes to %s', async (path) => {
    const system = await startServer((response) => response.end('{}'));
    const { lookups } = createLookupBench(systemClock());
    await lookups.ask(merchantAt(`${system.url}/till`), { url: path, request: lookupRequest }, longMs);
    expect(system.questions.map((one) => one.path)).toEqual([`/till${path}`]);
  });
});

describe('the response', () => {
  test.each(['application/json', 'text/html', 'text/plain; charset=latin1'])(
    '200 with an object is found with the content type %s',
    async (type) => {
      const { answer, outcomes } = await answered(json('{"student":"Ama","due":12000}'), type);
      expect(answer).toEqual({ kind: 'found', fields: { student: 'Ama', due: 12_000 } });
      expect(outcomes).toEqual(['found']);
    },
  );

  test('404 is not_found with any body', async () => {
    for (const body of ['', '<html>', '{"student":"Ama"}', 'x'.repeat(50_000)]) {
      const { answer, outcomes } = await answered(json(body, 404));
      expect(answer).toEqual({ kind: 'not_found' });
      expect(outcomes).toEqual(['not_found']);
    }
  });

  test.each([201, 202, 204, 400, 401, 403, 410, 429, 500, 502, 503])('%i returns none', async (status) => {
    const { answer, outcomes } = await answered(json(status === 204 ? '' : '{"student":"Ama"}', status));
    expect(answer).toEqual(none);
    expect(outcomes).toEqual(['invalid_response']);
  });

  test.each(['', '[]', '"Ama"', 'null', '12', '{"student":', '<html>', '{"a":1}{'])(
    '200 with %j returns none',
    async (body) => {
      const { answer, outcomes } = await answered(json(body));
      expect(answer).toEqual(none);
      expect(outcomes).toEqual(['invalid_response']);
    },
  );

  test('a body that is not UTF-8 returns none', async () => {
    const system = await startServer((response) => response.end(Buffer.from('7b2261223a22ff227d', 'hex')));
    const { lookups } = createLookupBench(systemClock());
    expect(await lookups.ask(merchantAt(system.url), fees, longMs)).toEqual(none);
  });

  test('an object of 64 KiB is accepted, and a larger one returns none', async () => {
    const object = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
    expect((await answered(json(object(65_536)))).answer).toMatchObject({ kind: 'found' });
    expect((await answered(json(object(65_537)))).answer).toEqual(none);
  });

  test('an endless body returns none at the limit, and its connection is closed', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const system = await startServer((response) => {
      closed = once(response, 'close');
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(4_096)));
      };
      response.on('drain', pour);
      pour();
    });
    const { lookups, outcomes } = createLookupBench(systemClock());
    expect(await lookups.ask(merchantAt(system.url), fees, longMs)).toEqual(none);
    expect(outcomes).toEqual(['invalid_response']);
    await closed;
  });

  test.each([301, 302, 303, 307, 308])('a redirect (%i) is not followed', async (status) => {
    const other = await startServer((response) => response.end('{"student":"Ama"}'));
    const system = await startServer((response) =>
      response.writeHead(status, { location: `${other.url}/fees` }).end(),
    );
    const { lookups, outcomes } = createLookupBench(systemClock());
    expect(await lookups.ask(merchantAt(system.url), fees, longMs)).toEqual(none);
    expect(outcomes).toEqual(['invalid_response']);
    expect(other.questions).toEqual([]);
  });
});

describe('a response whose status is sufficient', () => {
  test.each([404, 500])('%i keeps its connection for the next request when the body ends', async (status) => {
    const ports = new Set<number | undefined>();
    const system = await startServer((response) => {
      ports.add(response.socket?.remotePort);
      response.writeHead(status).end('x'.repeat(1_000));
    });
    const { lookups } = createLookupBench(systemClock());
    for (let n = 0; n < 3; n++) {
      await lookups.ask(merchantAt(system.url), fees, longMs);
      // The client reuses no connection in the same turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(system.questions).toHaveLength(3);
    expect(ports.size).toBe(1);
  });

  test.each([404, 500])('%i with a slow body is aborted after a second', async (status) => {
    const closed: Promise<unknown>[] = [];
    const trickles: (() => void)[] = [];
    const system = await startServer((response) => {
      closed.push(once(response, 'close'));
      response.writeHead(status).write('x');
      trickles.push(() => response.write('x'));
    });
    const clock = testClock();
    const { lookups, signals } = createLookupBench(clock);
    await lookups.ask(merchantAt(system.url), fees, budgetMs);
    for (const ms of [500, 499]) {
      await clock.advance(ms);
      for (const trickle of trickles) trickle();
    }
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await clock.advance(1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    await Promise.all(closed);
  });

  test('with an endless body is aborted at the limit', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const system = await startServer((response) => {
      closed = once(response, 'close');
      response.writeHead(500);
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(4_096)));
      };
      response.on('drain', pour);
      pour();
    });
    const { lookups } = createLookupBench(testClock());
    await lookups.ask(merchantAt(system.url), fees, budgetMs);
    await closed;
  });
});

describe('failures', () => {
  test('a refused connection returns none at once', async () => {
    const { lookups, outcomes, logged } = createLookupBench(systemClock());
    expect(await lookups.ask(merchantAt(await closedUrl()), fees, longMs)).toEqual(none);
    expect(outcomes).toEqual(['unreachable']);
    expect(logged()).toContain('ECONNREFUSED');
  });

  test('an incomplete body returns none', async () => {
    const system = await startServer((response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"student":"Ama"', () => response.destroy());
    });
    const { lookups, outcomes } = createLookupBench(systemClock());
    expect(await lookups.ask(merchantAt(system.url), fees, longMs)).toEqual(none);
    expect(outcomes).toEqual(['unreachable']);
  });

  test.each([
    ['keeps silent', ''],
    ['stops within its answer', '{"student":'],
  ])(
    'a system that %s returns none at the end of the budget, and its connection is closed',
    async (_, begun) => {
      let closed: Promise<unknown> = Promise.resolve();
      const system = await startServer((response) => {
        closed = once(response, 'close');
        if (begun) response.write(begun);
      });
      const clock = testClock();
      const { lookups, outcomes, signals } = createLookupBench(clock);
      let answer: unknown;
      const asking = lookups.ask(merchantAt(system.url), fees, budgetMs).then((one) => {
        answer = one;
      });
      await system.asked(1);
      await clock.advance(budgetMs - 1);
      expect(answer).toBeUndefined();
      await clock.advance(1);
      expect(answer).toEqual(none);
      await asking;
      expect(outcomes).toEqual(['timeout']);
      expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
      await closed;
    },
  );

  test('a lookup ends within its budget in real time', async () => {
    const system = await startServer(() => {});
    const clock = systemClock();
    const { lookups } = createLookupBench(clock);
    const startedAt = clock.now();
    expect(await lookups.ask(merchantAt(system.url), fees, 60)).toEqual(none);
    expect(clock.now() - startedAt).toBeGreaterThanOrEqual(59);
    // Long enough for a busy machine, and much shorter than the connection's own timeout.
    expect(clock.now() - startedAt).toBeLessThan(1_000);
  });

  test('no request is sent without time left', async () => {
    const system = await startServer((response) => response.end('{}'));
    const { lookups } = createLookupBench(testClock());
    expect(await lookups.ask(merchantAt(system.url), fees, 0)).toEqual(none);
    expect(system.questions).toEqual([]);
  });
});

test('the log contains outcomes and durations, and no content of requests or responses', async () => {
  let answer = json('{"student":"Kofi Secretname"}');
  const system = await startServer((response) => response.writeHead(answer.status).end(answer.body));
  const { lookups, logged } = createLookupBench(systemClock());
  for (answer of [answer, json('{"error":"Kofi Secretname 0244123456"}', 500), json('Kofi Secretname')]) {
    await lookups.ask(merchantAt(system.url), { url: '/fees/INV-7', request: lookupRequest }, longMs);
  }
  const lines = logged()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { merchant: 'demo', lookup: 'fees', outcome: 'found', ms: expect.any(Number) },
    { merchant: 'demo', lookup: 'fees', outcome: 'invalid_response', detail: 'http_500' },
    { merchant: 'demo', lookup: 'fees', outcome: 'invalid_response', detail: 'not_json' },
  ]);
  for (const word of ['Kofi', 'Ama', 'INV-7', '244123456', '201234567', 'whsec_', system.url]) {
    expect(logged()).not.toContain(word);
  }
});

/** A name server that returns these addresses, the last one from then on. */
function resolvesTo(...addresses: string[]): NameLookup {
  return (_name, _options, done) => {
    const address = (addresses.length > 1 ? addresses.shift() : addresses[0]) ?? '';
    done(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
  };
}

const portOf = (url: string) => new URL(url).port;

test.each([
  ...'http://127.0.0.1 http://[::1] http://[::ffff:127.0.0.1] http://2130706433'.split(' '),
  'http://erp.example',
])('a lookup of a live key sends nothing to %s', async (origin) => {
  const system = await startServer((response) => response.end('{"a":1}'));
  const bench = createLookupBench(systemClock(), { livemode: true, resolve: resolvesTo('127.0.0.1') });
  const merchant = merchantAt(`${origin}:${portOf(system.url)}`);
  expect(await bench.lookups.ask(merchant, fees, longMs)).toEqual({ kind: 'none' });
  expect(system.questions).toEqual([]);
  expect(bench.outcomes).toEqual(['unreachable']);
  expect(bench.logged()).toContain('ADDRESS_REJECTED');
});

test.each(['169.254.169.254', '10.0.0.1', '192.168.1.1', 'fd00::1', '100.64.0.1', '0.0.0.0'])(
  'a lookup of a test key sends nothing to %s',
  async (address) => {
    const bench = createLookupBench(systemClock(), { resolve: resolvesTo(address) });
    await bench.lookups.ask(merchantAt('http://erp.example'), fees, longMs);
    await bench.lookups.ask(
      merchantAt(`http://${address.includes(':') ? `[${address}]` : address}`),
      fees,
      longMs,
    );
    expect(bench.logged().match(/ADDRESS_REJECTED/g)).toHaveLength(2);
  },
);

test('a lookup of a live key reaches a network that the configuration allows for its merchant, and for no other', async () => {
  const system = await startServer((response) => response.end('{"a":1}'));
  const bench = createLookupBench(systemClock(), { livemode: true, resolve: resolvesTo('127.0.0.1') });
  const url = `http://erp.example:${portOf(system.url)}`;
  const found = { kind: 'found', fields: { a: 1 } };
  expect(await bench.lookups.ask(merchantAt(url, 'one', ['127.0.0.0/8']), fees, longMs)).toEqual(found);
  // The connection of the first merchant is still open.
  expect(await bench.lookups.ask(merchantAt(url, 'two'), fees, longMs)).toEqual({ kind: 'none' });
  expect(await bench.lookups.ask(merchantAt(url, 'three', ['10.0.0.0/8']), fees, longMs)).toEqual({
    kind: 'none',
  });
  expect(system.questions).toHaveLength(1);
});

test('a name that first resolves to an allowed address and then to a private one is rejected', async () => {
  const system = await startServer((response) =>
    response.writeHead(200, { connection: 'close' }).end('{"a":1}'),
  );
  const resolve = resolvesTo('127.0.0.1', '169.254.169.254');
  const bench = createLookupBench(systemClock(), { livemode: true, resolve });
  const merchant = merchantAt(`http://erp.example:${portOf(system.url)}`, 'one', ['127.0.0.1']);
  expect(await bench.lookups.ask(merchant, fees, longMs)).toMatchObject({ kind: 'found' });
  expect(await bench.lookups.ask(merchant, fees, longMs)).toEqual({ kind: 'none' });
  expect(bench.logged()).toContain('ADDRESS_REJECTED');
});
