import { book } from '../../ledger/posting.ts';
import { type Amounts, type Collection, isOpen, isUnconfirmed } from '../collection.ts';
import type { EvidenceOf, MatchedPayment } from '../evidence.ts';
import type { DecisionRefusal } from '../reason.ts';
import { type Decision, noChange, quotedAmounts } from './decision.ts';

/*
 * Unplaced payments that people match with a collection.
 */

/** Books an unplaced payment that people match with the collection. It is refused, and changes nothing, unless it fits. */
export function paymentMatched(collection: Collection, evidence: EvidenceOf<'payment_matched'>): Decision {
  const { payment, versionSeen, grounds } = evidence;
  const refused = refusalOf(collection, versionSeen);
  if (refused !== undefined) return { ...noChange, refused };
  const amounts = amountsOf(collection, payment);
  if (!amounts) return { ...noChange, refused: 'other_amount' };
  const { by, approvedBy, evidence: why } = grounds;
  const { unplacedId, paidAt } = payment;
  const data = { ...amounts, unplacedId, paidAt, by, approvedBy, evidence: why, versionSeen };
  return {
    facts: [{ kind: 'matched', data }],
    bookings: [book({ kind: 'paid', merchantId: collection.merchantId, ...amounts })],
  };
}

function refusalOf(collection: Collection, versionSeen: number): DecisionRefusal | undefined {
  if (collection.version !== versionSeen) return 'changed';
  if (collection.booked !== null) return 'already_booked';
  // A prompt may be on the handset, and polls may still prove a payment of its own.
  return isOpen(collection.status) || isUnconfirmed(collection) ? 'still_polled' : undefined;
}

/**
 * Returns the amounts to book: the quote when its total was charged, or what the event states when the collection has no
 * valid quote and the event states its price; undefined when another amount was charged.
 */
function amountsOf(collection: Collection, payment: MatchedPayment): Amounts | undefined {
  const { chargedMinor, goodsMinor, feeMinor, netMinor } = payment;
  if (goodsMinor !== null && goodsMinor !== collection.goodsMinor) return undefined;
  const quote = quotedAmounts(collection);
  if (quote?.amountMinor === chargedMinor && quote.netMinor === collection.goodsMinor)
    return isBalanced(quote) ? quote : undefined;
  if (goodsMinor === null || feeMinor === null || netMinor === null) return undefined;
  const stated = { amountMinor: chargedMinor, feeMinor, netMinor };
  const mayReplace = quote === undefined || !isBalanced(quote) || quote.netMinor !== collection.goodsMinor;
  return mayReplace && netMinor === collection.goodsMinor && isBalanced(stated) ? stated : undefined;
}

function isBalanced({ amountMinor, feeMinor, netMinor }: Amounts): boolean {
  return amountMinor > 0 && amountMinor === feeMinor + netMinor;
}
