import type { MiddlewareHandler } from 'hono';
import { apiError } from '../api-error.ts';
import type { Env } from '../http/app.ts';
import { toErrorResponse } from '../http/response.ts';

/**
 * Creates the middleware that answers 404 once the service has a live rail or has ever had a live key. The simulated phone
 * needs no key, so a service that handles real money must not serve it: it shows prompts and codes of test sessions.
 */
export function closeWhenLive(deps: {
  hasLiveRail: boolean;
  hasLiveKey(): Promise<boolean>;
}): MiddlewareHandler<Env> {
  let isLive = deps.hasLiveRail;
  return async (c, next) => {
    isLive = isLive || (await deps.hasLiveKey());
    return isLive ? toErrorResponse(apiError('not_found'), c.get('requestId')) : next();
  };
}
