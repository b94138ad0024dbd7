import type {
  InitiatedSession,
  OfflineSession,
  SessionStatusResult,
} from '../../../contract/service/reading.ts';

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
  ): Promise<CallOutcome<InitiatedSession>>;
  /** Reads the status of a session. */
  status(key: string, call: { sessionId: string }): Promise<CallOutcome<SessionStatusResult>>;
}
