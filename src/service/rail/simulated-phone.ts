import type { MiddlewareHandler } from 'hono';
import { readMsisdn } from '../../contract/service/field.ts';
import { serviceOperations } from '../../contract/service/service-operations.ts';
import { unreachable } from '../../shared/errors.ts';
import type { ServiceContext } from '../context.ts';
import type { Env } from '../http/app.ts';
import {
  type ApiError,
  apiError,
  isApiError,
  isoTime,
  jsonResponse,
  pageResponse,
  toErrorResponse,
} from '../http/response.ts';
import type { Router } from '../http/router.ts';
import type { Prompt, PromptEnd } from './prompt-store.ts';
import type { RailResult, ReportRailResult } from './rail.ts';

export type ReportPrompt = (prompt: Prompt) => Promise<void>;

/** Reports how a prompt closed and marks it as reported. A pending prompt is not reported. */
export function reportPrompt(
  deps: Pick<ServiceContext, 'store' | 'prompts' | 'clock'> & {
    report: ReportRailResult;
  },
): ReportPrompt {
  const { store, prompts, clock, report } = deps;
  return async (prompt) => {
    const results = listRailResults(prompt);
    if (results.length === 0) return;
    for (const result of results) await report(result);
    const { id, chargedAgainAt } = prompt;
    await store.apply([prompts.markReported({ id, chargedAgainAt, at: clock.now() })]);
  };
}

/** Returns the results of a prompt: none while it is pending, and two for a payer who was charged again. */
export function listRailResults(prompt: Prompt): RailResult[] {
  const first = findResult(prompt);
  if (!first) return [];
  return prompt.chargedAgainAt === null ? [first] : [first, { ...first, at: prompt.chargedAgainAt }];
}

function findResult(prompt: Prompt): RailResult | undefined {
  const { sessionId, closedAt: at, status } = prompt;
  if (at === null) return undefined;
  switch (status) {
    case 'approved':
      return { sessionId, at, outcome: 'approved', chargedMinor: prompt.chargedMinor };
    case 'declined':
    case 'expired':
      return { sessionId, at, outcome: status };
    case 'failed':
      return { sessionId, at, outcome: prompt.failure ?? 'pin_limit' };
    case 'pending':
      return undefined;
    default:
      return unreachable(status);
  }
}

/** The simulated phone, for test sessions only. */
export type SimulatedPhone = {
  /** Returns the prompts that wait for an answer, newest first, starting before `before`. Default limit: 20. */
  pending(payer: string, page?: { limit: number; before?: string | undefined }): Promise<Prompt[]>;
  /** Approves a prompt. Any PIN of four digits is right, except 0000. */
  approve(promptId: string, pin: string): Promise<{ kind: 'approved' } | ApiError>;
  decline(promptId: string): Promise<{ kind: 'declined' } | ApiError>;
  /** Ends a prompt in a way that is not the payer's choice. */
  end(promptId: string, end: PromptEnd): Promise<{ kind: 'ended' } | ApiError>;
};

const pinLimitReached: PromptEnd = { status: 'failed', failure: 'pin_limit', chargedMinor: 0 };

/** Creates the simulated phone. It cannot answer the prompts of magic numbers. */
export function createSimulatedPhone(
  deps: Pick<ServiceContext, 'store' | 'prompts' | 'clock'> & {
    reportPrompt: ReportPrompt;
    /** Wrong PINs that fail a prompt. */
    maxWrongPins: number;
  },
): SimulatedPhone {
  const { store, prompts, clock } = deps;

  /** Finds a prompt that a person can answer now. */
  async function findOpen(id: string): Promise<Prompt | ApiError> {
    const prompt = await prompts.findTest(id);
    if (!prompt) return apiError('prompt_not_found');
    if (prompt.status !== 'pending' || prompt.expiresAt <= clock.now()) return apiError('prompt_closed');
    return prompt.magic === null ? prompt : apiError('prompt_automatic');
  }

  /** Closes an open prompt, and reports its end. Returns the name of what was done. */
  async function close<Done extends string>(
    prompt: Prompt | ApiError,
    end: PromptEnd,
    kind: Done,
  ): Promise<{ kind: Done } | ApiError> {
    if (isApiError(prompt)) return prompt;
    const { id } = prompt;
    if (!(await store.apply([prompts.close({ id, ...end, at: clock.now() })])))
      return apiError('prompt_closed');
    const closed = await prompts.findTest(id);
    if (closed) await deps.reportPrompt(closed);
    return { kind };
  }

  async function countWrongPin(prompt: Prompt): Promise<ApiError> {
    const { id, wrongPins } = prompt;
    const left = deps.maxWrongPins - wrongPins - 1;
    const count = prompts.countWrongPin({ id, wrongPins });
    const last = left > 0 ? [] : [prompts.close({ id, ...pinLimitReached, at: clock.now() })];
    if (!(await store.apply([count, ...last]))) {
      // A concurrent answer changed the prompt. The wrong PIN counts if the prompt is still open.
      const reread = await findOpen(id);
      return isApiError(reread) ? reread : countWrongPin(reread);
    }
    if (left > 0) return apiError('wrong_pin', { detail: `Attempts left: ${left}.` });
    const failed = await prompts.findTest(id);
    if (failed) await deps.reportPrompt(failed);
    return apiError('pin_limit_reached');
  }

  return {
    pending: (payer, page = { limit: 20 }) => prompts.pendingTest(payer, clock.now(), page),
    async approve(promptId, pin) {
      if (!/^\d{4}$/.test(pin)) return apiError('invalid_pin', { param: 'pin' });
      const found = await findOpen(promptId);
      if (isApiError(found)) return found;
      if (pin === '0000') return countWrongPin(found);
      return close(found, { status: 'approved', failure: null, chargedMinor: found.amountMinor }, 'approved');
    },
    decline: async (promptId) =>
      close(await findOpen(promptId), { status: 'declined', failure: null, chargedMinor: 0 }, 'declined'),
    end: async (promptId, end) => close(await findOpen(promptId), end, 'ended'),
  };
}

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
