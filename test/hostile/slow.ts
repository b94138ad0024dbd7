import { setMaxListeners } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Program, Programs } from './programs.ts';

/** Slow connections to each program at the same time. */
const connections = 100;

const head = 'POST /webhooks/shop HTTP/1.1\r\nhost: x\r\n';

/** Time until a closed connection is replaced. */
const replaceAfterMs = 1_000;

/** Where a slow client stops: within the headers, within the body, or after a request. */
const beginnings = [head, `${head}content-length: 1000\r\n\r\n{`, 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'];

/** Keeps slow connections open, and replaces those that the servers close. Returns how many were closed. */
export async function runSlowConnections(
  { gateway, service }: Programs,
  signal: AbortSignal,
): Promise<number> {
  setMaxListeners(0, signal);
  const each = Array.from({ length: connections }, (_, n) => beginnings[n % beginnings.length] ?? head);
  const closed = await Promise.all(
    [gateway, service].flatMap((program) => each.map((bytes) => keepOpen(program, bytes, signal))),
  );
  return closed.reduce((sum, count) => sum + count, 0);
}

async function keepOpen({ port }: Program, bytes: string, signal: AbortSignal): Promise<number> {
  let closed = 0;
  while (!signal.aborted) {
    await new Promise<void>((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: '127.200.0.1' });
      const end = () => socket.destroy();
      signal.addEventListener('abort', end, { once: true });
      socket.once('connect', () => socket.write(bytes)).resume();
      socket.on('error', () => {});
      socket.once('close', () => {
        signal.removeEventListener('abort', end);
        resolve();
      });
    });
    if (signal.aborted) break;
    closed += 1;
    await setTimeout(replaceAfterMs, undefined, { signal }).catch(() => {});
  }
  return closed;
}
