import type { MagicName } from '../../contract/simulated-phone.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Store } from '../../sqlite/store.ts';
import { magicDelayMs, magicEnd } from './magic-behaviour.ts';
import { magicNameOf } from './magic-numbers.ts';
import type { Prompt, PromptStore } from './prompt-store.ts';
import { type PushRequest, pushTimeoutMs, type Rail, type ReportRailResult } from './rail.ts';
import { reportPrompt } from './report-prompt.ts';
import { createSimulatedPhone, type SimulatedPhone } from './simulated-phone.ts';

/** Prompts that one round ends, or reports, at most. */
const batch = 100;

export type RailConfig = {
  /** Time the rail takes to accept a push. */
  acceptDelayMs: number;
  /** Time after which an unanswered prompt is over. */
  promptLifetimeMs: number;
  /** Wrong PINs at which a prompt fails. */
  maxWrongPins: number;
  /** Time after which the payer with a magic number acts. */
  magicDelayMs: number;
  /** Time that the slow rail of a magic number takes to accept a push. */
  magicAcceptDelayMs: number;
};

/**
 * A rail with simulated phones in place of the payers': one that a person answers, and those of magic numbers, whose
 * prompts end by themselves. It keeps its own book: every push is a row, and what it charged is written before it
 * reports. Each prompt ends once, and its result is reported until it is taken, also after a crash.
 */
export function createSimulatedRail(deps: {
  store: Store;
  prompts: PromptStore;
  config: RailConfig;
  clock: Clock;
  ids: Ids;
  report: ReportRailResult;
  /** Told when a prompt will be over. */
  wake(at: EpochMs): void;
}): Rail & { handset: SimulatedPhone } {
  const { store, prompts, config, clock, ids } = deps;
  const report = reportPrompt(deps);

  async function show(push: PushRequest, magic: MagicName | undefined): Promise<boolean> {
    const now = clock.now();
    const afterMs = magic === undefined ? null : magicDelayMs(magic, config);
    const actsAt = afterMs === null ? null : now + afterMs;
    const expiresAt = (actsAt ?? now) + config.promptLifetimeMs;
    const row: Prompt = {
      ...push,
      id: ids.next('prm'),
      status: 'pending',
      failure: null,
      magic: magic ?? null,
      actsAt,
      wrongPins: 0,
      chargedMinor: 0,
      createdAt: now,
      expiresAt,
      closedAt: null,
      reportedAt: null,
    };
    if (!(await store.apply([prompts.insert(row)]))) return false;
    deps.wake(actsAt ?? expiresAt);
    return true;
  }

  async function act(prompt: Prompt): Promise<void> {
    const { id, magic, actsAt } = prompt;
    if (magic === null || actsAt === null) return;
    await store.apply([prompts.close({ id, ...magicEnd(magic, prompt), at: actsAt })]);
  }

  async function runOut({ id, magic, expiresAt: at }: Prompt): Promise<void> {
    const end = prompts.close({ id, status: 'expired', failure: null, chargedMinor: 0, at });
    // What is never heard of is in no report either.
    const untold = magic === 'no_answer' ? [prompts.reported({ id, at })] : [];
    await store.apply([end, ...untold]);
  }

  return {
    async push(push, signal) {
      const magic = magicNameOf(push.payer);
      if (magic === 'rail_down') return { kind: 'rejected', reason: magic };
      const acceptDelayMs = magic === 'rail_slow' ? config.magicAcceptDelayMs : config.acceptDelayMs;
      if (acceptDelayMs > 0) await clock.sleep(acceptDelayMs, signal);
      signal.throwIfAborted();
      if (!(await show(push, magic))) return { kind: 'rejected', reason: 'identifier_taken' };
      if (magic !== 'rail_lost') return { kind: 'accepted' };
      await clock.sleep(2 * pushTimeoutMs, signal);
      throw new Error('the answer was lost');
    },

    async round() {
      const now = clock.now();
      const [acting, overdue] = await Promise.all([prompts.acting(now, batch), prompts.overdue(now, batch)]);
      await Promise.all(acting.map(act));
      await Promise.all(overdue.map(runOut));
      const unreported = await prompts.unreported(batch);
      await Promise.all(unreported.map(report));
      if ([acting, overdue, unreported].some((found) => found.length === batch)) return now;
      const times = await Promise.all([prompts.nextAct(), prompts.nextExpiry()]);
      const next = Math.min(...times.map((at) => at ?? Number.POSITIVE_INFINITY));
      return Number.isFinite(next) ? next : undefined;
    },

    handset: createSimulatedPhone({ ...deps, reportPrompt: report, maxWrongPins: config.maxWrongPins }),
  };
}
