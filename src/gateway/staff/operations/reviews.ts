import type { z } from 'zod';
import {
  type ProposalView,
  proposeInput,
  type ReviewRow,
  type ReviewView,
  type reviewList,
  reviewOutcomes,
  reviewQuery,
} from '../../../contract/staff/review.ts';
import { proposeUnplacedInput } from '../../../contract/staff/unplaced.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import { conflict, retryConflict, type Write } from '../../../sqlite/store.ts';
import { staffActionWrite } from '../../access/action-store.ts';
import { toAnswers } from '../../collection/answers.ts';
import { awaitsService, type CollectionRow } from '../../collection/collection.ts';
import type { Transition } from '../../collection/decide/decision.ts';
import type { EvidenceOf } from '../../collection/evidence.ts';
import { type CheckedCall, defineOperation, refuse, type StaffAnswer, type StaffDeps } from '../operation.ts';
import {
  closeProposalWrite,
  getProposalState,
  type Proposal,
  proposalWrite,
  viewPostings,
  viewProposal,
} from '../proposal-store.ts';
import { collectionSubject, unplacedSubject } from '../subjects.ts';
import { prepareDecision, proposalAction } from './proposals.ts';

/** Proposes a decision about a review, for another person to approve. One proposal per collection is open. */
export const propose = defineOperation({
  route: 'POST /reviews/:id/proposals',
  permission: 'proposals.make',
  input: proposeInput,
  subject: collectionSubject,
  run: (deps: StaffDeps, call) => proposeDecision(deps, 'collection', call),
});

/** Proposes a decision about an unplaced payment, for another person to approve. One proposal per payment is open. */
export const proposeUnplaced = defineOperation({
  route: 'POST /unplaced/:id/proposals',
  permission: 'proposals.make',
  input: proposeUnplacedInput,
  subject: unplacedSubject,
  run: (deps: StaffDeps, call) => proposeDecision(deps, 'unplaced', call),
});

type ProposeCall = CheckedCall<
  z.infer<typeof proposeInput> | z.infer<typeof proposeUnplacedInput>,
  Pick<Proposal, 'merchantId' | 'livemode'>
>;

function proposeDecision(
  deps: StaffDeps,
  subjectKind: Proposal['subjectKind'],
  { actor, id: subjectId, input, subject: { merchantId, livemode } }: ProposeCall,
): Promise<StaffAnswer<ProposalView>> {
  const { proposals, collections, clock, ids } = deps;
  const { outcome, evidence, reference = null, version: versionSeen } = input;
  const targetId = 'collectionId' in input ? (input.collectionId ?? null) : null;
  const terms = { outcome, evidence, reference, targetId, versionSeen, proposedBy: actor.name };
  return retryConflict(`proposals of ${subjectId}`, async () => {
    const prepared = await prepareDecision(
      deps,
      { subjectKind, subjectId, ...terms, targetVersion: null },
      actor,
    );
    if (prepared.refused) return prepared.refused;
    const { targetVersion } = prepared;
    const now = clock.now();
    const previous = await proposals.findOpen(subjectId);
    if (previous && (await isValid(deps, previous, now)))
      return refuse(
        'conflict',
        `${previous.id} by ${previous.proposedBy} is open: approve, refuse or withdraw it`,
      );
    const proposal: Proposal = {
      ...{ id: ids.next('prp'), subjectKind, subjectId, merchantId, livemode, ...terms, targetVersion },
      ...{ proposedAt: now, state: 'open', decidedBy: null, decidedAt: null },
    };
    // A proposal that can no longer be approved gives way.
    const closed: Write[] = previous ? [closeProposalWrite(previous.id, 'expired', null, now)] : [];
    const action = staffActionWrite(proposalAction(actor, 'propose', proposal), now);
    if (!(await collections.apply([...closed, proposalWrite(proposal), action]))) return conflict;
    return { ok: true, value: viewProposal(proposal, now) };
  });
}

/** Returns whether an open proposal can still be approved. */
async function isValid(deps: StaffDeps, proposal: Proposal, now: EpochMs): Promise<boolean> {
  if (getProposalState(proposal, now) !== 'open') return false;
  return (await prepareDecision(deps, proposal, { name: proposal.proposedBy })).refused === undefined;
}

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
