import type { MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { pageQuery, readMsisdn } from '../../contract/service/field.ts';
import { idParam, noFields, operation } from '../../contract/service/operation.ts';
import { phoneQuery } from '../../contract/service/session-operations.ts';
import { pendingPromptPage, promptDecision } from '../../contract/service/simulated-phone.ts';
import { apiError, isApiError } from '../api-error.ts';
import type { Env } from '../http/app.ts';
import { defaultPageSize, isoTime, jsonResponse, toErrorResponse, toPage } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import type { Prompt } from './prompt-store.ts';
import type { SimulatedPhone } from './simulated-phone.ts';

const tag = 'Simulated phone';
const params = idParam('The prompt.', 'prm_01k5n8c0');

const pending = operation({
  method: 'get',
  path: '/handset/prompts',
  id: 'listPrompts',
  tag,
  summary: 'List the prompts on the phone, newest first',
  description:
    'Returns the pending prompts of a number. Test sessions only. A service with live keys answers 404 to all ' +
    'calls of the simulated phone.',
  access: 'open',
  query: phoneQuery.extend(pageQuery),
  fieldErrors: { msisdn: 'invalid_msisdn' },
  success: {
    status: 200,
    description: 'A page of pending prompts.',
    schema: pendingPromptPage,
  },
  errors: ['not_found'],
});

const approve = operation({
  method: 'post',
  path: '/handset/prompts/{id}/approve',
  id: 'approvePrompt',
  tag,
  summary: 'Approve with the PIN',
  description: 'Any PIN of four digits is right, except 0000.',
  access: 'open',
  params,
  body: z.strictObject({ pin: z.string() }).meta({ id: 'PromptApproval' }),
  examples: { right: { pin: '1234' }, wrong: { pin: '0000' } },
  fieldErrors: { pin: 'invalid_pin' },
  success: { status: 200, description: 'The payer has approved the prompt.', schema: promptDecision },
  errors: [
    'not_found',
    'prompt_not_found',
    'prompt_closed',
    'prompt_automatic',
    'wrong_pin',
    'pin_limit_reached',
  ],
});

const decline = operation({
  method: 'post',
  path: '/handset/prompts/{id}/decline',
  id: 'declinePrompt',
  tag,
  summary: 'Decline the prompt',
  description: 'The session fails with the reason `declined`.',
  access: 'open',
  params,
  body: noFields,
  success: { status: 200, description: 'The payer has declined the prompt.', schema: promptDecision },
  errors: ['not_found', 'prompt_not_found', 'prompt_closed', 'prompt_automatic'],
});

/** Serves the simulated phone, for test sessions. A phone needs no API key. */
export function phoneRoutes(router: Router, phone: SimulatedPhone): void {
  router.open(pending, async ({ query: { msisdn, limit = defaultPageSize, cursor } }) => {
    const payer = readMsisdn(msisdn);
    if (payer === undefined) return apiError('invalid_msisdn', { param: 'msisdn' });
    const prompts = await phone.pending(payer, { limit: limit + 1, before: cursor });
    return jsonResponse(200, toPage(prompts, limit, promptView));
  });

  router.open(approve, async ({ params: { id }, body: { pin } }) => {
    const done = await phone.approve(id, pin);
    return isApiError(done) ? done : jsonResponse(200, { id, status: done.kind });
  });

  router.open(decline, async ({ params: { id } }) => {
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
