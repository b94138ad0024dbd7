import type { ErrorBody } from '../../contract/error.ts';
import { type Refused, refusals } from '../refusal.ts';

/** The body of a refusal. One that is kept for replay carries no request id: it answers many requests. */
export function refusalBody(refused: Refused, requestId?: string): ErrorBody {
  const { message } = refusals[refused.code];
  return {
    error: {
      code: refused.code,
      message: refused.detail === undefined ? message : `${message} ${refused.detail}`,
      ...(refused.param === undefined ? {} : { param: refused.param }),
    },
    ...(requestId === undefined ? {} : { request_id: requestId }),
  };
}

export function jsonAnswer(status: number, body: string, headers: Record<string, string> = {}): Response {
  return new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } });
}

export function refusalAnswer(refused: Refused, requestId: string): Response {
  const { status } = refusals[refused.code];
  return jsonAnswer(status, JSON.stringify(refusalBody(refused, requestId)), {
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(refused.retryAfterSeconds === undefined ? {} : { 'retry-after': String(refused.retryAfterSeconds) }),
  });
}
