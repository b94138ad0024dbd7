import type { Clock } from '../clock.ts';
import { createDeadlines } from '../deadlines.ts';

/** The part of `fetch` that a delivery uses. */
export type WebhookFetch = (
  url: string,
  request: {
    method: 'POST';
    redirect: 'manual';
    headers: Record<string, string>;
    body: string;
    signal: AbortSignal;
  },
) => Promise<{ status: number; body: WebhookBody | null }>;

/** The part of a `ReadableStream` that a delivery uses. */
export type WebhookBody = {
  /** Returns the whole body if it has arrived already. */
  whole?(): Uint8Array | undefined;
  getReader(): {
    read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
    cancel(): Promise<unknown>;
  };
};

/** The part of a response's body that the log stores. */
export const maxExcerptBytes = 1024;

/** How long the log waits for it. */
const maxMs = 1_000;

/** Returns the beginning of a response's body. */
type ReadExcerpt = (body: WebhookBody | null, signal: AbortSignal) => string | null | Promise<string | null>;

/**
 * Creates a function that reads the beginning of a response's body: what arrives within a second, at most 1 KiB. The rest is
 * not read. Never rejects; `signal` ends the reading. A body that has arrived already is returned at once.
 */
export function createExcerptReader(clock: Clock): ReadExcerpt {
  const within = createDeadlines(clock);

  async function read(body: WebhookBody, signal: AbortSignal): Promise<string> {
    const reader = body.getReader();
    const cancel = () => void reader.cancel().catch(() => undefined);
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel, { once: true });
    const chunks: Uint8Array[] = [];
    try {
      await within(maxMs, async () => {
        for (let size = 0; size < maxExcerptBytes; ) {
          const { value } = await reader.read();
          if (!value) break;
          chunks.push(value);
          size += value.byteLength;
        }
      });
    } catch {
      // A body that breaks off, or is late, is shown as far as it came.
    }
    signal.removeEventListener('abort', cancel);
    cancel();
    return decode(Buffer.concat(chunks));
  }

  return (body, signal) => {
    if (!body) return null;
    const whole = body.whole?.();
    return whole ? decode(whole) : read(body, signal);
  };
}

/** A character that is cut at the end is left out. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, maxExcerptBytes), { stream: true });
}
