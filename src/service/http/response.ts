import type { ErrorBody } from '../../contract/error.ts';
import { type ApiError, apiErrors, type Fault } from '../api-error.ts';

/** A response with its final bytes, so that a replay is identical byte for byte. */
export type ApiResponse = { kind: 'response'; status: number; body: string };

/** Returns a response with the value as JSON. */
export function jsonResponse(status: number, value: unknown): ApiResponse {
  return { kind: 'response', status, body: JSON.stringify(value) };
}

/** Returns the response that reports an API error. */
export function errorResponse(error: ApiError, requestId: string): ApiResponse {
  const body: ErrorBody = {
    error: {
      ...faultView(error),
      ...(error.faults === undefined ? {} : { faults: error.faults.map(faultView) }),
    },
    request_id: requestId,
  };
  return jsonResponse(apiErrors[error.code].status, body);
}

function faultView({ code, param, detail }: Fault): Omit<ErrorBody['error'], 'faults'> {
  const { message } = apiErrors[code];
  return {
    code,
    message: detail === undefined ? message : `${message} ${detail}`,
    ...(param === undefined ? {} : { param }),
  };
}

/** Headers besides those of every response. */
export type Headers = Readonly<Record<string, string>>;

/** A response of an operation with its headers. */
export type FullResponse = { status: number; headers: Headers; body: string };

/** Returns the whole response to an operation: its result, or the error with the headers that its status needs. */
export function fullResponse(
  outcome: (ApiResponse & { replayed?: boolean }) | ApiError,
  requestId: string,
): FullResponse {
  if (outcome.kind === 'response') {
    const { status, body, replayed } = outcome;
    return { status, body, headers: replayed ? { ...json, 'idempotent-replayed': 'true' } : json };
  }
  const { status, body } = errorResponse(outcome, requestId);
  const headers = {
    ...json,
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(outcome.retryAfterSeconds === undefined ? {} : { 'retry-after': String(outcome.retryAfterSeconds) }),
  };
  return { status, headers, body };
}

const json: Headers = { 'content-type': 'application/json' };

/** Returns the fetch API's response of an API error, with the headers that its status needs. */
export function toErrorResponse(error: ApiError, requestId: string): Response {
  const { status, headers, body } = fullResponse(error, requestId);
  return new Response(body, { status, headers });
}
