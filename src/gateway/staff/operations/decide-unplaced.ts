import type { CollectionRow } from '../../collection/collection.ts';
import { paymentMatched } from '../../collection/decide/match.ts';
import type { EvidenceOf } from '../../collection/evidence.ts';
import type { Booking } from '../../ledger/posting.ts';
import { decideUnplaced, type UnplacedOutcome, unplacedOutcomes } from '../../unplaced/decide.ts';
import type { UnplacedFact } from '../../unplaced/fact.ts';
import type { UnplacedPayment } from '../../unplaced/unplaced.ts';
import { refuse, type StaffAnswer, type StaffDeps } from '../operation.ts';
import type { Proposal } from '../proposal-store.ts';
import { describeRefusal } from '../reviews/describe.ts';
import { describeUnplacedRefusal } from '../reviews/describe-unplaced.ts';
import { unknownCollection, unknownUnplaced } from '../subjects.ts';
import { bookingsAfter } from './read-unplaced.ts';

/** The terms of a proposal about an unplaced payment. */
export type UnplacedTerms = Pick<
  Proposal,
  'outcome' | 'evidence' | 'reference' | 'versionSeen' | 'targetId' | 'targetVersion' | 'proposedBy'
>;

/** What an approval would write: the fact of the payment, and for a match the collection with its evidence. */
export type UnplacedApproval = {
  payment: UnplacedPayment;
  fact: UnplacedFact;
  match?: { row: CollectionRow; evidence: EvidenceOf<'payment_matched'> };
  bookings: readonly Booking[];
};

/** Returns what the approval of these terms would write now, or why they are refused. */
export async function prepareApproval(
  deps: Pick<StaffDeps, 'unplaced' | 'collections'>,
  id: string,
  terms: UnplacedTerms,
  approvedBy: string,
): Promise<StaffAnswer<UnplacedApproval>> {
  const payment = await deps.unplaced.find(id);
  if (!payment) return unknownUnplaced(id);
  const { reference, targetId: collectionId, versionSeen, proposedBy: by, evidence } = terms;
  const grounds = { by, approvedBy, evidence, versionSeen };
  const outcome = outcomeOf(terms);
  const fact = decideUnplaced(payment, { outcome, grounds, reference, collectionId });
  if (typeof fact === 'string') return refuse('conflict', describeUnplacedRefusal(fact, payment));
  const bookings = bookingsAfter(payment, fact);
  if (outcome !== 'match') return { ok: true, value: { payment, fact, bookings } };
  return prepareMatch(deps, { payment, fact, bookings }, terms, approvedBy);
}

async function prepareMatch(
  { collections }: Pick<StaffDeps, 'collections'>,
  approval: UnplacedApproval,
  { targetId, targetVersion, proposedBy: by, evidence: why }: UnplacedTerms,
  approvedBy: string,
): Promise<StaffAnswer<UnplacedApproval>> {
  const { payment } = approval;
  const row = targetId === null ? undefined : await collections.find(targetId);
  if (!row) return unknownCollection(targetId ?? '');
  if (row.merchantId !== payment.merchantId || row.livemode !== payment.livemode)
    return refuse('conflict', `${row.id} is of another merchant or mode than ${payment.id}`);
  const { id: unplacedId, amountMinor, goodsMinor, feeMinor, netMinor, paidAt } = payment;
  const evidence = {
    kind: 'payment_matched',
    payment: { unplacedId, chargedMinor: amountMinor ?? 0, goodsMinor, feeMinor, netMinor, paidAt },
    versionSeen: targetVersion ?? row.version,
    grounds: { by, approvedBy, evidence: why },
  } as const;
  const { refused, bookings } = paymentMatched(row, evidence);
  if (refused === 'changed')
    return refuse('conflict', `facts of ${row.id} arrived since: look at it again, and propose again`);
  if (refused) return refuse('conflict', describeRefusal(refused, row, 'match'));
  return {
    ok: true,
    value: { ...approval, match: { row, evidence }, bookings: [...approval.bookings, ...bookings] },
  };
}

function outcomeOf({ outcome: name }: UnplacedTerms): UnplacedOutcome {
  const outcome = unplacedOutcomes.find((known) => known === name);
  if (outcome === undefined)
    throw new Error(`a proposal about an unplaced payment has the unknown outcome ${name}`);
  return outcome;
}
