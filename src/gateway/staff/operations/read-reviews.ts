import type { z } from 'zod';
import {
  type ReviewRow,
  type ReviewView,
  type reviewList,
  reviewOutcomes,
  reviewQuery,
} from '../../../contract/staff/review.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import { toAnswers } from '../../collection/answers.ts';
import { awaitsService, type CollectionRow } from '../../collection/collection.ts';
import type { Transition } from '../../collection/decide/decision.ts';
import type { EvidenceOf } from '../../collection/evidence.ts';
import { defineOperation, refuse, type StaffAnswer, type StaffDeps } from '../operation.ts';
import { type Proposal, viewPostings, viewProposal } from '../proposal-store.ts';
import { collectionSubject } from '../subjects.ts';

/** Lists the newest reviews, each with its open proposal. */
export const listReviews = defineOperation({
  route: 'GET /reviews',
  permission: 'cases.read',
  input: reviewQuery,
  async run(deps: StaffDeps, { input }): Promise<StaffAnswer<z.infer<typeof reviewList>>> {
    const value = await readReviewPage(deps, input);
    if (value !== 'unknown_cursor') return { ok: true, value };
    return refuse('not_found', `after: no collection ${input.after}: use "next" of the previous page`);
  },
});

/** Dependencies of reads of reviews, also without a running gateway. */
type ReviewReadDeps = DecisionPreview & {
  proposals: StaffDeps['proposals'];
  collections: Pick<StaffDeps['collections'], 'find'>;
  clock: Pick<StaffDeps['clock'], 'now'>;
};

/** Reads a page of the reviews, newest first. */
export async function readReviewPage(
  { collections, proposals, clock }: Omit<ReviewReadDeps, 'reconciliation'>,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<z.infer<typeof reviewList> | 'unknown_cursor'> {
  const last = after === undefined ? undefined : await collections.find(after);
  if (after !== undefined && !last) return 'unknown_cursor';
  const found = await proposals.listReviews(limit + 1, last);
  const page = found.slice(0, limit);
  const data = page.map(({ row, proposal }) => viewReview(row, proposal, clock.now()));
  const next = found.length > limit ? (page.at(-1)?.row.id ?? null) : null;
  return { data, total: await proposals.countReviews(), next };
}

/** Returns one review with the postings of each decision that is possible now. */
export const showReview = defineOperation({
  route: 'GET /reviews/:id',
  permission: 'cases.read',
  subject: collectionSubject,
  async run(deps: StaffDeps, { id, subject: row }): Promise<StaffAnswer<ReviewView>> {
    const value = await readReview(deps, row);
    return value ? { ok: true, value } : refuse('conflict', `${id} is ${row.status} and not in review`);
  },
});

/** Returns the review of a collection; undefined for one that is not in review. */
export async function readReview(
  deps: Omit<ReviewReadDeps, 'collections'>,
  row: CollectionRow,
): Promise<ReviewView | undefined> {
  if (row.review === null) return undefined;
  const proposal = (await deps.proposals.findOpen(row.id)) ?? null;
  return { ...viewReview(row, proposal, deps.clock.now()), decisions: await viewDecisions(deps, row) };
}

/** Returns a review as people see it, with its open proposal. */
function viewReview(row: CollectionRow, proposal: Proposal | null, now: EpochMs): ReviewRow {
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

/** The bookings of a decision about a collection, also without a running gateway. */
export type DecisionPreview = {
  reconciliation: {
    preview(
      row: CollectionRow,
      evidence: EvidenceOf<'decision'>,
    ): Promise<Pick<Transition, 'bookings' | 'refused'>>;
  };
};

/** Returns the postings of each decision that is possible now. */
async function viewDecisions(
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
