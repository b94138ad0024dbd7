import type {
  PushRequest,
  PushResult,
  RailResult,
  ReportRailResult,
} from '../../../src/service/rail/rail.ts';
import { messageOf } from '../../../src/shared/errors.ts';
import type { Chance } from '../chance.ts';
import type { Faults } from '../faults.ts';
import type { Prompt } from '../oracle/session.ts';
import type { World } from '../world.ts';
import type { Host } from './host.ts';
import type { Carried, End, RailSide, Shown } from './rail.ts';

export type OutsideRailDeps = {
  world: World;
  chance: Chance;
  faults: Faults;
  host: Pick<Host, 'use'>;
  onPrompt(prompt: Prompt): void;
  tell(what: string): void;
};

const second = 1000;
const minute = 60 * second;

/** How long a payer may take: what the service counts on. */
const promptLifetimeMs = 2 * minute;

/** How often a rail is asked that has prompts out. */
const askAgainMs = 20 * second;

type OwnEnd = End & { sessionId: string; isTaken: boolean };
type OwnShown = Shown & { ends: OwnEnd[] };
type OwnCarried = Carried & { shown: OwnShown[] };

/**
 * A rail of somebody else's, written for the simulation from `src/service/rail/rail.ts` alone. Its book is its own: no fall of
 * the service touches it. It loses orders, answers and callbacks, says things twice, takes other amounts than it was
 * asked for, and cannot always be asked; but whatever it took it tells of in the end.
 */
