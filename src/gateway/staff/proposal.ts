import type { ProposalView } from '../../contract/staff/review.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { maskNumbers } from '../../shared/msisdn.ts';
import type { Booking } from '../ledger/posting.ts';
import type { Proposal } from './proposal-store.ts';

/** An open proposal ends after this time. */
export const proposalLifetimeMs = 24 * 60 * 60_000;

/** Returns the state of a proposal now: an open one that is too old has expired, whether or not that was recorded. */
export function getProposalState({ state, proposedAt }: Proposal, now: EpochMs): Proposal['state'] {
  return state === 'open' && now >= proposedAt + proposalLifetimeMs ? 'expired' : state;
}

/** Returns a proposal as people read it, with masked numbers. */
export function viewProposal(proposal: Proposal, now: EpochMs): ProposalView {
  const { proposedAt, decidedAt: _decidedAt, livemode: _livemode, ...rest } = proposal;
  return {
    ...rest,
    evidence: maskNumbers(rest.evidence),
    reference: rest.reference === null ? null : maskNumbers(rest.reference),
    state: getProposalState(proposal, now),
    proposedAt: new Date(proposedAt).toISOString(),
    endsAt: new Date(proposedAt + proposalLifetimeMs).toISOString(),
  };
}

/** Returns the postings of bookings as people read them. */
export function viewPostings(bookings: readonly Booking[]) {
  return bookings.flatMap(({ kind: booking, postings }) => postings.map((side) => ({ booking, ...side })));
}
