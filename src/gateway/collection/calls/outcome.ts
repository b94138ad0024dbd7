/**
 * The outcome of a call to the service. Only `ok` and `rejected` are conclusive: after `unknown` (timeout, reset, 5xx,
 * 409, an unreadable answer) and `rate_limited` the call may still have had an effect.
 */
export type CallOutcome<T> =
  | { kind: 'ok'; value: T; ms: number }
  | { kind: 'rejected'; httpStatus: number; code: string; ms: number }
  | { kind: 'unknown'; detail: string; httpStatus?: number; retryAfterMs?: number; ms: number }
  | { kind: 'rate_limited'; httpStatus: number; detail: string; retryAfterMs?: number; ms: number };
