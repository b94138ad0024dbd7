import { decisionBooking } from '../booking.ts';
import type { Collection } from '../collection.ts';
import type { EvidenceOf } from '../evidence.ts';
import { type Decision, noChange } from './decision.ts';

/** Applies a person's decision to a collection under review. A decision that no money supports changes nothing. */
export function decisionMade(collection: Collection, evidence: EvidenceOf<'decision'>): Decision {
  const { outcome, by, reason } = evidence;
  if (collection.review === null) return noChange;
  const booking = decisionBooking(collection, outcome);
  if (booking === 'impossible') return noChange;
  return {
    facts: [{ kind: 'decided', data: { outcome, by, reason } }],
    bookings: booking ? [booking] : [],
  };
}
