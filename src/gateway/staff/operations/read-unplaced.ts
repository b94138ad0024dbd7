import type { z } from 'zod';
import type { ProposalView } from '../../../contract/staff/review.ts';
import {
  listUnplacedInput,
  type SuggestionView,
  type UnplacedDetail,
  type UnplacedView,
  unplacedDecisions,
  type unplacedPage,
} from '../../../contract/staff/unplaced.ts';
import { maskNumbers } from '../../../shared/msisdn.ts';
import { decideUnplaced, isPlaceable } from '../../unplaced/decide.ts';
import { changeUnplaced } from '../../unplaced/fact.ts';
import type { Suggestion } from '../../unplaced/suggestions-query.ts';
import type { UnplacedPayment } from '../../unplaced/unplaced.ts';
import { defineOperation, refuse, type StaffAnswer, type StaffDeps } from '../operation.ts';
import { viewPostings, viewProposal } from '../proposal-store.ts';
import { unplacedSubject } from '../subjects.ts';

/** Suggestions of one payment that is shown, and of each one of a list. */
export const maxSuggestions = 5;
export const maxListed = 1;

/** Lists unplaced payments, newest first, each with its best match and its open proposal. */
export const listUnplacedPayments = defineOperation({
  route: 'GET /unplaced',
  permission: 'cases.read',
  input: listUnplacedInput,
  async run(
    deps: StaffDeps,
    { input: { state, ...page } },
  ): Promise<StaffAnswer<z.infer<typeof unplacedPage>>> {
    const found = await deps.unplacedLists.list({ state: state === 'all' ? undefined : state }, page);
    if (found === 'unknown_cursor')
      return refuse('not_found', `after: no unplaced payment ${page.after}: use "next" of the previous page`);
    const data = await Promise.all(found.data.map((one) => readUnplacedView(deps, one, maxListed)));
    return { ok: true, value: { ...found, data } };
  },
});

/** Returns one unplaced payment with its suggestions, and the postings of each decision that is possible now. */
export const showUnplaced = defineOperation({
  route: 'GET /unplaced/:id',
  permission: 'cases.read',
  subject: unplacedSubject,
  async run(deps: StaffDeps, { subject: payment }): Promise<StaffAnswer<UnplacedDetail>> {
    const value = {
      ...(await readUnplacedView(deps, payment, maxSuggestions)),
      decisions: listDecisions(payment),
    };
    return { ok: true, value };
  },
});

/** Returns an unplaced payment as people read it, with its open proposal and its best suggestions. */
export async function readUnplacedView(
  deps: Pick<StaffDeps, 'proposals' | 'unplaced'> & {
    unplacedLists: Pick<StaffDeps['unplacedLists'], 'suggest'>;
    clock: Pick<StaffDeps['clock'], 'now'>;
  },
  payment: UnplacedPayment,
  limit: number,
): Promise<UnplacedView> {
  const proposal = await deps.proposals.findOpen(payment.id);
  const suggestions = isPlaceable(payment) ? await deps.unplacedLists.suggest(payment, limit) : [];
  return viewUnplaced(payment, {
    suggestions,
    proposal: proposal ? viewProposal(proposal, deps.clock.now()) : null,
    sessionCollectionId: await deps.unplaced.findCollection(payment),
  });
}

/** Returns the postings of the payment itself; those of a match with a collection are shown with its proposal. */
function listDecisions(payment: UnplacedPayment): UnplacedDetail['decisions'] {
  const grounds = { by: '', approvedBy: '', evidence: '', versionSeen: payment.version };
  return unplacedDecisions.flatMap((outcome) => {
    const fact = decideUnplaced(payment, { outcome, grounds, reference: '-', collectionId: '-' });
    return typeof fact === 'string'
      ? []
      : [{ outcome, postings: viewPostings(changeUnplaced(payment, [fact], payment.updatedAt).bookings) }];
  });
}

const masked = (text: string | null) => (text === null ? null : maskNumbers(text));
const time = (at: number) => new Date(at).toISOString();

type UnplacedDetails = {
  suggestions: readonly Suggestion[];
  proposal: ProposalView | null;
  /** The collection of the payment session. */
  sessionCollectionId: string | null;
};

/** Returns an unplaced payment as people and programs read it, with masked numbers. */
function viewUnplaced(
  payment: UnplacedPayment,
  { suggestions, proposal, sessionCollectionId }: UnplacedDetails,
): UnplacedView {
  const { livemode: _mode, updatedAt: _updated, netMinor: _net, goodsMinor, ...rest } = payment;
  return {
    ...rest,
    payer: masked(payment.payer),
    reference: masked(payment.reference),
    clientTransId: masked(payment.clientTransId),
    priceMinor: goodsMinor,
    sessionCollectionId,
    receivedAt: time(payment.receivedAt),
    closedAt: payment.closedAt === null ? null : time(payment.closedAt),
    proposal,
    suggestions: suggestions.map(viewSuggestion),
  };
}

function viewSuggestion({
  isSamePayer,
  isSameReference,
  goodsMinor,
  amountMinor,
  ...one
}: Suggestion): SuggestionView {
  return {
    ...one,
    payer: maskNumbers(one.payer),
    reference: maskNumbers(one.reference),
    priceMinor: goodsMinor,
    totalMinor: amountMinor,
    openedAt: time(one.openedAt),
    agrees: [
      'amount',
      ...(isSamePayer ? (['payer'] as const) : []),
      ...(isSameReference ? (['reference'] as const) : []),
    ],
  };
}
