import type { LookupRequest } from '../../menu/state/state.ts';
import { type Clock, withTimeout } from '../../shared/clock.ts';
import { codeOf } from '../../shared/errors.ts';
import { isFields, type LookupResult } from './result.ts';

/** The part of a `Response` that is read; undici's and Node's both fit. */
export type Answer = { status: number; body: AsyncIterable<Uint8Array> | null };

/** The part of `fetch` that is used. Redirects are not followed: they are answers like any other. */
export type LookupFetch = (
  url: string,
  init: {
    method: 'POST';
    headers: Record<string, string>;
    body: string;
    redirect: 'manual';
    signal: AbortSignal;
  },
) => Promise<Answer>;

/** What screens can show is far less than this. */
const maxAnswerBytes = 16 * 1024;

/** How long the rest of an answer that says enough by its status may still take. */
const maxRestMs = 1_000;

/** The network's words for waiting too long by its own time-outs. */
const tooLong = /TIMEOUT|TIMEDOUT/;

/** The body of a question, as it is sent and signed. */
export function bodyOf({ amountMinor, ...asked }: LookupRequest): string {
  return JSON.stringify({ ...asked, amount_minor: amountMinor });
}

/** Asks a merchant's system over HTTP, once. Never throws; `signal` says when nobody waits any more. */
export async function callUrl(
  { fetch, networkClock }: { fetch: LookupFetch; networkClock: Clock },
  address: URL,
  { body, signature }: { body: string; signature: Record<string, string> },
  signal: AbortSignal,
): Promise<LookupResult> {
  const cut = new AbortController();
  try {
    const answer = await fetch(address.href, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        // Packed, a small answer could hide a large one.
        'accept-encoding': 'identity',
        'user-agent': 'dialtill',
        ...signature,
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, cut.signal]),
    });
    if (answer.status === 200) return readFields(await readBounded(answer));
    // Nobody waits for it.
    readRest(networkClock, answer, cut);
    if (answer.status === 404) return { outcome: 'not_found' };
    return { outcome: 'bad_answer', detail: `http_${answer.status}` };
  } catch (fault) {
    const code = codeOf(fault) ?? 'network_error';
    return signal.aborted || tooLong.test(code)
      ? { outcome: 'timeout', detail: code }
      : { outcome: 'refused', detail: code };
  }
}

/**
 * Reads an answer to its end, so that its connection serves the next question. A system that sends it slowly, or much of
 * it, keeps no connection of ours. Never rejects.
 */
async function readRest(networkClock: Clock, answer: Answer, cut: AbortController): Promise<void> {
  const whole = await withTimeout(networkClock, maxRestMs, () => readBounded(answer)).catch(() => {});
  if (!whole) cut.abort('unread');
}

/** Whatever its content type says: many systems leave it at their default. */
function readFields(bytes: Uint8Array | undefined): LookupResult {
  if (!bytes) return { outcome: 'bad_answer', detail: 'too_large' };
  try {
    const fields: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isFields(fields) ? { outcome: 'found', fields } : { outcome: 'bad_answer', detail: 'no_object' };
  } catch {
    return { outcome: 'bad_answer', detail: 'not_json' };
  }
}

/** The whole body; `undefined`, and the rest is not taken, once it is larger than an answer can be. */
async function readBounded({ body }: Answer): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxAnswerBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
