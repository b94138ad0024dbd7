import type { ProposalView } from '../../contract/staff/review.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { maskNumbers } from '../../shared/mask-numbers.ts';
import { formatCedis } from '../../shared/money.ts';
import type { StaffAction } from '../access/action-store.ts';
import type { Actor } from '../access/actor.ts';
import type { Booking } from '../ledger/posting.ts';
import { refuse, type StaffAnswer } from './operation.ts';
import type { Proposal } from './proposal-store.ts';

/** An open proposal ends after this time. */
export const proposalLifetimeMs = 24 * 60 * 60_000;

/** Returns the state of a proposal now: an open one that is too old has expired, whether or not that was recorded. */
export function getState({ state, proposedAt }: Proposal, now: EpochMs): Proposal['state'] {
  return state === 'open' && now >= proposedAt + proposalLifetimeMs ? 'expired' : state;
}

/** Returns a proposal as people read it, with masked numbers. */
export function viewProposal(proposal: Proposal, now: EpochMs): ProposalView {
  const { proposedAt, decidedAt: _decidedAt, livemode: _livemode, ...rest } = proposal;
  return {
    ...rest,
    evidence: maskNumbers(rest.evidence),
    reference: rest.reference === null ? null : maskNumbers(rest.reference),
    state: getState(proposal, now),
    proposedAt: new Date(proposedAt).toISOString(),
    endsAt: new Date(proposedAt + proposalLifetimeMs).toISOString(),
  };
}

/** Returns the postings of bookings as people read them. */
export function viewPostings(bookings: readonly Booking[]) {
  return bookings.flatMap(({ kind: booking, postings }) => postings.map((side) => ({ booking, ...side })));
}

/** Returns the refusal of a proposal that is not open; undefined when it is. */
export function closedRefusal(proposal: Proposal, now: EpochMs): StaffAnswer<never> | undefined {
  const state = getState(proposal, now);
  if (state === 'open') return undefined;
  const by = proposal.decidedBy === null ? '' : ` by ${proposal.decidedBy}`;
  return refuse(
    'conflict',
    `the proposal ${proposal.id} is ${state}${by}: propose again if it is still right`,
  );
}

export type SecondPersonRule = {
  /** Above this amount, a second person must approve a decision. */
  secondPersonAboveMinor: number;
};

/** Returns the refusal of an approval by the author, where a second person is required; undefined otherwise. */
export function ownProposalRefusal(
  { secondPersonAboveMinor }: SecondPersonRule,
  { id, proposedBy }: Proposal,
  actor: Actor,
  amountMinor: number,
): StaffAnswer<never> | undefined {
  if (actor.name !== proposedBy || amountMinor <= secondPersonAboveMinor) return undefined;
  const limit =
    secondPersonAboveMinor === 0 || !Number.isFinite(amountMinor)
      ? ''
      : ` above ${formatCedis(secondPersonAboveMinor)}`;
  return refuse('conflict', `you proposed ${id}: another person must approve a decision${limit}`);
}

/** Returns the action of a person on a proposal. Its detail repeats the terms, so that the hash chain covers them. */
export function proposalAction(
  actor: Actor,
  action: 'propose' | 'approve' | 'withdraw' | 'refuse',
  proposal: Proposal,
  more: Readonly<Record<string, unknown>> = {},
): StaffAction {
  const { id, subjectKind, subjectId, merchantId, livemode, outcome, evidence, reference, versionSeen } =
    proposal;
  const { targetId: target, targetVersion } = proposal;
  const terms = {
    outcome,
    evidence,
    reference,
    versionSeen,
    ...(target === null ? {} : { target, targetVersion }),
  };
  return {
    ...{ actor, action },
    subject: { kind: subjectKind, id: subjectId, merchantId, livemode },
    detail: { proposal: id, ...terms, ...more },
  };
}
