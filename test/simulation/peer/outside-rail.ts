import type {
  PushRequest,
  PushResult,
  RailInquiry,
  RailResult,
  ReportRailResult,
} from '../../../src/service/rail/rail.ts';
import { errorMessage } from '../../../src/shared/errors.ts';
import { minute, second } from '../../kit/clock.ts';
import type { Faults } from '../faults.ts';
import type { Prompt } from '../oracle/session.ts';
import type { Part } from '../scene.ts';
import type { Host } from './host.ts';
import type { End, RailRecord, RailSide, Shown } from './rail.ts';

export type OutsideRailDeps = Part & {
  faults: Faults;
  host: Pick<Host, 'use'>;
  onPrompt(prompt: Prompt): void;
  record(what: string): void;
};

/** The lifetime of a prompt, as the service expects it. */
const promptLifetimeMs = 2 * minute;

/** The polling interval while prompts are open. */
const askAgainMs = 20 * second;

type OwnEnd = End & { sessionId: string; isTaken: boolean };
type OwnShown = Shown & { ends: OwnEnd[] };
type OwnRailRecord = RailRecord & { shown: OwnShown[] };

/**
 * Simulates an external rail, written from `src/service/rail/rail.ts` alone. Its records survive every crash of
 * the service. It loses requests, responses and callbacks, repeats reports, charges other amounts and is sometimes
 * unreachable, but it finally reports every charge.
 */
