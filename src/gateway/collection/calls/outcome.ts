/**
 * What a call to the service proves. Only `ok` and `rejected` prove anything; `unknown` (time-out, reset, 5xx, 409,
 * an unreadable answer) and `throttled` never mean that the call had no effect.
 */
export type Outcome<T> =
  | { kind: 'ok'; value: T; ms: number }
  | { kind: 'rejected'; httpStatus: number; code: string; ms: number }
  | { kind: 'unknown'; detail: string; httpStatus?: number; retryAfterMs?: number; ms: number }
  | { kind: 'throttled'; httpStatus: number; detail: string; retryAfterMs?: number; ms: number };
