import type { ErrorBody } from '../../contract/error.ts';
import { type ApiError, apiErrors } from '../api-error.ts';

/** An answer as it goes out: the bytes are made once, so that a replay is the same byte for byte. */
export type ApiResponse = { kind: 'response'; status: number; body: string };

export function jsonResponse(status: number, value: unknown): ApiResponse {
  return { kind: 'response', status, body: JSON.stringify(value) };
}

/** The answer that says why a call was refused. */
export function errorResponse(refused: ApiError, requestId: string): ApiResponse {
  const { status, message } = apiErrors[refused.code];
  const body: ErrorBody = {
    error: {
      code: refused.code,
      message: refused.detail === undefined ? message : `${message} ${refused.detail}`,
      ...(refused.param === undefined ? {} : { param: refused.param }),
    },
    request_id: requestId,
  };
  return jsonResponse(status, body);
}

export function toResponse({ status, body }: ApiResponse, headers: Record<string, string> = {}): Response {
  return new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } });
}

export function toErrorResponse(refused: ApiError, requestId: string): Response {
  const refusal = errorResponse(refused, requestId);
  return toResponse(refusal, {
    ...(refusal.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(refused.retryAfterSeconds === undefined ? {} : { 'retry-after': String(refused.retryAfterSeconds) }),
  });
}
