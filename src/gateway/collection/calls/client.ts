import type { ZodType } from 'zod';
import { documentedErrors } from '../../../contract/service/end-reason.ts';
import {
  tolerantInitiatedSession,
  tolerantOfflineSession,
  tolerantSessionStatus,
} from '../../../contract/service/reading.ts';
import type { Clock } from '../../../shared/clock.ts';
import { createDeadlines } from '../../../shared/deadlines.ts';
import { errorCode, errorMessage } from '../../../shared/errors.ts';
import { readBounded } from '../../../shared/http/body.ts';
import { tryParseJson } from '../../../shared/json.ts';
import type { CallOutcome, Provider } from './provider.ts';
import type { OnServiceExchange, ServiceExchange } from './service-exchange.ts';

/** The part of a `Response` that the client reads. Both undici's and Node's responses fit. */
export type ServiceAnswer = {
  ok: boolean;
  status: number;
  headers: { get(name: string): string | null };
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null;
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
) => Promise<ServiceAnswer>;

type ClientOptions = {
  url: string;
  fetch: Fetch;
  clock: Clock;
  callTimeoutMs: number;
  /** JSON pointer to the code in the service's error bodies. */
  errorCodePointer?: string;
  onExchange?: OnServiceExchange | undefined;
};

/** A larger answer is rejected: no answer of this interface is that large. */
export const maxAnswerBytes = 64 * 1024;

type Call = {
  method: 'GET' | 'POST';
  path: string;
  key: string;
  idempotencyKey?: string;
  body?: string;
  /** The session of the call. An answer about another session is unreadable. */
  sessionId?: string;
};

/**
 * Creates the HTTP client of the service. It sends the given bytes, follows no redirect, and maps every answer to one of
 * four outcomes. It never throws and never retries: the worker retries with the stored bytes.
 */
export function createServiceClient(options: ClientOptions): Provider {
  const base = options.url.replace(/\/+$/, '');
  const { errorCodePointer = defaultErrorCodePointer } = options;
  const within = createDeadlines(options.clock);

  async function call<T extends { id: string }>(schema: ZodType<T>, request: Call): Promise<CallOutcome<T>> {
    const startedAt = options.clock.now();
    const elapsed = () => Math.max(0, options.clock.now() - startedAt);
    const report = (answer: ServiceExchange['answer']) =>
      options.onExchange?.(toExchange(request, { at: startedAt, ms: elapsed(), answer }));
    try {
      return await within(options.callTimeoutMs, async ({ signal }) => {
        const answer = await options.fetch(base + request.path, {
          method: request.method,
          headers: toHeaders(request),
          ...(request.body === undefined ? {} : { body: request.body }),
          redirect: 'error',
          signal,
        });
        const bytes = await readBounded(answer, maxAnswerBytes);
        if (!bytes) throw new Error(`the answer is larger than ${maxAnswerBytes} bytes`);
        const text = bytes.toString('utf8');
        const outcome = answer.ok
          ? readSuccess(schema, request, answer, text)
          : readFailure(answer, text, errorCodePointer);
        report({ status: answer.status, body: text });
        return { ...outcome, ms: elapsed() };
      });
    } catch (fault) {
      const detail = networkDetail(fault);
      report({ fault: detail });
      return { kind: 'unknown', detail, ms: elapsed() };
    }
  }

  const sessionPath = (id: string) => `/v1/payments/sessions/${encodeURIComponent(id)}`;
  return {
    create: (key, { idempotencyKey, body }) =>
      call(tolerantOfflineSession, {
        method: 'POST',
        path: '/v1/payments/sessions',
        key,
        idempotencyKey,
        body,
      }),
    initiate: (key, { sessionId, idempotencyKey }) =>
      call(tolerantInitiatedSession, {
        method: 'POST',
        path: `${sessionPath(sessionId)}/initiate`,
        key,
        idempotencyKey,
        body: '{}',
        sessionId,
      }),
    status: (key, { sessionId }) =>
      call(tolerantSessionStatus, {
        method: 'GET',
        path: `${sessionPath(sessionId)}/status`,
        key,
        sessionId,
      }),
  };
}

function toExchange(
  { method, path, idempotencyKey, body = '' }: Call,
  result: Pick<ServiceExchange, 'at' | 'ms' | 'answer'>,
): ServiceExchange {
  const headers = idempotencyKey === undefined ? [] : [`idempotency-key: ${idempotencyKey}`];
  return { direction: 'sent', method, path, headers, body, ...result };
}

