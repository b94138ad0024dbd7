import type { Chance } from '../chance.ts';
import type { Faults } from '../faults.ts';
import type { World } from '../world.ts';
import type { NewsDesk } from './news.ts';
import { factsOf, type OracleSession, type OracleState, type Prompt, stateOf } from './session.ts';

export type RailDeps = {
  world: World;
  chance: Chance;
  faults: Faults;
  news: NewsDesk;
  sessions: ReadonlyMap<string, OracleSession>;
  /** Every session that one key made. */
  sessionsOf(key: string): readonly OracleSession[];
  move(session: OracleSession, state: OracleState): void;
  tell(what: string): void;
  violate(rule: string, what: string): void;
  onPrompt(prompt: Prompt): void;
};

const second = 1000;
const minute = 60 * second;

/** Prompts on handsets, and the money that they move: whatever was taken is in the book, whoever learns of it. */
export function openRail({ world, chance, faults, news, sessions, move, tell, ...deps }: RailDeps) {
  const { may, of } = faults;

  /** Lights up a prompt, now or a good while after it was accepted. */
  function push(session: OracleSession): void {
    if (deps.sessionsOf(session.idempotencyKey).some((one) => one.prompts.length > 0))
      deps.violate('I1', `a second prompt for ${session.reference}, by ${session.id}`);
    const prompt: Prompt = {
      id: `${session.id}/${session.prompts.length + 1}`,
      sessionId: session.id,
      msisdn: session.msisdn,
      at: world.now(),
      answered: false,
    };
    session.prompts.push(prompt);
    tell(`${session.id} pushes a prompt`);
    news.gossip(session);
    const late = may('prompts_late', 0.5) ? of('prompts_late').int(10, 280) * second : 0;
    world.after(late + chance.int(1, 5) * second, () => deps.onPrompt(prompt));
    world.after(late + 5 * minute, () => expire(session));
  }

  function expire(session: OracleSession): void {
    if (stateOf(session) !== 'initiated') return;
    const outcome = chance.pick(['expired', 'failed'] as const);
    move(session, outcome);
    news.tell(session, 'failed', { ...factsOf(session), status: outcome, reason: 'prompt_expired' });
  }

  function fail(session: OracleSession, reason: string): void {
    session.takesLate = false;
    move(session, 'failed');
    news.tell(session, 'failed', { ...factsOf(session), status: 'failed', reason });
  }

  function decline(prompt: Prompt): void {
    const session = open(prompt);
    if (session && stateOf(session) === 'initiated') fail(session, 'declined');
  }

  function approve(prompt: Prompt): void {
    const session = open(prompt);
    if (!session) return;
    const state = stateOf(session);
    const isLate = state === 'expired' || state === 'failed';
    if (state !== 'initiated' && !(isLate && session.takesLate)) return;
    if (isLate) faults.note('late_money');
    if (state === 'initiated' && chance.happens(0.08)) fail(session, 'insufficient_funds');
    else take(session);
  }

  function take(session: OracleSession): void {
    session.charges += 1;
    session.paidAt = new Date(world.now()).toISOString();
    if (may('wrong_amounts', 0.25)) {
      takeOther(session);
      return;
    }
    session.takenMinor += session.amountMinor;
    tell(`${session.id} takes ${session.amountMinor} pesewas`);
    move(session, 'paid');
    news.tell(session, 'paid', { ...factsOf(session), status: 'paid', paid_at: session.paidAt });
    if (may('second_charges', 0.25))
      world.after(of('second_charges').int(1, 30 * 60) * second, () => chargeAgain(session));
  }

  /** Less or more than was asked for, or the same with another fee in it: said by the paid event, or by one of its own. */
  function takeOther(session: OracleSession): void {
    const own = of('wrong_amounts');
    const byMinor = own.pick([-1, 1, 0]) * own.int(1, 50);
    const takenMinor = Math.max(1, session.amountMinor + byMinor);
    session.isMismatch = true;
    session.takenMinor += takenMinor;
    tell(`${session.id} takes ${takenMinor} pesewas instead of ${session.amountMinor}`);
    const paid = { ...factsOf(session), status: 'paid', paid_at: session.paidAt };
    if (byMinor === 0 || own.happens(0.5)) {
      const feeMinor = session.feeMinor + (byMinor === 0 ? 1 : 0);
      move(session, 'paid');
      news.tell(session, 'paid', {
        ...paid,
        amount_minor: takenMinor,
        expected_fee_minor: feeMinor,
        expected_net_minor: takenMinor - feeMinor,
      });
      return;
    }
    move(session, 'review');
    const reason = byMinor < 0 ? 'paid_short' : 'paid_over';
    const review = { ...paid, status: 'review', paid_minor: takenMinor, reason };
    news.tell(session, 'review_amount_mismatch', review);
  }

  /** The rail takes the same money once more; the session stays paid. */
  function chargeAgain(session: OracleSession): void {
    session.charges += 1;
    session.takenMinor += session.amountMinor;
    tell(`${session.id} takes ${session.amountMinor} pesewas again`);
    news.tell(session, 'review_amount_mismatch', {
      ...factsOf(session),
      status: 'paid',
      paid_at: session.paidAt,
      paid_minor: session.amountMinor,
      reason: 'second_charge',
    });
  }

  function open(prompt: Prompt): OracleSession | undefined {
    if (prompt.answered) return undefined;
    prompt.answered = true;
    return sessions.get(prompt.sessionId);
  }

  return {
    push,
    approve,
    decline,
    /** Nobody answers a prompt any more, and what waits for one ends soon. */
    heal(): void {
      for (const session of sessions.values()) {
        for (const prompt of session.prompts) prompt.answered = true;
        if (stateOf(session) === 'initiated') world.after(chance.int(1, 10) * minute, () => expire(session));
      }
    },
  };
}
