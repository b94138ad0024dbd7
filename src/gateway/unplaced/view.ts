import type { ProposalView } from '../../contract/staff/review.ts';
import type { SuggestionView, UnplacedView } from '../../contract/staff/unplaced.ts';
import { maskNumbers } from '../../shared/msisdn.ts';
import type { Suggestion } from './suggestions-query.ts';
import type { UnplacedPayment } from './unplaced.ts';

const masked = (text: string | null) => (text === null ? null : maskNumbers(text));
const time = (at: number) => new Date(at).toISOString();

export type UnplacedDetails = {
  suggestions: readonly Suggestion[];
  proposal: ProposalView | null;
  /** The collection of the payment session. */
  sessionCollectionId: string | null;
};

/** Returns an unplaced payment as people and programs read it, with masked numbers. */
export function viewUnplaced(
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
    payer: masked(one.payer) ?? '',
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
