import type { Store } from '../../db/store.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Rail, RailResult, Report } from '../rail.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { Prompt, PromptStore } from './prompt-store.ts';

const batch = 100;

export type RailConfig = {
  /** Time the rail takes to accept a push. */
  acceptMs: number;
  /** Time after which an unanswered prompt is over. */
  promptLifeMs: number;
  /** Wrong PINs at which a prompt fails. */
  pinLimit: number;
};

/** The simulated phone: what its owner can do. Test sessions only. */
export type Handset = {
  pending(payer: string): Promise<Prompt[]>;
  /** Any PIN of four digits but 0000 is right. */
  approve(promptId: string, pin: string): Promise<{ kind: 'approved' } | Refused>;
  decline(promptId: string): Promise<{ kind: 'declined' } | Refused>;
};

/**
 * A rail with a simulated handset in place of the payers' phones. It keeps its own book: every push is a row, and
 * what it charged is written before it reports. Results are reported until they are taken, also after a crash.
 */
export function simulatedRail(deps: {
  store: Store;
  prompts: PromptStore;
  config: RailConfig;
  clock: Clock;
  ids: Ids;
  report: Report;
  /** Told when a prompt will be over. */
  wake(at: EpochMs): void;
}): Rail & { handset: Handset } {
  const { store, prompts, config, clock, ids } = deps;

  async function reportClosed(prompt: Prompt): Promise<void> {
    const result = resultOf(prompt);
    if (!result) return;
    await deps.report(result);
    await store.apply([prompts.reported({ id: prompt.id, at: clock.now() })]);
  }

  async function close(id: string, status: 'approved' | 'declined', now: EpochMs) {
    if (!(await store.apply([prompts.close({ id, status, now })]))) return false;
    const closed = await prompts.findTest(id);
    if (closed) await reportClosed(closed);
    return true;
  }

  async function wrongPin(prompt: Prompt): Promise<Refused> {
    const { id, wrongPins } = prompt;
    const left = config.pinLimit - wrongPins - 1;
    const count = prompts.countPin({ id, wrongPins });
    const last = left > 0 ? [] : [prompts.close({ id, status: 'failed', now: clock.now() })];
    const applied = await store.apply([count, ...last]);
    const after = await prompts.findTest(id);
    if (!after) return refuse('prompt_not_found');
    if (!applied) {
      // Another answer was faster: a wrong PIN beside it counts as well.
      const open = after.status === 'pending' && after.expiresAt > clock.now();
      return open ? wrongPin(after) : refuse('prompt_closed');
    }
    if (left > 0) return refuse('wrong_pin', { detail: `Tries left: ${left}.` });
    await reportClosed(after);
    return refuse('pin_limit_reached');
  }

  return {
    async push(push, signal) {
      if (config.acceptMs > 0) await clock.sleep(config.acceptMs, signal);
      signal.throwIfAborted();
      const now = clock.now();
      const expiresAt = now + config.promptLifeMs;
      const row: Prompt = {
        ...push,
        id: ids.next('prm'),
        status: 'pending',
        failure: null,
        magic: null,
        actsAt: null,
        wrongPins: 0,
        chargedMinor: 0,
        createdAt: now,
        expiresAt,
        closedAt: null,
        reportedAt: null,
      };
      if (!(await store.apply([prompts.insert(row)]))) return { kind: 'refused', reason: 'identifier_taken' };
      deps.wake(expiresAt);
      return { kind: 'accepted' };
    },

    async round() {
      const now = clock.now();
      const overdue = await prompts.overdue(now, batch);
      for (const { id, expiresAt } of overdue) {
        await store.apply([prompts.close({ id, status: 'expired', now: expiresAt })]);
      }
      const unreported = await prompts.unreported(batch);
      for (const prompt of unreported) await reportClosed(prompt);
      if (overdue.length === batch || unreported.length === batch) return now;
      return prompts.nextExpiry();
    },

    handset: {
      pending: (payer) => prompts.pendingTest(payer, clock.now()),
      async approve(promptId, pin) {
        if (!/^\d{4}$/.test(pin)) return refuse('invalid_pin', { param: 'pin' });
        const now = clock.now();
        const prompt = await prompts.findTest(promptId);
        if (!prompt) return refuse('prompt_not_found');
        if (prompt.status !== 'pending' || prompt.expiresAt <= now) return refuse('prompt_closed');
        if (pin === '0000') return wrongPin(prompt);
        return (await close(promptId, 'approved', now)) ? { kind: 'approved' } : refuse('prompt_closed');
      },
      async decline(promptId) {
        if (!(await prompts.findTest(promptId))) return refuse('prompt_not_found');
        return (await close(promptId, 'declined', clock.now()))
          ? { kind: 'declined' }
          : refuse('prompt_closed');
      },
    },
  };
}

function resultOf(prompt: Prompt): RailResult | undefined {
  const { sessionId, closedAt: at } = prompt;
  if (at === null) return undefined;
  switch (prompt.status) {
    case 'approved':
      return { sessionId, at, outcome: 'approved', chargedMinor: prompt.chargedMinor };
    case 'declined':
    case 'expired':
      return { sessionId, at, outcome: prompt.status };
    case 'failed':
      return { sessionId, at, outcome: prompt.failure ?? 'pin_limit' };
    case 'pending':
      return undefined;
  }
}
