import { z } from 'zod';
import { paymentAnswers } from '../merchant/notification.ts';
import { staffText } from './staff.ts';

/*
 * Reviews and decisions in the gateway's API for support staff. Times are RFC 3339, amounts are pesewas.
 */

/** The decisions about the money of a review. */
export const reviewOutcomes = ['accept', 'returned', 'paid', 'not_paid'] as const;

export const postingView = z.object({ booking: z.string(), account: z.string(), amountMinor: z.int() });
export type PostingView = z.infer<typeof postingView>;

export const proposalView = z.object({
  id: z.string(),
  subjectKind: z.string(),
  subjectId: z.string(),
  merchantId: z.string(),
  outcome: z.string(),
  evidence: z.string(),
  reference: z.string().nullable(),
  versionSeen: z.int(),
  /** The collection to match an unplaced payment with; null for other proposals. */
  targetId: z.string().nullable(),
  targetVersion: z.int().nullable(),
  proposedBy: z.string(),
  proposedAt: z.iso.datetime(),
  endsAt: z.iso.datetime(),
  state: z.string(),
  decidedBy: z.string().nullable(),
});
export type ProposalView = z.infer<typeof proposalView>;

/** A proposal with what its approval would write. */
export const proposalPreview = z.object({
  proposal: proposalView,
  /** The effect of an approval in one sentence, with masked numbers. */
  sentence: z.string(),
  /** The money that is decided about; null when no event states the amount. */
  amountMinor: z.int().nullable(),
  postings: z.array(postingView),
  /** Why this person cannot approve it now; null when the person can. */
  obstacle: z.string().nullable(),
  /** The reason why it cannot be approved, such as facts that arrived since; null for another proposal. */
  stale: z.string().nullable(),
  /** The version of its subject now, for another proposal. */
  subjectVersion: z.int(),
  /** Why it was refused; null for another proposal. */
  refusal: z.string().nullable(),
});
export type ProposalPreview = z.infer<typeof proposalPreview>;

/** Proposals of one answer. */
export const maxProposals = 50;

/** `waiting`: the open ones, the oldest first. `ended`: the others, the newest first. */
export const proposalQuery = z.strictObject({ state: z.enum(['waiting', 'ended']).default('waiting') });

export const proposalList = z.object({
  data: z.array(proposalPreview),
  /** True when there are more than fit into an answer. */
  isCut: z.boolean(),
});

export const refuseInput = z.strictObject({ reason: staffText });

const reviewRow = z.object({
  collectionId: z.string(),
  merchantId: z.string(),
  status: z.string(),
  review: z.string(),
  reason: z.string().nullable(),
  version: z.int(),
  priceMinor: z.int(),
  /** Price and fee as quoted, or the amount that arrived. */
  amountMinor: z.int().nullable(),
  booked: z.string().nullable(),
  /** With masked numbers. */
  answers: paymentAnswers,
  openedAt: z.iso.datetime(),
  /** The service decides about the money, and polls will show the decision. */
  awaitsService: z.boolean(),
  proposal: proposalView.nullable(),
});
export type ReviewRow = z.infer<typeof reviewRow>;

export const reviewList = z.object({
  data: z.array(reviewRow),
  total: z.int(),
  /** The cursor of the next page: the id of a collection; null on the last page. */
  next: z.string().nullable(),
});

/** Reviews of one answer. */
export const maxReviews = 100;

export const reviewQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(maxReviews).default(maxReviews),
  after: z.string().max(64).optional(),
});

/** A review with the postings of each decision that is possible now. */
export const reviewView = reviewRow.extend({
  decisions: z.array(z.object({ outcome: z.enum(reviewOutcomes), postings: z.array(postingView) })),
});
export type ReviewView = z.infer<typeof reviewView>;

const referenceExpected = 'expected a reference of 1 to 100 characters';
export const transferReference = z
  .string(referenceExpected)
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]{0,98}[\x21-\x7e])?$/, referenceExpected);

export const proposeInput = z
  .strictObject({
    outcome: z.enum(reviewOutcomes, `expected one of ${reviewOutcomes.join(', ')}`),
    evidence: staffText,
    reference: transferReference.optional(),
    /** The version of the collection that the author saw. */
    version: z.int('expected the version of the collection that you saw').positive(),
  })
  .refine(({ outcome, reference }) => (outcome === 'returned') === (reference !== undefined), {
    path: ['reference'],
    message: 'expected the reference of the transfer for the outcome returned, and only for it',
  });

export const noInput = z.strictObject({});
