import { type Clock, withTimeout } from '../clock.ts';
import { errorMessage } from '../errors.ts';
import { readBounded } from './body.ts';

export type HttpDeps = {
  fetch: typeof fetch;
  clock: Clock;
  /** Default: 64 KiB. */
  maxAnswerBytes?: number;
};

export type Exchange =
  | { ok: true; status: number; contentType: string; body: string }
  | { ok: false; reason: 'unreachable' | 'timeout'; detail: string };

/** Africa's Talking waits 15 s and Hubtel 5 s; this is a limit for a person at a terminal. */
export const answerTimeoutMs = 10_000;

/** Screens are smaller than 1 KiB, and lists of prompts smaller than 64 KiB. */
const defaultMaxAnswerBytes = 64 * 1024;

function describeCause(thrown: unknown): string {
  // The message of undici is "fetch failed"; the cause contains the reason.
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return errorMessage(cause instanceof Error ? cause : thrown);
}

/**
 * Performs one HTTP exchange without following redirects. Any answer with a status is `ok`. A peer that is not reachable,
 * closes the connection, exceeds `maxAnswerBytes`, or does not answer within 10 s is a failure. Never rejects.
 */
export async function exchange(deps: HttpDeps, url: string, init: RequestInit): Promise<Exchange> {
  const maxAnswerBytes = deps.maxAnswerBytes ?? defaultMaxAnswerBytes;
  let expired = false;
  try {
    return await withTimeout(deps.clock, answerTimeoutMs, async (signal) => {
      signal.addEventListener('abort', () => {
        expired = true;
      });
      const response = await deps.fetch(url, { ...init, signal, redirect: 'manual' });
      const bytes = await readBounded(response, maxAnswerBytes);
      if (!bytes) throw new Error(`the answer is larger than ${maxAnswerBytes} bytes`);
      const body = bytes.toString('utf8');
      const contentType = response.headers.get('content-type') ?? '';
      return { ok: true, status: response.status, contentType, body };
    });
  } catch (thrown) {
    return { ok: false, reason: expired ? 'timeout' : 'unreachable', detail: describeCause(thrown) };
  }
}
