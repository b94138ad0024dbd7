import type { Clock } from '../shared/clock.ts';
import type { Msisdn } from '../shared/msisdn.ts';
import type { Prompt, PromptFailure, Prompts } from './prompts.ts';

export type Awaited = { ok: true; prompt: Prompt | undefined } | PromptFailure;

const pollEveryMs = 500;

export type AwaitPromptOptions = {
  msisdn: Msisdn;
  /** Prompts that were there before the dial; they belong to another collection. */
  known: ReadonlySet<string>;
  waitMs: number;
  /** Ends the wait early, as when the person hangs up. */
  signal?: AbortSignal;
};

/**
 * Waits until a new prompt reaches the handset. `undefined` when none came within `waitMs`; at least one look is
 * taken. A handset that cannot be asked fails at once.
 */
export async function awaitPrompt(
  prompts: Prompts,
  clock: Clock,
  { msisdn, known, waitMs, signal }: AwaitPromptOptions,
): Promise<Awaited> {
  const deadline = clock.now() + waitMs;
  for (;;) {
    const pending = await prompts.pending(msisdn);
    if (!pending.ok) return pending;
    const arrived = pending.prompts.find((one) => !known.has(one.id));
    const left = deadline - clock.now();
    if (arrived || left <= 0 || signal?.aborted) return { ok: true, prompt: arrived };
    await clock.sleep(Math.min(pollEveryMs, left), signal);
  }
}
