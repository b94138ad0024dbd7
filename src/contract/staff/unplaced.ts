import { z } from 'zod';
import { postingView, proposalView, transferReference } from './review.ts';
import { staffText } from './staff.ts';

/*
 * Unplaced payments in the gateway's API for support staff. Times are RFC 3339, amounts are pesewas.
 */

/** The decisions about an unplaced payment. */
export const unplacedDecisions = ['match', 'return', 'foreign'] as const;

/** A collection that the payment may belong to. */
const suggestion = z.object({
  collectionId: z.string(),
  shortReference: z.string(),
  reference: z.string(),
  status: z.string(),
  payer: z.string(),
  priceMinor: z.int(),
  /** The quoted total; null without a quote. */
  totalMinor: z.int().nullable(),
  openedAt: z.iso.datetime(),
  /** The fields that agree, besides the merchant and the mode. */
  agrees: z.array(z.enum(['amount', 'payer', 'reference'])),
});
export type SuggestionView = z.infer<typeof suggestion>;

export const unplacedView = z.object({
  id: z.string(),
  merchantId: z.string(),
  state: z.string(),
  version: z.int(),
  /** The amount that the payer was charged; null while no event states it. */
  amountMinor: z.int().nullable(),
  suspendedMinor: z.int(),
  priceMinor: z.int().nullable(),
  feeMinor: z.int().nullable(),
  payer: z.string().nullable(),
  reference: z.string().nullable(),
  clientTransId: z.string().nullable(),
  channel: z.string().nullable(),
  sessionId: z.string().nullable(),
  /** Number of the charge in its payment session: 1 is the payment of the session, 2 its second charge. */
  charge: z.int(),
  /** The collection of the payment session; null while none has it. */
  sessionCollectionId: z.string().nullable(),
  /** The event that first reported the money; null when a poll did. */
  eventId: z.string().nullable(),
  eventType: z.string(),
  reason: z.string(),
  note: z.string().nullable(),
  collectionId: z.string().nullable(),
  paidAt: z.string().nullable(),
  receivedAt: z.iso.datetime(),
  closedAt: z.iso.datetime().nullable(),
  proposal: proposalView.nullable(),
  /** Best first; empty unless the payment can still be matched. */
  suggestions: z.array(suggestion),
});
export type UnplacedView = z.infer<typeof unplacedView>;

/** An unplaced payment with the postings of each decision that is possible now. */
export const unplacedDetail = unplacedView.extend({
  decisions: z.array(z.object({ outcome: z.enum(unplacedDecisions), postings: z.array(postingView) })),
});
export type UnplacedDetail = z.infer<typeof unplacedDetail>;

export const unplacedPage = z.object({
  data: z.array(unplacedView),
  total: z.int(),
  /** The sum of what is in suspense, of all payments of the list. */
  suspendedMinor: z.int(),
  /** The cursor of the next page; null on the last one. */
  next: z.string().nullable(),
});

const maxPage = 100;

export const listUnplacedInput = z.strictObject({
  state: z.enum(['open', 'placed', 'returned', 'foreign', 'all']).default('open'),
  limit: z.coerce.number().int().min(1).max(maxPage).default(maxPage),
  after: z.string().max(64).optional(),
});

export const proposeUnplacedInput = z
  .strictObject({
    outcome: z.enum(unplacedDecisions, `expected one of ${unplacedDecisions.join(', ')}`),
    evidence: staffText,
    reference: transferReference.optional(),
    /** The collection of a match. */
    collectionId: z.string().min(1).max(64).optional(),
    /** The version of the unplaced payment that the author saw. */
    version: z.int('expected the version of the unplaced payment that you saw').positive(),
  })
  .refine(({ outcome, reference }) => (outcome === 'return') === (reference !== undefined), {
    path: ['reference'],
    message: 'expected the reference of the transfer for the outcome return, and only for it',
  })
  .refine(({ outcome, collectionId }) => (outcome === 'match') === (collectionId !== undefined), {
    path: ['collectionId'],
    message: 'expected a collection for the outcome match, and only for it',
  });
