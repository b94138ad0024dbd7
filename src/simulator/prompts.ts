import type { z } from 'zod';
import { errorBody } from '../contract/error.ts';
import { pendingPromptPage, promptDecision } from '../contract/service/open-operations.ts';
import { tolerant } from '../contract/tolerant.ts';
import type { Clock } from '../shared/clock.ts';
import { exchange, type HttpDeps } from '../shared/http/exchange.ts';
import { tryParseJson } from '../shared/json.ts';
import { localForm, type Msisdn } from '../shared/msisdn.ts';

/** Tolerant: a newer service may send magic numbers that this program does not have. */
const pendingPrompts = tolerant(pendingPromptPage);

/** A pending mobile-money prompt on the simulated phone. */
export type PendingPrompt = z.infer<typeof pendingPrompts>['data'][number];

/** An error of the simulated phone, such as `wrong_pin`. */
export type PromptRejection = { ok: false; reason: 'rejected'; code: string; message: string };

/** `unavailable`: there is no usable answer. */
export type PromptAnswerFailure = PromptRejection | { ok: false; reason: 'unavailable'; detail: string };

type DecisionResult = { ok: true; status: 'approved' | 'declined' } | PromptAnswerFailure;

export type Prompts = {
  /** Returns the pending prompts of this number, newest first: the first page of 100. */
  pending(
    msisdn: Msisdn,
  ): Promise<{ ok: true; prompts: readonly PendingPrompt[]; hasMore: boolean } | PromptAnswerFailure>;
  approve(id: string, pin: string): Promise<DecisionResult>;
  decline(id: string): Promise<DecisionResult>;
};

type PromptsOptions = HttpDeps & { serviceUrl: string };

/** Creates a client of the simulated phones of the embedded service and of the sandbox. */
export function createPrompts(options: PromptsOptions): Prompts {
  const base = `${options.serviceUrl.replace(/\/+$/, '')}/handset/prompts`;

  async function call<T>(
    url: string,
    init: RequestInit,
    schema: z.ZodType<T>,
  ): Promise<{ ok: true; value: T } | PromptAnswerFailure> {
    const answer = await exchange(options, url, init);
    if (!answer.ok) return { ok: false, reason: 'unavailable', detail: answer.detail };
    const json = tryParseJson(answer.body);
    if (answer.status === 200) {
      const parsed = schema.safeParse(json);
      if (parsed.success) return { ok: true, value: parsed.data };
    } else {
      const rejection = errorBody.safeParse(json);
      if (rejection.success && answer.status < 500) {
        const { code, message } = rejection.data.error;
        return { ok: false, reason: 'rejected', code, message };
      }
    }
    return {
      ok: false,
      reason: 'unavailable',
      detail: `HTTP ${answer.status}, not an answer of a simulated phone`,
    };
  }

  async function decide(id: string, verb: 'approve' | 'decline', body: object): Promise<DecisionResult> {
    const answer = await call(
      `${base}/${encodeURIComponent(id)}/${verb}`,
      { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
      promptDecision,
    );
    return answer.ok ? { ok: true, status: answer.value.status } : answer;
  }

  return {
    async pending(msisdn) {
      const url = `${base}?msisdn=${localForm(msisdn)}&limit=100`;
      const answer = await call(url, { method: 'GET' }, pendingPrompts);
      if (!answer.ok) return answer;
      return { ok: true, prompts: answer.value.data, hasMore: answer.value.has_more };
    },
    approve: (id, pin) => decide(id, 'approve', { pin }),
    decline: (id) => decide(id, 'decline', {}),
  };
}

/** The prompt and the phone that received it; both are `undefined` when there was none. */
type AwaitedPrompt =
  | { ok: true; prompt: PendingPrompt; on: Msisdn }
  | { ok: true; prompt: undefined; on: undefined }
  | PromptAnswerFailure;

const pollEveryMs = 500;

type AwaitPromptOptions = {
  /** The phones that can receive the prompt. */
  msisdns: readonly Msisdn[];
  /** Ids of prompts that were pending before the dial. They belong to another collection. */
  known: ReadonlySet<string>;
  waitMs: number;
  /** Ends the wait early, for example when the person hangs up. */
  signal?: AbortSignal;
};

/**
 * Waits until a new prompt reaches one of the phones, and returns `undefined` when there is none within `waitMs`. It polls at
 * least once. A failed poll ends the wait at once.
 */
export async function awaitPrompt(
  prompts: Prompts,
  clock: Clock,
  { msisdns, known, waitMs, signal }: AwaitPromptOptions,
): Promise<AwaitedPrompt> {
  const deadline = clock.now() + waitMs;
  for (;;) {
    for (const on of msisdns) {
      const pending = await prompts.pending(on);
      if (!pending.ok) return pending;
      const prompt = pending.prompts.find((one) => !known.has(one.id));
      if (prompt) return { ok: true, prompt, on };
    }
    const left = deadline - clock.now();
    if (left <= 0 || signal?.aborted) return { ok: true, prompt: undefined, on: undefined };
    await clock.sleep(Math.min(pollEveryMs, left), signal);
  }
}
