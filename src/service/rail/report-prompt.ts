import type { Clock } from '../../shared/clock.ts';
import { unreachable } from '../../shared/errors.ts';
import type { Store } from '../../sqlite/store.ts';
import type { Prompt, PromptStore } from './prompt-store.ts';
import type { RailResult, ReportRailResult } from './rail.ts';

export type ReportPrompt = (prompt: Prompt) => Promise<void>;

/** Reports how a prompt closed and marks it as reported. A pending prompt is not reported. */
export function reportPrompt(deps: {
  store: Store;
  prompts: PromptStore;
  clock: Clock;
  report: ReportRailResult;
}): ReportPrompt {
  const { store, prompts, clock, report } = deps;
  return async (prompt) => {
    const results = resultsOf(prompt);
    if (results.length === 0) return;
    for (const result of results) await report(result);
    const { id, chargedAgainAt } = prompt;
    await store.apply([prompts.markReported({ id, chargedAgainAt, at: clock.now() })]);
  };
}

/** Returns the results of a prompt: none while it is pending, and two for a payer who was charged again. */
export function resultsOf(prompt: Prompt): RailResult[] {
  const first = resultOf(prompt);
  if (!first) return [];
  return prompt.chargedAgainAt === null ? [first] : [first, { ...first, at: prompt.chargedAgainAt }];
}

function resultOf(prompt: Prompt): RailResult | undefined {
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
