import { connect } from 'node:net';
import { expect, type TestContext, test } from 'vitest';
import { systemClock } from '../../src/shared/clock.ts';
import { serve } from '../kit/local-server.ts';

/*
 * The time limits of a connection, in real time: Node checks them on timers of its own, which no test can advance. A
 * connection of a client that never acts is closed after the limit.
 */

const limits = { timeout: 60_000 };

const head = 'POST / HTTP/1.1\r\nhost: x\r\n';

/** Node checks its limits each second; the rest allows for a slow machine. */
const slackMs = 4_000;

const clock = systemClock();

/** Sends bytes and nothing more. Resolves with the reply, and the time until the server closed the connection. */
async function untilClosed({ onTestFinished }: TestContext, bytes: string) {
  const server = await serve(
    { fetch: async (request) => new Response(await request.text()) },
    onTestFinished,
  );
  const startedAt = clock.now();
  return new Promise<{ reply: string; afterMs: number }>((resolve, reject) => {
    let reply = '';
    const socket = connect(server.port, '127.0.0.1', () => socket.write(bytes));
    onTestFinished(() => void socket.destroy());
    socket.setTimeout(30_000, () => reject(new Error('the server did not close the connection')));
    socket.on('data', (chunk) => {
      reply += chunk;
    });
    socket.on('error', () => {});
    socket.once('close', () => resolve({ reply, afterMs: clock.now() - startedAt }));
  });
}

const cases = [
  { when: 'the headers are not complete', sent: head, limitMs: 5_000, reply: /^HTTP\/1\.1 408 / },
  { when: 'no byte is sent', sent: '', limitMs: 5_000, reply: /^(?:HTTP\/1\.1 408 |$)/ },
  {
    when: 'the body is not complete',
    sent: `${head}content-length: 9\r\n\r\n{`,
    limitMs: 10_000,
    reply: /^HTTP\/1\.1 408 /,
  },
  { when: 'no further request follows', sent: `${head}\r\n`, limitMs: 15_000, reply: /^HTTP\/1\.1 200 / },
];

for (const { when, sent, limitMs, reply } of cases) {
  test.concurrent(`a connection is closed when ${when}`, limits, async (context) => {
    const closed = await untilClosed(context, sent);
    expect(closed.reply).toMatch(reply);
    expect(closed.afterMs).toBeGreaterThanOrEqual(limitMs - 500);
    expect(closed.afterMs).toBeLessThan(limitMs + slackMs);
  });
}

test.concurrent('a connection is closed when the reply is not read', limits, async ({ onTestFinished }) => {
  const replyBytes = 64 * 2 ** 20;
  const server = await serve({ fetch: () => new Response(new Uint8Array(replyBytes)) }, onTestFinished);
  const socket = connect(server.port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'));
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await clock.sleep(2 * 12_000 + slackMs);
  let received = 0;
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length;
  });
  await new Promise((resolve) => socket.once('close', resolve));
  expect(received).toBeLessThan(replyBytes);
});
