import { type ApiErrorCode, apiErrors } from '../../contract/service/api-errors.ts';
import { type Failure, type FullResponse, failureResponse, jsonHeaders } from '../../kit/failure.ts';
import type { ApiError, Fault } from '../api-error.ts';

/** A response with its final bytes, so that a replay is identical byte for byte. */
export type ApiResponse = { kind: 'response'; status: number; body: string };

/** Returns a response with the value as JSON. */
export function jsonResponse(status: number, value: unknown): ApiResponse {
  return { kind: 'response', status, body: JSON.stringify(value) };
}

/** Returns the response that reports an API error. */
export function errorResponse(error: ApiError, requestId: string): ApiResponse {
  const { status, body } = reportError(error, requestId);
  return { kind: 'response', status, body };
}

function reportError(error: ApiError, requestId: string): FullResponse {
  const { faults, retryAfterSeconds } = error;
  const failure = { ...describeFault(error), faults: faults?.map(describeFault), retryAfterSeconds };
  return failureResponse({ statuses: apiErrors, challenge: 'Bearer' }, failure, requestId);
}

function describeFault({ code, param, detail }: Fault): Failure<ApiErrorCode> {
  const { message } = apiErrors[code];
  return { code, message: detail === undefined ? message : `${message} ${detail}`, param };
}

/** Returns the whole response to an operation: its result, or the error with the headers that its status needs. */
export function fullResponse(
  outcome: (ApiResponse & { replayed?: boolean }) | ApiError,
  requestId: string,
): FullResponse {
  if (outcome.kind === 'error') return reportError(outcome, requestId);
  const { status, body, replayed } = outcome;
  return {
    status,
    body,
    headers: replayed ? { ...jsonHeaders, 'idempotent-replayed': 'true' } : jsonHeaders,
  };
}

/** Returns the fetch API's response of an API error, with the headers that its status needs. */
export function toErrorResponse(error: ApiError, requestId: string): Response {
  const { status, headers, body } = reportError(error, requestId);
  return new Response(body, { status, headers });
}
