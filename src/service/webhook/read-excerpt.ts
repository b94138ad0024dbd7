import type { Clock } from '../../shared/clock.ts';
import type { WebhookBody } from './webhook-fetch.ts';

/** What the log stores of a response's body, and how long it waits for it. */
const maxBytes = 1024;
const maxMs = 1_000;

/**
 * Reads the beginning of a response's body: what arrives within a second, at most 1 KiB. The rest is not read. Never
 * rejects; `signal` ends the reading.
 */
export async function readExcerpt(
  body: WebhookBody | null,
  clock: Clock,
  signal: AbortSignal,
): Promise<string | null> {
  if (!body) return null;
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  const done = new AbortController();
  // Also resolves when the reading is over: to cancel a stream that has ended changes nothing.
  void clock.sleep(maxMs, AbortSignal.any([signal, done.signal])).then(cancel);
  const chunks: Uint8Array[] = [];
  try {
    for (let size = 0; size < maxBytes; ) {
      const { value } = await reader.read();
      if (!value) break;
      chunks.push(value);
      size += value.byteLength;
    }
  } catch {
    // A body that breaks off is shown as far as it came.
  }
  done.abort();
  // A character that is cut at the end is left out.
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxBytes), { stream: true });
}
