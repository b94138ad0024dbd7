import { findMagicName, type MagicName } from '../../contract/service/magic-numbers.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { errorMessage, unreachable } from '../../shared/errors.ts';
import type { RailConfig } from '../config.ts';
import type { ServiceContext } from '../context.ts';
import type { Prompt, PromptEnd } from './prompt-store.ts';
import { type PushRequest, pushTimeoutMs, type Rail, type RecordRailResult } from './rail.ts';
import {
  createSimulatedPhone,
  listRailResults,
  type ReportPrompt,
  reportPrompt,
  type SimulatedPhone,
} from './simulated-phone.ts';

/** Prompts that one round closes or reports at most. */
const maxPerRound = 100;

/** Makes the simulated rail silent, or ends its silence: meanwhile it reports nothing and answers no inquiry. */
export type SetSilent = (silent: boolean) => void;

/**
 * Creates a rail with a simulated phone for each payer. A person answers the prompts of an ordinary number; those of a
 * magic number close without an answer. The rail has a table of its own: every push is a row, and a charge is stored
 * before it is reported, or in the batch that records its result. Each prompt closes once, and its result is reported
 * until the report succeeds, also after a crash.
 */
export function createSimulatedRail(
  deps: Pick<ServiceContext, 'store' | 'prompts' | 'clock' | 'ids' | 'log'> & {
    config: RailConfig & MagicTimes;
    recordResult: RecordRailResult;
    /** Schedules the round that closes a prompt. */
    wake(at: EpochMs): void;
  },
): Rail & { phone: SimulatedPhone; setSilent: SetSilent } {
  const { store, prompts, config, clock, ids } = deps;
  let isMute = false;
  const reportAloud = reportPrompt({ ...deps, report: (result) => deps.recordResult(result) });
  const report: ReportPrompt = async (prompt) => {
    if (!isMute) await reportAloud(prompt);
  };

  async function createPrompt(push: PushRequest, magic: MagicName | undefined): Promise<boolean> {
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
      chargedAgainAt: null,
      createdAt: now,
      expiresAt,
      closedAt: null,
      reportedAt: null,
    };
    if (!(await store.apply([prompts.insert(row)]))) return false;
    deps.wake(actsAt ?? expiresAt);
    return true;
  }

  /**
   * Closes the prompt of a magic number in the batch that records its result. A batch that fails is logged, and the prompt
   * closes without it: the charge is then reported like every other one.
   *
   * @returns false when the prompt must close in a batch of its own.
   */
  async function closeAndReport(prompt: Prompt, { magic, at }: { magic: MagicName; at: EpochMs }) {
    if (isMute || magic === 'report_lost' || isChargedAgain(magic)) return false;
    const end = magicEnd(magic, prompt);
    const [result] = listRailResults({ ...prompt, ...end, closedAt: at });
    if (!result) return false;
    try {
      await deps.recordResult(result, [
        prompts.closeReported({ id: prompt.id, ...end, at, reportedAt: clock.now() }),
      ]);
      return true;
    } catch (fault) {
      deps.log.warn({ session: prompt.sessionId, fault: errorMessage(fault) }, 'a result was not recorded');
      return false;
    }
  }

  /** Closes the prompt of a magic number, or charges its payer again. */
  async function act(prompt: Prompt): Promise<void> {
    const { id, magic, actsAt: at, status } = prompt;
    if (magic === null || at === null) return;
    if (status !== 'pending') {
      await store.apply([prompts.chargeAgain({ id, at })]);
      return;
    }
    if (await closeAndReport(prompt, { magic, at })) return;
    const again = isChargedAgain(magic) ? [prompts.actAgain({ id, at: at + config.magicDelayMs })] : [];
    const lost = magic === 'report_lost' ? [prompts.markReported({ id, at, chargedAgainAt: null })] : [];
    await store.apply([prompts.close({ id, ...magicEnd(magic, prompt), at }), ...again, ...lost]);
  }

  async function expire({ id, magic, expiresAt: at }: Prompt): Promise<void> {
    const closed = prompts.close({ id, status: 'expired', failure: null, chargedMinor: 0, at });
    // Marks the prompt as reported, so that its end is never reported.
    const suppressed = isSilent(magic) ? [prompts.markReported({ id, at, chargedAgainAt: null })] : [];
    await store.apply([closed, ...suppressed]);
  }

  /** Lets the due prompts of magic numbers act, and expires the overdue ones. */
  async function closeDue() {
    const now = clock.now();
    const [acting, overdue] = await Promise.all([
      prompts.acting(now, maxPerRound),
      prompts.overdue(now, maxPerRound),
    ]);
    await Promise.all(acting.map(act));
    await Promise.all(overdue.map(expire));
    return { acting, overdue };
  }

  return {
    async push(push, signal) {
      const magic = config.magicNumbers ? findMagicName(push.payer) : undefined;
      if (magic === 'rail_refused') return { kind: 'rejected', reason: magic };
      const acceptDelayMs = magic === 'rail_slow' ? config.magicAcceptDelayMs : config.acceptDelayMs;
      if (acceptDelayMs > 0) await clock.sleep(acceptDelayMs, signal);
      signal.throwIfAborted();
      if (!(await createPrompt(push, magic))) return { kind: 'rejected', reason: 'identifier_taken' };
      if (magic !== 'rail_unknown') return { kind: 'accepted' };
      await clock.sleep(2 * pushTimeoutMs, signal);
      throw new Error('the response was lost');
    },

    async inquire(sessionId) {
      await closeDue();
      const prompt = await prompts.findBySession(sessionId);
      if (isMute || isSilent(prompt?.magic ?? null)) throw new Error('the rail is silent');
      if (!prompt) return { kind: 'not_prompted' };
      const [result] = listRailResults(prompt);
      return result ? { kind: 'result', result } : { kind: 'pending' };
    },

    async round() {
      const now = clock.now();
      const { acting, overdue } = await closeDue();
      const unreported = isMute ? [] : await prompts.unreported(maxPerRound);
      await Promise.all(unreported.map(report));
      if ([acting, overdue, unreported].some((found) => found.length === maxPerRound)) return now;
      const times = await Promise.all([prompts.nextAct(), prompts.nextExpiry()]);
      const next = Math.min(...times.map((at) => at ?? Number.POSITIVE_INFINITY));
      return Number.isFinite(next) ? next : undefined;
    },

    setSilent(silent) {
      isMute = silent;
      deps.wake(clock.now());
    },

    phone: createSimulatedPhone({ ...deps, reportPrompt: report, maxWrongPins: config.maxWrongPins }),
  };
}

