import type { ZodType } from 'zod';
import { errorBody } from '../../../contract/error.ts';
import { initiatedSession, offlineSession, sessionStatusResult } from '../../../contract/session.ts';
import { type Clock, withTimeout } from '../../../shared/clock.ts';
import { codeOf, messageOf } from '../../../shared/errors.ts';
import type { Outcome } from './outcome.ts';
import type { Provider } from './provider.ts';

/** The part of a `Response` that the client reads; undici's and Node's both fit. */
export type Answer = {
  ok: boolean;
  status: number;
  headers: { get(name: string): string | null };
  body: AsyncIterable<Uint8Array> | null;
};

/** The part of `fetch` that the client uses. */
export type Fetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: string;
    redirect: 'error';
    signal: AbortSignal;
  },
) => Promise<Answer>;

export type ClientOptions = { url: string; fetch: Fetch; clock: Clock; callTimeoutMs: number };

/** An answer larger than this is no answer of this interface. */
const maxAnswerBytes = 64 * 1024;

type Call = {
  method: 'GET' | 'POST';
  path: string;
  key: string;
  idempotencyKey?: string;
  body?: string;
  /** The session that was asked about: an answer about another one proves nothing. */
  sessionId?: string;
};

/**
 * The HTTP client of the service. Sends the bytes it is given, follows no redirect, and reads every answer as one
 * of four outcomes; it never throws and never retries. Retrying is the worker's business, with the stored bytes.
 */
export function createClient(options: ClientOptions): Provider {
  const base = options.url.replace(/\/+$/, '');

  async function call<T extends { id: string }>(schema: ZodType<T>, request: Call): Promise<Outcome<T>> {
    const startedAt = options.clock.now();
    const elapsed = () => Math.max(0, options.clock.now() - startedAt);
    try {
      return await withTimeout(options.clock, options.callTimeoutMs, async (signal) => {
        const answer = await options.fetch(base + request.path, {
          method: request.method,
          headers: headersOf(request),
          ...(request.body === undefined ? {} : { body: request.body }),
          redirect: 'error',
          signal,
        });
        const text = await readBounded(answer);
        return { ...readOutcome(schema, request, answer, text), ms: elapsed() };
      });
    } catch (fault) {
      return { kind: 'unknown', detail: networkDetail(fault), ms: elapsed() };
    }
  }

  const sessionPath = (id: string) => `/v1/payments/sessions/${encodeURIComponent(id)}`;
  return {
    create: (key, { idempotencyKey, body }) =>
      call(offlineSession, { method: 'POST', path: '/v1/payments/sessions', key, idempotencyKey, body }),
    initiate: (key, { sessionId, idempotencyKey }) =>
      call(initiatedSession, {
        method: 'POST',
        path: `${sessionPath(sessionId)}/initiate`,
        key,
        idempotencyKey,
        body: '{}',
        sessionId,
      }),
    status: (key, { sessionId }) =>
      call(sessionStatusResult, { method: 'GET', path: `${sessionPath(sessionId)}/status`, key, sessionId }),
  };
}

function headersOf({ key, idempotencyKey, body }: Call): Record<string, string> {
  return {
    authorization: `Bearer ${key}`,
    accept: 'application/json',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  };
}

/** What the call proves, without its duration. */
type Proof<T> = Outcome<T> extends infer O ? (O extends { ms: number } ? Omit<O, 'ms'> : never) : never;

function readOutcome<T extends { id: string }>(
  schema: ZodType<T>,
  { sessionId }: Call,
  answer: Answer,
  text: string,
): Proof<T> {
  const httpStatus = answer.status;
  const json = parseJson(text);
  if (answer.ok) {
    const parsed = schema.safeParse(json);
    const other = parsed.success && sessionId !== undefined && parsed.data.id !== sessionId;
    if (parsed.success && !other) return { kind: 'ok', value: parsed.data };
    return { kind: 'unknown', detail: 'unreadable_answer', httpStatus };
  }
  const refusal = errorBody.safeParse(json);
  // The code is kept and logged: only a code's own letters, never a sentence with a number in it.
  const said = refusal.success ? refusal.data.error.code : '';
  const code = /^[a-z0-9_.-]{1,64}$/i.test(said) && !/\d{6}/.test(said) ? said : `http_${httpStatus}`;
  const retryAfterMs = readRetryAfter(answer.headers.get('retry-after'));
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (httpStatus === 429) return { kind: 'throttled', httpStatus, detail: code, ...wait };
  // Only a 4xx in the service's own words is a refusal; a proxy's error page proves nothing. 408, 409 and 425
  // say that the call may be under way.
  const definite = httpStatus >= 400 && httpStatus < 500 && ![408, 409, 425].includes(httpStatus);
  if (definite && refusal.success) return { kind: 'rejected', httpStatus, code };
  if (httpStatus === 409 && code === 'idempotency_key_reused') return { kind: 'rejected', httpStatus, code };
  return { kind: 'unknown', detail: code, httpStatus, ...wait };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Seconds only; the date form of the header is ignored, because two clocks would have to agree. */
function readRetryAfter(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header.trim()) ? Number(header) * 1000 : undefined;
}

async function readBounded(answer: Answer): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.byteLength;
    if (size > maxAnswerBytes) throw new Error('answer too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A word for the timeline: the network's own code where there is one, never a URL or a header. */
function networkDetail(fault: unknown): string {
  return codeOf(fault) ?? (/no answer within|aborted/i.test(messageOf(fault)) ? 'timeout' : 'network_error');
}