function toHeaders({ key, idempotencyKey, body }: Call): Record<string, string> {
  return {
    authorization: `Bearer ${key}`,
    accept: 'application/json',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  };
}

/** An outcome without its duration. */
type Untimed<T> = CallOutcome<T> extends infer O ? (O extends { ms: number } ? Omit<O, 'ms'> : never) : never;

function readSuccess<T extends { id: string }>(
  schema: ZodType<T>,
  { sessionId }: Call,
  { status: httpStatus }: ServiceAnswer,
  text: string,
): Untimed<T> {
  const parsed = schema.safeParse(tryParseJson(text));
  const isOther = parsed.success && sessionId !== undefined && parsed.data.id !== sessionId;
  if (parsed.success && !isOther) return { kind: 'ok', value: parsed.data };
  return { kind: 'unknown', detail: 'unreadable_answer', httpStatus };
}

function readFailure(answer: ServiceAnswer, text: string, pointer: string): Untimed<never> {
  const httpStatus = answer.status;
  const errorCode = readErrorCode(tryParseJson(text), httpStatus, pointer);
  const code = (errorCode !== undefined && loggableCode(errorCode)) || `http_${httpStatus}`;
  const retryAfterMs = readRetryAfter(answer.headers.get('retry-after'));
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (httpStatus === 429) return { kind: 'rate_limited', httpStatus, detail: code, ...wait };
  // A 4xx is a rejection only with the service's error body: a proxy's error page proves nothing. 408, 409 and 425
  // leave open whether the call has an effect.
  const isDefinite = httpStatus >= 400 && httpStatus < 500 && ![408, 409, 425].includes(httpStatus);
  if (isDefinite && errorCode !== undefined) return { kind: 'rejected', httpStatus, code };
  if (httpStatus === 409 && code === 'idempotency_key_reused') return { kind: 'rejected', httpStatus, code };
  return { kind: 'unknown', detail: code, httpStatus, ...wait };
}

/** Codes are stored and logged, so text that is no code, or that could contain a phone number, is dropped. */
function loggableCode(code: string): string | undefined {
  return /^[a-z0-9_.-]{1,64}$/i.test(code) && !/\d{6}/.test(code) ? code : undefined;
}

/** Reads seconds only. The date form of the header is ignored, because it requires synchronised clocks. */
function readRetryAfter(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header.trim()) ? Number(header) * 1000 : undefined;
}

/** Returns a code for the timeline: the network's own code where there is one, never a URL or a header. */
function networkDetail(fault: unknown): string {
  return (
    errorCode(fault) ?? (/no answer within|aborted/i.test(errorMessage(fault)) ? 'timeout' : 'network_error')
  );
}

/** Where the code is when the configuration names no other place. */
export const defaultErrorCodePointer = '/error/code';

/** The documented codes with their HTTP status. */
const documented: readonly (readonly [code: string, httpStatus: number])[] = Object.entries(documentedErrors);

/** A longer text is not a code. */
const maxCodeLength = 64;

/**
 * Places in which services commonly put an error code. The interface describes no error body, so only a documented code
 * with its HTTP status counts there: the body of a proxy proves nothing.
 */
const commonPointers = [
  '/error/code',
  '/error/error_code',
  '/error/type',
  '/error',
  '/code',
  '/error_code',
  '/errorCode',
  '/errors/0/code',
  '/errors/0',
  // Problem details (RFC 9457): a URI or a title.
  '/type',
  '/title',
] as const;

/**
 * Reads the service's error code from the JSON body of an error response.
 *
 * @param pointer the JSON pointer (RFC 6901) of the configuration: any code counts there.
 * @returns `undefined` when the body is not recognised as the service's.
 */
function readErrorCode(body: unknown, httpStatus: number, pointer: string): string | undefined {
  const code = valueAt(body, pointer);
  if (typeof code === 'string' && code !== '' && code.length <= maxCodeLength) return code;
  for (const common of commonPointers) {
    const value = valueAt(body, common);
    const found = typeof value === 'string' ? documentedCode(value, httpStatus) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the documented code that a text, a title or the end of a URI names, if it belongs to the HTTP status. */
function documentedCode(text: string, httpStatus: number): string | undefined {
  const name = text
    .slice(-2 * maxCodeLength)
    .replace(/^.*[/#:]/s, '')
    .trim()
    .toLowerCase()
    .replace(/[ -]/g, '_');
  return documented.find(([code, status]) => code === name && status === httpStatus)?.[0];
}

/** Returns the value at a JSON pointer; `undefined` when there is none. */
function valueAt(body: unknown, pointer: string): unknown {
  let value = body;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
