import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { ErrorBody } from '../contract/error.ts';

/** The status of each error code of an API, and after how many seconds the same request may succeed. */
export type Statuses<Code extends string = string> = Readonly<
  Record<Code, { readonly status: ContentfulStatusCode; readonly retryAfterSeconds?: number }>
>;

/** Each error code of an API with its meaning. */
export type ErrorTable<Code extends string = string> = Statuses<Code> &
  Readonly<Record<Code, { readonly message: string }>>;

/** Why a request was not carried out. */
export type Failure<Code extends string = string> = Omit<ErrorBody['error'], 'code'> & {
  readonly code: Code;
  readonly retryAfterSeconds?: number | undefined;
};

/** An answer with its final bytes. */
export type FullResponse = {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
};

export const jsonHeaders = { 'content-type': 'application/json' } as const;

/**
 * Returns the answer to a request that was not carried out: its status, the error and the headers that both need.
 *
 * @param challenge the `WWW-Authenticate` header of a 401.
 */
export function failureResponse<Code extends string>(
  { statuses, challenge }: { statuses: Statuses<Code>; challenge: string },
  { code, message, param, faults, retryAfterSeconds }: Failure<Code>,
  requestId: string,
): FullResponse & { status: ContentfulStatusCode } {
  const known: Statuses[string] = statuses[code];
  const seconds = retryAfterSeconds ?? known.retryAfterSeconds;
  const body: ErrorBody = { error: { code, message, param, faults }, request_id: requestId };
  return {
    status: known.status,
    body: JSON.stringify(body),
    headers: {
      ...jsonHeaders,
      ...(known.status === 401 ? { 'www-authenticate': challenge } : {}),
      ...(seconds === undefined ? {} : { 'retry-after': String(seconds) }),
    },
  };
}
