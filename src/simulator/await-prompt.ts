import type { Clock } from '../shared/clock.ts';
import type { Msisdn } from '../shared/msisdn.ts';
import type { Prompt, PromptFailure, Prompts } from './prompts.ts';

/** The prompt and the phone that received it; both are `undefined` when there was none. */
export type AwaitedPrompt =
  | { ok: true; prompt: Prompt; on: Msisdn }
  | { ok: true; prompt: undefined; on: undefined }
  | PromptFailure;

const pollEveryMs = 500;

export type AwaitPromptOptions = {
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
