import { type ReviewRow, type ReviewView, reviewOutcomes } from '../../../contract/review.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import { awaitsService, type CollectionRow } from '../../collection/collection.ts';
import { decisionMade } from '../../collection/decide/review.ts';
import { viewPostings, viewProposal } from '../proposal.ts';
import type { Proposal } from '../proposal-store.ts';

/** Returns a review as people see it, with its open proposal. */
export function viewReview(row: CollectionRow, proposal: Proposal | null, now: EpochMs): ReviewRow {
  const { id: collectionId, merchantId, status, review, reason, version, amountMinor, booked } = row;
  return {
    ...{ collectionId, merchantId, status, review: review ?? '', reason, version, amountMinor, booked },
    priceMinor: row.goodsMinor,
    openedAt: new Date(row.openedAt).toISOString(),
    awaitsService: awaitsService(row),
    proposal: proposal === null ? null : viewProposal(proposal, now),
  };
}

/** Adds the postings of each decision that is possible now. */
export function viewDecisions(row: CollectionRow): ReviewView['decisions'] {
  const grounds = { by: '', approvedBy: '', evidence: '' };
  return reviewOutcomes.flatMap((outcome) => {
    const evidence = { kind: 'decision', outcome, versionSeen: row.version, grounds } as const;
    const { refused, bookings } = decisionMade(row, evidence);
    return refused ? [] : [{ outcome, postings: viewPostings(bookings) }];
  });
}