export function createOutsideRail({
  scheduler,
  random,
  faults,
  host,
  record,
  ...deps
}: OutsideRailDeps): RailSide {
  const { may, of } = faults;
  const records = new Map<string, OwnRailRecord>();
  const prompts = new Map<string, OwnShown>();
  const unreported = new Set<OwnEnd>();
  const habits = {
    acceptDelayMs: random.pick([0, 0, 700, 8 * second, 13_500]),
    losesOrders: random.pick([0, 0, 0.15]),
    losesAnswers: random.pick([0, 0, 0.2]),
    losesCallbacks: random.pick([0, 0.3, 1]),
    repeats: random.pick([0, 0.5]),
    isOftenAway: random.happens(0.5),
  };
  let healed = false;
  let awayUntil = 0;
  let report: ReportRailResult | undefined;
  const unlucky = (probability: number) => !healed && random.happens(probability);
  const isAway = () => scheduler.now() < awayUntil;

  function goAway(): void {
    awayUntil = scheduler.now() + random.pick([30 * second, 5 * minute, 40 * minute]);
    record(`the rail is away for ${(awayUntil - scheduler.now()) / second} s`);
  }

  function planAbsence(): void {
    scheduler.after(random.int(10, 120) * minute, () => {
      if (healed) return;
      goAway();
      planAbsence();
    });
  }
  if (habits.isOftenAway) planAbsence();

  function railRecord(sessionId: string): OwnRailRecord {
    const known = records.get(sessionId) ?? { isRefused: false, shown: [] };
    records.set(sessionId, known);
    return known;
  }

  /** Reports a result to the service. It counts as accepted when the service returns. */
  async function give(end: OwnEnd): Promise<boolean> {
    const { sessionId, outcome } = end;
    const result = resultOf(sessionId, end);
    try {
      const isTaken = await host.use(async () => {
        await report?.(result);
        return true;
      });
      record(`the rail reports ${outcome} of ${sessionId}: ${isTaken ? 'accepted' : 'not accepted'}`);
      if (isTaken) unreported.delete(end);
      return isTaken === true;
    } catch (fault) {
      record(`the rail reports ${outcome} of ${sessionId}: ${errorMessage(fault)}`);
      return false;
    }
  }

  function end(shown: OwnShown, outcome: End['outcome'], chargedMinor = 0): void {
    const at = scheduler.now();
    const { id, sessionId } = shown;
    const lateMs = may('late_money', 0.3) ? of('late_money').pick([15, 30, 90, 240]) * minute : 0;
    const own: OwnEnd = { sessionId, outcome, at, chargedMinor, knownAt: at + lateMs, isTaken: false };
    shown.ends.push(own);
    unreported.add(own);
    record(`${id} of ${sessionId} is ${outcome}${chargedMinor === 0 ? '' : `, ${chargedMinor} pesewas`}`);
    if (unlucky(habits.losesCallbacks)) return;
    const call = () => void (isAway() || give(own));
    const callMs = lateMs + random.int(0, 3 * second);
    scheduler.after(callMs, call);
    if (unlucky(habits.repeats)) scheduler.after(callMs + random.int(0, 10 * minute), call);
  }

  function charge(shown: OwnShown): void {
    const own = of('wrong_amounts');
    const byMinor = may('wrong_amounts', 0.6) ? own.pick([-1, 1]) * own.int(1, 50) : 0;
    end(shown, 'approved', Math.max(1, shown.amountMinor + byMinor));
    if (may('second_charges', 0.5))
      scheduler.after(of('second_charges').int(1, 30 * 60) * second, () =>
        end(shown, 'approved', shown.amountMinor),
      );
  }

  function show({ sessionId, payer, amountMinor }: PushRequest): void {
    const now = scheduler.now();
    const id = `prm_${sessionId.slice(-6)}`;
    const shown: OwnShown = {
      id,
      sessionId,
      payer,
      amountMinor,
      at: now,
      endsAt: now + promptLifetimeMs,
      ends: [],
    };
    railRecord(sessionId).shown.push(shown);
    prompts.set(id, shown);
    record(`${id} of ${sessionId} lights up`);
    scheduler.after(promptLifetimeMs, () => {
      if (shown.ends.length === 0) end(shown, 'expired');
    });
    // The worst time for an outage: a prompt is open and its result cannot be queried.
    if (habits.isOftenAway && unlucky(0.2))
      scheduler.after(random.int(1, 100) * second, () => healed || goAway());
    const lateMs = may('prompts_late', 0.5) ? of('prompts_late').int(10, 100) * second : 0;
    scheduler.after(lateMs + random.int(1, 5) * second, () =>
      deps.onPrompt({ id, sessionId, msisdn: payer, at: now, answered: false }),
    );
  }

  async function push(order: PushRequest): Promise<PushResult> {
    const { sessionId } = order;
    const own = railRecord(sessionId);
    await scheduler.sleep(random.int(20, 400));
    if (isAway()) throw new Error('the rail is away');
    if (unlucky(habits.losesOrders)) {
      record(`the order for ${sessionId} is lost`);
      return new Promise<never>(() => {});
    }
    if (may('initiates_rejected', 0.2)) {
      own.isRefused = true;
      return { kind: 'rejected', reason: 'barred' };
    }
    show(order);
    if (habits.acceptDelayMs > 0) await scheduler.sleep(habits.acceptDelayMs);
    if (unlucky(habits.losesAnswers)) throw new Error('the answer of the rail was lost');
    return { kind: 'accepted' };
  }

  async function round(): Promise<number | undefined> {
    if (isAway()) throw new Error('the rail is away');
    for (const own of unreported) {
      if (own.knownAt <= scheduler.now() && !(await give(own))) throw new Error('a result was not taken');
    }
    const isOut = unreported.size > 0 || [...prompts.values()].some(({ ends }) => ends.length === 0);
    return isOut ? scheduler.now() + askAgainMs : undefined;
  }

  /** Returns the rail's record. It does not contain a late result, also after the service's long stop. */
  async function inquire(sessionId: string): Promise<RailInquiry> {
    await scheduler.sleep(random.int(20, 400));
    if (isAway()) throw new Error('the rail is away');
    if (unlucky(habits.losesAnswers)) return new Promise<never>(() => {});
    const shown = records.get(sessionId)?.shown ?? [];
    if (shown.length === 0) return { kind: 'not_prompted' };
    const known = shown.flatMap(({ ends }) => ends).find(({ knownAt }) => knownAt <= scheduler.now());
    return known ? { kind: 'result', result: resultOf(sessionId, known) } : { kind: 'pending' };
  }

  return {
    records: {
      of: (sessionId) => records.get(sessionId) ?? { isRefused: false, shown: [] },
      all: () => prompts.values(),
    },
    attach(_own, given) {
      report = given;
      return { push, round, inquire };
    },
    approve({ id }) {
      const shown = prompts.get(id);
      const last = shown?.ends.at(-1);
      if (!shown || (last && last.outcome !== 'expired')) return;
      // A late answer is mostly rejected, but sometimes charged.
      if (last && !may('late_money', 0.5)) return;
      if (!last && random.happens(0.08)) end(shown, 'insufficient_funds');
      else charge(shown);
    },
    decline({ id }) {
      const shown = prompts.get(id);
      if (shown?.ends.length === 0) end(shown, 'declined');
    },
    step() {},
    pendingCount: () => unreported.size,
    wellSince: () => (isAway() ? Number.POSITIVE_INFINITY : awayUntil),
    heal() {
      healed = true;
      awayUntil = Math.min(awayUntil, scheduler.now());
      for (const own of unreported) own.knownAt = Math.min(own.knownAt, scheduler.now());
    },
  };
}

function resultOf(sessionId: string, { at, outcome, chargedMinor }: End): RailResult {
  const common = { sessionId, at };
  return outcome === 'approved' ? { ...common, outcome, chargedMinor } : { ...common, outcome };
}
