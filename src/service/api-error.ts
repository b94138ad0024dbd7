import type { ApiErrorCode } from '../contract/service/api-errors.ts';

/** One fault of a request. */
export type FieldFault = {
  readonly code: ApiErrorCode;
  /** The field or header that is wrong. */
  readonly param?: string;
  /** A sentence that is appended to the message of the code. */
  readonly detail?: string;
};

/** An expected failure of an operation. */
export type ApiError = FieldFault & {
  readonly kind: 'error';
  /** All faults of the request, this one first, if there are several. */
  readonly faults?: readonly FieldFault[];
  /** The same call may succeed after this time. Such an error is never saved for replay. */
  readonly retryAfterSeconds?: number;
  /** The same call may succeed after the client has corrected the cause. Nothing was changed, and the error is not saved for replay. */
  readonly correctable?: true;
};

/** Creates an API error. Its status and message follow from the code. */
export function apiError(code: ApiErrorCode, more: Omit<ApiError, 'kind' | 'code'> = {}): ApiError {
  return { kind: 'error', code, ...more };
}

/** Returns true when the outcome of an operation is an API error. */
export function isApiError(outcome: unknown): outcome is ApiError {
  return typeof outcome === 'object' && outcome !== null && 'kind' in outcome && outcome.kind === 'error';
}
