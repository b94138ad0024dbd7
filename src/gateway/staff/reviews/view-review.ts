import { type ReviewRow, type ReviewView, reviewOutcomes } from '../../../contract/staff/review.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import { toAnswers } from '../../collection/answers.ts';
import { awaitsService, type CollectionRow } from '../../collection/collection.ts';
import type { Transition } from '../../collection/decide/decision.ts';
import type { EvidenceOf } from '../../collection/evidence.ts';
import { viewPostings, viewProposal } from '../proposal.ts';
import type { Proposal } from '../proposal-store.ts';

/** Returns a review as people see it, with its open proposal. */
export function viewReview(row: CollectionRow, proposal: Proposal | null, now: EpochMs): ReviewRow {
  const { id: collectionId, merchantId, status, review, reason, version, amountMinor, booked } = row;
  return {
    ...{ collectionId, merchantId, status, review: review ?? '', reason, version, amountMinor, booked },
    priceMinor: row.goodsMinor,
    answers: toAnswers(row, 'masked'),
    openedAt: new Date(row.openedAt).toISOString(),
    awaitsService: awaitsService(row),
    proposal: proposal === null ? null : viewProposal(proposal, now),
  };
}

/** What a decision about a collection would book, also without a running gateway. */
export type DecisionPreview = {
  reconciliation: {
    preview(
      row: CollectionRow,
      evidence: EvidenceOf<'decision'>,
    ): Promise<Pick<Transition, 'bookings' | 'refused'>>;
  };
};

/** Returns the postings of each decision that is possible now. */
export async function viewDecisions(
  { reconciliation }: DecisionPreview,
  row: CollectionRow,
): Promise<ReviewView['decisions']> {
  const decisions: ReviewView['decisions'] = [];
  for (const outcome of reviewOutcomes) {
    const grounds = { by: '', approvedBy: '', evidence: '' };
    const evidence = { kind: 'decision', outcome, versionSeen: row.version, grounds } as const;
    const { refused, bookings } = await reconciliation.preview(row, evidence);
    if (!refused) decisions.push({ outcome, postings: viewPostings(bookings) });
  }
  return decisions;
}
