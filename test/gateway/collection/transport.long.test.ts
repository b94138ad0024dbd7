import { createServer as createTcpServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createServiceClient } from '../../../src/gateway/collection/calls/client.ts';
import { createTransport } from '../../../src/gateway/collection/calls/transport.ts';
import { createLookupTransport } from '../../../src/gateway/lookup/call-url.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { errorCode } from '../../../src/shared/errors.ts';
import { listenLocally, startServer } from '../../kit/local-server.ts';

/** Longer than any timeout below; reached only without one. */
const longMs = 60_000;

/** Starts a server that accepts connections and never sends a byte, not even of a TLS handshake. */
async function startSilent(): Promise<number> {
  const server = createTcpServer((socket) => socket.on('error', () => {}).resume());
  return (await listenLocally(server)).port;
}

/** Starts a server that begins its response and never ends it. */
async function startStalled(): Promise<string> {
  return (await startServer((response) => response.writeHead(200).write('{'))).url;
}

function openTransport(timeouts: { connectTimeoutMs?: number; callTimeoutMs?: number }) {
  const transport = createTransport({
    connectTimeoutMs: longMs,
    callTimeoutMs: longMs,
    callsInFlight: 4,
    ...timeouts,
  });
  onTestFinished(() => transport.close());
  return transport.fetch;
}

function openLookupTransport() {
  const transport = createLookupTransport({ livemode: false });
  onTestFinished(() => transport.close());
  return transport.fetch;
}

type Body = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
type AnyFetch = (url: string, init: never) => Promise<{ body: Body | null }>;

/** Sends a request and returns the code of the error with which it or its body ends. */
async function failureOf(fetch: AnyFetch, url: string): Promise<string | undefined> {
  const init = { method: 'POST', headers: {}, body: '{}', redirect: 'manual', allowNetworks: [] };
  try {
    const { body } = await fetch(url, { ...init, signal: new AbortController().signal } as never);
    for await (const _ of body ?? []);
    return 'none';
  } catch (fault) {
    return errorCode(fault);
  }
}

describe('a call to the service', () => {
  test('ends when the connection is not established in time', async () => {
    const fetch = openTransport({ connectTimeoutMs: 100 });
    expect(await failureOf(fetch, `https://127.0.0.1:${await startSilent()}`)).toBe(
      'UND_ERR_CONNECT_TIMEOUT',
    );
  });

  test('ends when no response begins in time', async () => {
    const fetch = openTransport({ callTimeoutMs: 100 });
    expect(await failureOf(fetch, `http://127.0.0.1:${await startSilent()}`)).toBe('UND_ERR_HEADERS_TIMEOUT');
  });

  test('ends when the response does not continue in time', async () => {
    const fetch = openTransport({ callTimeoutMs: 100 });
    expect(await failureOf(fetch, await startStalled())).toBe('UND_ERR_BODY_TIMEOUT');
  });

  test.each([301, 302, 303, 307, 308])(
    'does not follow a redirect (%i), which proves nothing',
    async (status) => {
      const other = await startServer((response) => response.end('{}'));
      const system = await startServer((response) =>
        response.writeHead(status, { location: `${other.url}/v1/payments/sessions` }).end(),
      );
      const client = createServiceClient({
        url: system.url,
        fetch: openTransport({}),
        clock: systemClock(),
        callTimeoutMs: longMs,
      });
      const key = 'sk_test_0123456789';
      const ids = { sessionId: 'pay_1', idempotencyKey: 'key-1' };
      const outcomes = [
        await client.create(key, { idempotencyKey: 'key-1', body: '{}' }),
        await client.initiate(key, ids),
        await client.status(key, ids),
      ];
      expect(outcomes.map(({ kind }) => kind)).toEqual(['unknown', 'unknown', 'unknown']);
      expect(system.questions).toHaveLength(3);
      expect(other.questions).toEqual([]);
    },
  );
});

describe.concurrent('a lookup', () => {
  test('ends when the connection is not established in time', async () => {
    const fetch = openLookupTransport();
    expect(await failureOf(fetch, `https://127.0.0.1:${await startSilent()}`)).toBe(
      'UND_ERR_CONNECT_TIMEOUT',
    );
  });

  test('ends when no response begins in time', async () => {
    const fetch = openLookupTransport();
    expect(await failureOf(fetch, `http://127.0.0.1:${await startSilent()}`)).toBe('UND_ERR_HEADERS_TIMEOUT');
  });

  test('ends when the response does not continue in time', async () => {
    const fetch = openLookupTransport();
    expect(await failureOf(fetch, await startStalled())).toBe('UND_ERR_BODY_TIMEOUT');
  });
});