export function openOutsideRail({ world, chance, faults, host, tell, ...deps }: OutsideRailDeps): RailSide {
  const { may, of } = faults;
  const book = new Map<string, OwnCarried>();
  const prompts = new Map<string, OwnShown>();
  const untold = new Set<OwnEnd>();
  const habits = {
    acceptDelayMs: chance.pick([0, 0, 700, 8 * second, 13_500]),
    losesOrders: chance.pick([0, 0, 0.15]),
    losesAnswers: chance.pick([0, 0, 0.2]),
    losesCallbacks: chance.pick([0, 0.3, 1]),
    repeats: chance.pick([0, 0.5]),
    isOftenAway: chance.happens(0.5),
  };
  let healed = false;
  let awayUntil = 0;
  let report: ReportRailResult | undefined;
  const unlucky = (probability: number) => !healed && chance.happens(probability);
  const isAway = () => world.now() < awayUntil;

  function goAway(): void {
    awayUntil = world.now() + chance.pick([30 * second, 5 * minute, 40 * minute]);
    tell(`the rail is away for ${(awayUntil - world.now()) / second} s`);
  }

  function planAbsence(): void {
    world.after(chance.int(10, 120) * minute, () => {
      if (healed) return;
      goAway();
      planAbsence();
    });
  }
  if (habits.isOftenAway) planAbsence();

  function carried(sessionId: string): OwnCarried {
    const known = book.get(sessionId) ?? { isRefused: false, shown: [] };
    book.set(sessionId, known);
    return known;
  }

  /** Gives a result to the service; it counts as taken once the service says so. */
  async function give(end: OwnEnd): Promise<boolean> {
    const { sessionId, at, outcome, chargedMinor } = end;
    const common = { sessionId, at };
    const result: RailResult =
      outcome === 'approved' ? { ...common, outcome, chargedMinor } : { ...common, outcome };
    try {
      const isTaken = await host.use(async () => {
        await report?.(result);
        return true;
      });
      tell(`the rail says ${outcome} of ${sessionId}: ${isTaken ? 'taken' : 'nobody hears it'}`);
      if (isTaken) untold.delete(end);
      return isTaken === true;
    } catch (fault) {
      tell(`the rail says ${outcome} of ${sessionId}: ${messageOf(fault)}`);
      return false;
    }
  }

  function end(shown: OwnShown, outcome: End['outcome'], chargedMinor = 0): void {
    const at = world.now();
    const { id, sessionId } = shown;
    const lateMs = may('late_money', 0.3) ? of('late_money').int(1, 30) * minute : 0;
    const own: OwnEnd = { sessionId, outcome, at, chargedMinor, knownAt: at + lateMs, isTaken: false };
    shown.ends.push(own);
    untold.add(own);
    tell(`${id} of ${sessionId} is ${outcome}${chargedMinor === 0 ? '' : `, ${chargedMinor} pesewas`}`);
    if (unlucky(habits.losesCallbacks)) return;
    const call = () => void (isAway() || give(own));
    const callMs = lateMs + chance.int(0, 3 * second);
    world.after(callMs, call);
    if (unlucky(habits.repeats)) world.after(callMs + chance.int(0, 10 * minute), call);
  }

  function charge(shown: OwnShown): void {
    const own = of('wrong_amounts');
    const byMinor = may('wrong_amounts', 0.6) ? own.pick([-1, 1]) * own.int(1, 50) : 0;
    end(shown, 'approved', Math.max(1, shown.amountMinor + byMinor));
    if (may('second_charges', 0.5))
      world.after(of('second_charges').int(1, 30 * 60) * second, () =>
        end(shown, 'approved', shown.amountMinor),
      );
  }

  function show({ sessionId, payer, amountMinor }: PushRequest): void {
    const now = world.now();
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
    carried(sessionId).shown.push(shown);
    prompts.set(id, shown);
    tell(`${id} of ${sessionId} lights up`);
    world.after(promptLifetimeMs, () => {
      if (shown.ends.length === 0) end(shown, 'expired');
    });
    // Where it hurts most: its prompt is out, and what becomes of it cannot be asked.
    if (habits.isOftenAway && unlucky(0.2))
      world.after(chance.int(1, 100) * second, () => healed || goAway());
    const lateMs = may('prompts_late', 0.5) ? of('prompts_late').int(10, 100) * second : 0;
    world.after(lateMs + chance.int(1, 5) * second, () =>
      deps.onPrompt({ id, sessionId, msisdn: payer, at: now, answered: false }),
    );
  }

  async function push(order: PushRequest): Promise<PushResult> {
    const { sessionId } = order;
    const own = carried(sessionId);
    await world.sleep(chance.int(20, 400));
    if (isAway()) throw new Error('the rail is away');
    if (unlucky(habits.losesOrders)) {
      tell(`the order for ${sessionId} is lost`);
      return new Promise<never>(() => {});
    }
    if (may('initiates_refused', 0.2)) {
      own.isRefused = true;
      return { kind: 'rejected', reason: 'barred' };
    }
    show(order);
    if (habits.acceptDelayMs > 0) await world.sleep(habits.acceptDelayMs);
    if (unlucky(habits.losesAnswers)) throw new Error('the answer of the rail was lost');
    return { kind: 'accepted' };
  }

  async function round(): Promise<number | undefined> {
    if (isAway()) throw new Error('the rail is away');
    for (const own of untold) {
      if (own.knownAt <= world.now() && !(await give(own))) throw new Error('a result was not taken');
    }
    const isOut = untold.size > 0 || [...prompts.values()].some(({ ends }) => ends.length === 0);
    return isOut ? world.now() + askAgainMs : undefined;
  }

  return {
    book: {
      of: (sessionId) => book.get(sessionId) ?? { isRefused: false, shown: [] },
      all: () => prompts.values(),
    },
    attach(_own, given) {
      report = given;
      return { push, round };
    },
    approve({ id }) {
      const shown = prompts.get(id);
      const last = shown?.ends.at(-1);
      if (!shown || (last && last.outcome !== 'expired')) return;
      // Whoever answers too late is mostly told so; the money of some goes all the same.
      if (last && !may('late_money', 0.5)) return;
      if (!last && chance.happens(0.08)) end(shown, 'insufficient_funds');
      else charge(shown);
    },
    decline({ id }) {
      const shown = prompts.get(id);
      if (shown?.ends.length === 0) end(shown, 'declined');
    },
    step() {},
    owes: () => untold.size,
    wellSince: () => (isAway() ? Number.POSITIVE_INFINITY : awayUntil),
    heal() {
      healed = true;
      awayUntil = Math.min(awayUntil, world.now());
      for (const own of untold) own.knownAt = Math.min(own.knownAt, world.now());
    },
  };
}
