import { type ApiErrorCode, apiErrors } from '../../contract/service/api-errors.ts';
import { type Failure, type FullResponse, failureResponse, jsonHeaders } from '../../kit/failure.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { ApiError, FieldFault } from '../api-error.ts';

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

function describeFault({ code, param, detail }: FieldFault): Failure<ApiErrorCode> {
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

/** Rows of a page if the request names no limit. */
export const defaultPageSize = 20;

/** A page of a list, and the cursor of the next page. */
type Page<Row> = { data: Row[]; has_more: boolean; next_cursor: string | null };

/**
 * Creates a page from rows that were read with a limit of one more than `size`. The cursor is the id of the last row.
 * Ids ascend with time, so pages neither skip nor repeat rows while rows are added.
 */
export function toPage<Row extends { id: string }, View>(
  rows: readonly Row[],
  size: number,
  view: (row: Row) => View,
): Page<View> {
  return toPageBy(rows, size, view, ({ id }) => id);
}

/** Like `toPage`, for rows in the order of another key. `getCursor` returns the key of a row. */
export function toPageBy<Row, View>(
  rows: readonly Row[],
  size: number,
  view: (row: Row) => View,
  cursorOf: (row: Row) => string,
): Page<View> {
  const page = rows.slice(0, size);
  const last = rows.length > size ? page.at(-1) : undefined;
  return {
    data: page.map(view),
    has_more: last !== undefined,
    next_cursor: last === undefined ? null : cursorOf(last),
  };
}

/** Creates the only page of a list that has few rows by its nature. */
export function toOnlyPage<View>(data: View[]): Page<View> {
  return { data, has_more: false, next_cursor: null };
}

/** Formats a time as the interface requires: ISO 8601 in UTC with milliseconds. */
export function isoTime(at: EpochMs): string {
  return new Date(at).toISOString();
}

/** Formats a time as the interface writes it; null stays null. */
export function isoTimeOrNull(at: EpochMs | null): string | null {
  return at === null ? null : isoTime(at);
}
