import type {
  OfflineSession,
  SessionStatusResult,
  TolerantInitiatedSession,
} from '../../../contract/service/reading.ts';
import { annotate, traced } from '../../../shared/tracing.ts';
import type { CallName } from '../fact.ts';

/**
 * The outcome of a call to the service. Only `ok` and `rejected` are conclusive: after `unknown` (timeout, reset, 5xx,
 * 409, an unreadable answer) and `rate_limited` the call may still have had an effect.
 */
export type CallOutcome<T> =
  | { kind: 'ok'; value: T; ms: number }
  | { kind: 'rejected'; httpStatus: number; code: string; ms: number }
  | { kind: 'unknown'; detail: string; httpStatus?: number; retryAfterMs?: number; ms: number }
  | { kind: 'rate_limited'; httpStatus: number; detail: string; retryAfterMs?: number; ms: number };

/** The three offline calls of the Payment Collection Service. `key` is the merchant's secret key. */
export interface Provider {
  /** Sends the stored bytes of a create call under its idempotency key. It sends no prompt. */
  create(key: string, call: { idempotencyKey: string; body: string }): Promise<CallOutcome<OfflineSession>>;
  /** Requests the prompt: the only call that moves money. */
  initiate(
    key: string,
    call: { sessionId: string; idempotencyKey: string },
  ): Promise<CallOutcome<TolerantInitiatedSession>>;
  /** Reads the status of a session. */
  status(key: string, call: { sessionId: string }): Promise<CallOutcome<SessionStatusResult>>;
}

/** The name of the span and the route of each call. */
const spans = {
  create: ['call create', '/payments/sessions'],
  initiate: ['call initiate', '/payments/sessions/:id/initiate'],
  status: ['poll', '/payments/sessions/:id/status'],
} as const satisfies Record<CallName, readonly [string, string]>;

/** Returns a provider that reports the outcome of each call, and the key that it was made with. */
export function observeProvider(
  provider: Provider,
  onOutcome: (key: string, call: CallName, outcome: CallOutcome<unknown>) => void,
): Provider {
  function observed<T>(key: string, call: CallName, send: () => Promise<CallOutcome<T>>) {
    const [name, route] = spans[call];
    return traced(name, { attributes: { 'url.template': route }, kind: 'client' }, async () => {
      const outcome = await send();
      annotate({ 'dialtill.outcome': outcome.kind });
      onOutcome(key, call, outcome);
      return outcome;
    });
  }
  return {
    create: (key, call) => observed(key, 'create', () => provider.create(key, call)),
    initiate: (key, call) => observed(key, 'initiate', () => provider.initiate(key, call)),
    status: (key, call) => observed(key, 'status', () => provider.status(key, call)),
  };
}
