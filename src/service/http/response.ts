import { type ApiErrorCode, apiErrors } from '../../contract/service/api-errors.ts';
import { type Failure, type FullResponse, failureResponse, jsonHeaders } from '../../kit/api.ts';
import type { EpochMs } from '../../shared/clock.ts';

/** A response with its final bytes, so that a replay is identical byte for byte. */
export type ApiResponse = {
  kind: 'response';
  status: number;
  body: string;
  /** Default: JSON. */
  type?: string;
};

export function jsonResponse(status: number, value: unknown): ApiResponse {
  return { kind: 'response', status, body: JSON.stringify(value) };
}

export function errorResponse(error: ApiError, requestId: string): ApiResponse {
  const { status, body } = reportError(error, requestId);
  return { kind: 'response', status, body };
}

function reportError(error: ApiError, requestId: string): FullResponse {
  const { faults, retryAfterSeconds } = error;
  const failure = { ...describeFault(error), faults: faults?.map(describeFault), retryAfterSeconds };
  return failureResponse({ statuses: apiErrors, challenge: 'Bearer' }, failure, requestId);
}

function describeFault({ code, param, detail }: FieldFault): Failure<ApiErrorCode> {
  const { message } = apiErrors[code];
  return { code, message: detail === undefined ? message : `${message} ${detail}`, param };
}

/** Returns the whole response to an operation: its result, or the error with the headers that its status needs. */
export function fullResponse(
  outcome: (ApiResponse & { replayed?: boolean }) | ApiError,
  requestId: string,
): FullResponse {
  if (isApiError(outcome)) return reportError(outcome, requestId);
  const { status, body, replayed, type } = outcome;
  const headers = type === undefined ? jsonHeaders : { 'content-type': type };
  return { status, body, headers: replayed ? { ...headers, 'idempotent-replayed': 'true' } : headers };
}

/** Returns the fetch API's response of an API error, with the headers that its status needs. */
export function toErrorResponse(error: ApiError, requestId: string): Response {
  const { status, headers, body } = reportError(error, requestId);
  return new Response(body, { status, headers });
}

/** Rows of a page if the request names no limit. */
const defaultPageSize = 20;

export type PageQuery = { limit?: number | undefined; cursor?: string | undefined };

/** Answers with a page. `read` gets one more than it has. Ids are in the order of the list: pages neither skip nor repeat rows. */
export async function pageResponse<Row extends { id: string }, View>(
  { limit = defaultPageSize, cursor }: PageQuery,
  read: (limit: number, cursor: string | undefined) => Promise<readonly Row[] | ApiError>,
  view: (row: Row) => View | Promise<View>,
): Promise<ApiResponse | ApiError> {
  const rows = await read(limit + 1, cursor);
  if (isApiError(rows)) return rows;
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return jsonResponse(200, {
    data: await Promise.all(page.map(view)),
    has_more: last !== undefined,
    next_cursor: last?.id ?? null,
  });
}

/** Formats a time as the interface requires: ISO 8601 in UTC with milliseconds. */
export function isoTime(at: EpochMs): string {
  return new Date(at).toISOString();
}

/** Formats a time as the interface writes it; null stays null. */
export function isoTimeOrNull(at: EpochMs | null): string | null {
  return at === null ? null : isoTime(at);
}

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

export function isApiError(outcome: unknown): outcome is ApiError {
  return typeof outcome === 'object' && outcome !== null && 'kind' in outcome && outcome.kind === 'error';
}
