import { minute, second } from '../../kit/clock.ts';
import type { Faults } from '../faults.ts';
import type { Part } from '../scene.ts';
import type { EventSender } from './events.ts';
import {
  factsInDollars,
  factsOf,
  type OracleSession,
  type OracleState,
  type Prompt,
  stateOf,
} from './session.ts';

export type RailDeps = Part & {
  faults: Faults;
  events: EventSender;
  sessions: ReadonlyMap<string, OracleSession>;
  /** Returns every session that calls with one key created. */
  sessionsOf(key: string): readonly OracleSession[];
  move(session: OracleSession, state: OracleState): void;
  record(what: string): void;
  onPrompt(prompt: Prompt): void;
};

/** Simulates the rail: prompts on phones, and the money that they move. Every charge is recorded. */
export function createRail({ scheduler, random, faults, events, sessions, move, record, ...deps }: RailDeps) {
  const { may, of } = faults;

  /** Shows a prompt, now or with a delay after it was accepted. */
  function push(session: OracleSession): void {
    if (deps.sessionsOf(session.idempotencyKey).some((one) => one.prompts.length > 0))
      deps.violate('I1', `a second prompt for ${session.reference}, by ${session.id}`);
    const prompt: Prompt = {
      id: `${session.id}/${session.prompts.length + 1}`,
      sessionId: session.id,
      msisdn: session.msisdn,
      at: scheduler.now(),
      answered: false,
    };
    session.prompts.push(prompt);
    record(`${session.id} pushes a prompt`);
    events.sendForeignEvents(session);
    const late = may('prompts_late', 0.5) ? of('prompts_late').int(10, 280) * second : 0;
    scheduler.after(late + random.int(1, 5) * second, () => deps.onPrompt(prompt));
    scheduler.after(late + 5 * minute, () => expire(session));
  }

  function expire(session: OracleSession): void {
    if (stateOf(session) !== 'initiated') return;
    const outcome = random.pick(['expired', 'failed'] as const);
    move(session, outcome);
    events.report(session, 'failed', { ...factsOf(session), status: outcome, reason: 'prompt_expired' });
  }

  function fail(session: OracleSession, reason: string): void {
    session.acceptsLateApproval = false;
    move(session, 'failed');
    events.report(session, 'failed', { ...factsOf(session), status: 'failed', reason });
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
    if (state !== 'initiated' && !(isLate && session.acceptsLateApproval)) return;
    if (isLate) faults.note('late_money');
    if (state === 'initiated' && random.happens(0.08)) fail(session, 'insufficient_funds');
    else take(session);
  }

  function take(session: OracleSession): void {
    session.charges += 1;
    session.paidAt = new Date(scheduler.now()).toISOString();
    if (may('wrong_amounts', 0.25)) {
      takeOther(session);
      return;
    }
    session.takenMinor += session.amountMinor;
    record(`${session.id} takes ${session.amountMinor} pesewas`);
    move(session, 'paid');
    if (may('other_currency', 0.3)) session.isOtherCurrency = true;
    const facts = session.isOtherCurrency ? factsInDollars(session) : factsOf(session);
    events.report(session, 'paid', { ...facts, status: 'paid', paid_at: session.paidAt });
    if (may('second_charges', 0.25))
      scheduler.after(of('second_charges').int(1, 30 * 60) * second, () => chargeAgain(session));
  }

  /** Charges another amount, or the same with another fee, and reports it in the paid event or in a review event. */
  function takeOther(session: OracleSession): void {
    const own = of('wrong_amounts');
    const byMinor = own.pick([-1, 1, 0]) * own.int(1, 50);
    const takenMinor = Math.max(1, session.amountMinor + byMinor);
    session.isMismatch = true;
    session.takenMinor += takenMinor;
    record(`${session.id} takes ${takenMinor} pesewas instead of ${session.amountMinor}`);
    const paid = { ...factsOf(session), status: 'paid', paid_at: session.paidAt };
    if (byMinor === 0 || own.happens(0.5)) {
      const feeMinor = session.feeMinor + (byMinor === 0 ? 1 : 0);
      move(session, 'paid');
      events.report(session, 'paid', {
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
    events.report(session, 'review_amount_mismatch', review);
  }

  /** Charges the same amount again; the session stays paid. */
  function chargeAgain(session: OracleSession): void {
    session.charges += 1;
    session.takenMinor += session.amountMinor;
    record(`${session.id} takes ${session.amountMinor} pesewas again`);
    events.report(session, 'review_amount_mismatch', {
      ...factsOf(session),
      status: 'paid',
      paid_at: session.paidAt,
      paid_minor: session.amountMinor,
      reason: 'second_charge',
    });
    const own = of('second_charges');
    if (own.happens(0.5)) scheduler.after(own.int(1, 120) * minute, () => refundSecond(session));
  }

  /** Returns the second charge to the payer. */
  function refundSecond(session: OracleSession): void {
    const { amountMinor } = session;
    session.refundedMinor += amountMinor;
    record(`${session.id} returns ${amountMinor} pesewas`);
    events.report(session, 'refund_settled', {
      ...factsOf(session),
      status: 'paid',
      paid_at: session.paidAt,
      reason: 'second_charge',
      refund: { state: 'settled', amount_minor: amountMinor, reference: 'MP-1', settled_by: 'Ama' },
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
    /** Ends the answers of payers. Open sessions expire soon. */
    heal(): void {
      for (const session of sessions.values()) {
        for (const prompt of session.prompts) prompt.answered = true;
        if (stateOf(session) === 'initiated')
          scheduler.after(random.int(1, 10) * minute, () => expire(session));
      }
    },
  };
}
