import type { CollectionRow } from '../../collection/collection.ts';
import type { Decision } from '../../collection/decide/decision.ts';
import { withoutBooking } from '../../collection/decide/match.ts';
import { decisionMade } from '../../collection/decide/review.ts';
import type { EvidenceOf } from '../../collection/evidence.ts';
import { isGivenAway } from '../../unplaced/decide.ts';
import type { StaffDeps } from '../operation.ts';

/** Returns what a decision of people would do now. It never books money that people have given away before. */
export async function decisionNow(
  { unplaced }: Pick<StaffDeps, 'unplaced'>,
  row: CollectionRow,
  evidence: EvidenceOf<'decision'>,
): Promise<Decision> {
  const decided = decisionMade(row, evidence);
  const { merchantId, livemode, sessionId } = row;
  if (decided.bookings.length === 0 || sessionId === null) return decided;
  const charges = await unplaced.listBySession({ merchantId, livemode, sessionId });
  const payment = charges.find(({ charge }) => charge === 1);
  return payment && isGivenAway(payment, row.id) ? withoutBooking(row, decided) : decided;
}
