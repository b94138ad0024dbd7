import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { Clock } from '../shared/clock.ts';
import type { PhoneSet } from './phone-sets.ts';

export type EventStreamDeps = {
  clock: Clock;
  /** Aborts when the server stops. */
  closing: AbortSignal;
  /** Returns the phones; `undefined` after they were removed. */
  find(): PhoneSet | undefined;
};

/** Time between two reads of prompts and payments. */
const readEveryMs = 700;

/** Below the time after which the server closes a connection without a byte. */
const keepAliveMs = 5_000;

/**
 * Streams the versions of the phones to a browser: `change` with the present version at first and after each change, and `ended`
 * when the phones were removed.
 */
export function streamEvents(c: Context, deps: EventStreamDeps, end: () => void): Response {
  const response = streamSSE(c, async (stream) => {
    const left = new AbortController();
    stream.onAbort(() => left.abort());
    const signal = AbortSignal.any([left.signal, deps.closing]);
    try {
      await writeEvents(deps, signal, (event, data) => stream.writeSSE({ event, data }));
    } finally {
      end();
    }
  });
  // Otherwise a stopping server waits for the connection after its stream has ended.
  response.headers.set('connection', 'close');
  return response;
}

async function writeEvents(
  { clock, find }: EventStreamDeps,
  signal: AbortSignal,
  write: (event: string, data: string) => Promise<void>,
): Promise<void> {
  let written: { version: string; at: number } | undefined;
  while (!signal.aborted) {
    const set = find();
    if (!set) return write('ended', '');
    await set.refresh();
    const version = set.version();
    const isOld = written !== undefined && clock.now() - written.at >= keepAliveMs;
    if (version !== written?.version || isOld) {
      await write(version === written?.version ? 'same' : 'change', version);
      written = { version, at: clock.now() };
    }
    await clock.sleep(readEveryMs, signal);
  }
}