/** The times of the rail that magic numbers depend on. */
type MagicTimes = {
  /** How long the payer takes to answer. */
  magicDelayMs: number;
  /** How long the slow rail takes to accept a push. */
  magicAcceptDelayMs: number;
  /** When a session without a result expires. */
  longStopMs: number;
};

/** Pesewas that the over-payer is charged above the amount. */
const overpaymentMinor = 100;

/** Returns the time from the push to the answer of a magic number; `null` when it never answers. */
function magicDelayMs(magic: MagicName, { magicDelayMs, longStopMs }: MagicTimes): number | null {
  switch (magic) {
    case 'rail_unknown':
      return pushTimeoutMs + magicDelayMs;
    case 'late_approval':
      return longStopMs + magicDelayMs;
    case 'no_result':
    case 'rail_refused':
      return null;
    default:
      return magicDelayMs;
  }
}

const approved = (chargedMinor: number): PromptEnd => ({ status: 'approved', failure: null, chargedMinor });
const failed = (failure: PromptEnd['failure']): PromptEnd => ({ status: 'failed', failure, chargedMinor: 0 });
const expired: PromptEnd = { status: 'expired', failure: null, chargedMinor: 0 };

/** Returns how the prompt of a magic number ends. */
function magicEnd(magic: MagicName, { amountMinor }: Pick<Prompt, 'amountMinor'>): PromptEnd {
  switch (magic) {
    case 'declined':
      return { status: 'declined', failure: null, chargedMinor: 0 };
    case 'insufficient_funds':
    case 'wallet_not_registered':
    case 'limit_exceeded':
    case 'pin_limit':
    case 'cancelled':
    case 'network_down':
      return failed(magic);
    case 'paid_short':
      return approved(Math.ceil(amountMinor / 2));
    case 'paid_over':
      return approved(amountMinor + overpaymentMinor);
    case 'paid':
    case 'late_approval':
    case 'rail_slow':
    case 'rail_unknown':
    case 'second_charge':
    case 'event_twice':
    case 'events_reversed':
    case 'report_lost':
      return approved(amountMinor);
    case 'no_result':
    case 'rail_refused':
    case 'prompt_expired':
      return expired;
    default:
      return unreachable(magic);
  }
}

/** True when the payer is charged a second time. */
const isChargedAgain = (magic: MagicName): boolean =>
  magic === 'second_charge' || magic === 'events_reversed';

/** True when the rail never reports the end of an unanswered prompt, nor answers an inquiry about it. */
const isSilent = (magic: MagicName | null): boolean => magic === 'no_result' || magic === 'late_approval';

/** How the events of a magic number are delivered: `repeats` more times, and the paid event after a delay. */
export function magicDelivery(
  magic: MagicName | undefined,
  { isPaid, magicDelayMs }: { isPaid: boolean; magicDelayMs: number },
): { repeats: number; delayMs: number } {
  return {
    repeats: magic === 'event_twice' ? 1 : 0,
    delayMs: magic === 'events_reversed' && isPaid ? 2 * magicDelayMs : 0,
  };
}
