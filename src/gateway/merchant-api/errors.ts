import type { ErrorTable } from '../../kit/failure.ts';

/** Each error code of the merchant API: its status, its meaning, and after how many seconds to call again. */
export const merchantErrors = {
  invalid_request: { status: 400, message: 'The request is not valid. The message names the field.' },
  idempotency_key_required: { status: 400, message: 'This call needs the header `Idempotency-Key`.' },
  invalid_api_key: { status: 401, message: 'The key is missing, wrong or revoked.' },
  scope_required: { status: 403, message: 'The key does not have the scope.' },
  not_found: { status: 404, message: 'The merchant has no such object.' },
  conflict: { status: 409, message: 'The state of the object does not allow it.' },
  in_progress: {
    status: 409,
    message: 'The same request is being carried out, or was interrupted. Read whether it was done.',
  },
  body_too_large: { status: 413, message: 'The body is too long.' },
  idempotency_key_reused: {
    status: 422,
    message: 'The `Idempotency-Key` belongs to another request. Choose a new one.',
  },
  too_many_requests: { status: 429, message: 'Too many requests.', retryAfterSeconds: 1 },
  too_many_actions: {
    status: 429,
    message: 'The key has changed as much as one key can in 24 hours. Continue tomorrow.',
  },
  too_early: {
    status: 429,
    message: 'The payment service was just asked. The message says when to check again.',
    retryAfterSeconds: 10,
  },
  busy: {
    status: 503,
    message: 'Too many reads of all merchants and people wait, or the gateway is restarting.',
    retryAfterSeconds: 5,
  },
  too_slow: { status: 504, message: 'The read took too long. A smaller one succeeds.' },
} as const satisfies ErrorTable;

export type MerchantErrorCode = keyof typeof merchantErrors;
