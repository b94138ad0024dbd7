import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { Clock } from '../clock.ts';

/** Below the time after which the server closes a connection without a byte. */
const keepAliveMs = 5_000;

export type VersionStream = {
  clock: Pick<Clock, 'now' | 'sleep'>;
  /** Aborts when the server stops. */
  closing: AbortSignal;
  readEveryMs: number;
  /** Returns the present version; `undefined` when there is nothing to follow any more. */
  read(): Promise<string | undefined>;
  /** Called once, when the stream has ended. */
  onEnd(): void;
};

/** Streams the versions of what a page shows: `change` at first and after each change, `same` in between, and `ended` at the end. */
export function streamVersions(
  c: Context,
  { clock, closing, readEveryMs, read, onEnd }: VersionStream,
): Response {
  const response = streamSSE(c, async (stream) => {
    const left = new AbortController();
    stream.onAbort(() => left.abort());
    const signal = AbortSignal.any([left.signal, closing]);
    let written: { version: string; at: number } | undefined;
    try {
      while (!signal.aborted) {
        const version = await read();
        if (version === undefined) return await stream.writeSSE({ event: 'ended', data: '' });
        const isOld = written !== undefined && clock.now() - written.at >= keepAliveMs;
        if (version !== written?.version || isOld) {
          await stream.writeSSE({ event: version === written?.version ? 'same' : 'change', data: version });
          written = { version, at: clock.now() };
        }
        await clock.sleep(readEveryMs, signal);
      }
    } finally {
      onEnd();
    }
  });
  // Otherwise a stopping server waits for the connection after its stream has ended.
  response.headers.set('connection', 'close');
  return response;
}
