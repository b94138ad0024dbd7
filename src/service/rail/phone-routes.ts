import type { MiddlewareHandler } from 'hono';
import { readMsisdn } from '../../contract/service/field.ts';
import { serviceOperations } from '../../contract/service/service-operations.ts';
import { apiError, isApiError } from '../api-error.ts';
import type { Env } from '../http/app.ts';
import { isoTime, jsonResponse, pageResponse, toErrorResponse } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import type { Prompt } from './prompt-store.ts';
import type { SimulatedPhone } from './simulated-phone.ts';

/** Serves the simulated phone, for test sessions. A phone needs no API key. */
export function phoneRoutes(router: Router, phone: SimulatedPhone): void {
  router.open(serviceOperations.listPrompts, async ({ query }) => {
    const payer = readMsisdn(query.msisdn);
    if (payer === undefined) return apiError('invalid_msisdn', { param: 'msisdn' });
    return pageResponse(query, (limit, before) => phone.pending(payer, { limit, before }), promptView);
  });

  router.open(serviceOperations.approvePrompt, async ({ params: { id }, body: { pin } }) => {
    const done = await phone.approve(id, pin);
    return isApiError(done) ? done : jsonResponse(200, { id, status: done.kind });
  });

  router.open(serviceOperations.declinePrompt, async ({ params: { id } }) => {
    const done = await phone.decline(id);
    return isApiError(done) ? done : jsonResponse(200, { id, status: done.kind });
  });
}

function promptView(prompt: Prompt) {
  return {
    id: prompt.id,
    session_id: prompt.sessionId,
    amount_minor: prompt.amountMinor,
    merchant_name: prompt.merchantName,
    expires_at: isoTime(prompt.expiresAt),
    ...(prompt.magic === null ? {} : { magic: prompt.magic }),
  };
}

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
