import { knownStatus } from '../../../contract/service/reading.ts';
import type { StatedPayment } from '../../unplaced/unplaced.ts';
import type { Collection } from '../collection.ts';
import type { Evidence } from '../evidence.ts';

/**
 * Money of the collection's payment session that the collection does not explain: a second charge, or the payment of the
 * session itself when people matched other money with the collection. It becomes an unplaced payment of its own.
 */
export type ChargeBeside = Pick<StatedPayment, 'chargedMinor' | 'paidAt'> & {
  reports: 'payment' | 'second_charge';
};

/** Returns the money that evidence states beside the payment of the collection. A stale event is only a hint. */
export function chargeBeside(collection: Collection, evidence: Evidence): ChargeBeside | undefined {
  const isMatched = collection.unplacedId !== null && collection.status === 'paid';
  switch (evidence.kind) {
    case 'event_review':
      if (evidence.secondCharge) return secondCharge(evidence);
      return isMatched ? ownPayment(evidence.amountMinor, null) : undefined;
    case 'event_paid':
      return isMatched
        ? ownPayment(evidence.paidMinor ?? evidence.amounts.amountMinor, evidence.paidAt)
        : undefined;
    case 'polled': {
      if (evidence.currency !== undefined) return undefined;
      if (evidence.review?.secondCharge) return secondCharge(evidence.review);
      const isPaid = evidence.terminal && knownStatus(evidence.status) === 'paid';
      const chargedMinor = evidence.paidMinor ?? collection.amountMinor;
      return isMatched && isPaid ? ownPayment(chargedMinor, evidence.paidAt) : undefined;
    }
    default:
      return undefined;
  }
}

function secondCharge({
  amountMinor,
  paidAt,
}: {
  amountMinor: number | null;
  paidAt?: string;
}): ChargeBeside {
  return { reports: 'second_charge', chargedMinor: amountMinor, paidAt: paidAt ?? null };
}

function ownPayment(chargedMinor: number | null, paidAt: string | null): ChargeBeside {
  return { reports: 'payment', chargedMinor, paidAt };
}
