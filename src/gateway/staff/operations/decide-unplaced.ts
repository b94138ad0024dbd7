import type { CollectionRow } from '../../collection/collection.ts';
import type { EvidenceOf } from '../../collection/evidence.ts';
import type { DecisionRefusal } from '../../collection/reason.ts';
import type { Booking } from '../../ledger/posting.ts';
import { decideUnplaced, type UnplacedOutcome, unplacedOutcomes } from '../../unplaced/decide.ts';
import type { UnplacedFact } from '../../unplaced/fact.ts';
import type { UnplacedPayment } from '../../unplaced/unplaced.ts';
import { refuse, type StaffAnswer, type StaffDeps } from '../operation.ts';
import type { Proposal } from '../proposal-store.ts';
import { describeRefusal, describeUnplacedRefusal } from '../reviews/describe.ts';
import { unknownCollection, unknownUnplaced } from '../subjects.ts';
import { bookingsAfter } from './read-unplaced.ts';

/** The terms of a proposal about an unplaced payment. */
export type UnplacedTerms = Pick<
  Proposal,
  'outcome' | 'evidence' | 'reference' | 'versionSeen' | 'targetId' | 'targetVersion' | 'proposedBy'
>;

type Match = { row: CollectionRow; evidence: EvidenceOf<'payment_matched'> };

/** What an approval writes: the fact of the payment, and for a match the collection with its evidence. */
export type UnplacedApproval = { payment: UnplacedPayment; fact: UnplacedFact; match?: Match };

/** Returns what the approval of these terms writes, or why the payment refuses them. The collection of a match is not asked yet. */
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
  const outcome = getOutcome(terms);
  const fact = decideUnplaced(payment, { outcome, grounds, reference, collectionId });
  if (typeof fact === 'string') return refuse('conflict', describeUnplacedRefusal(fact, payment));
  if (outcome !== 'match') return { ok: true, value: { payment, fact } };
  return prepareMatch(deps, { payment, fact }, terms, approvedBy);
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
  return { ok: true, value: { ...approval, match: { row, evidence } } };
}

/** Returns the bookings of an approval as of now, or why the collection of a match refuses it. */
export async function previewApproval(
  { reconciliation }: Pick<StaffDeps, 'reconciliation'>,
  { payment, fact, match }: UnplacedApproval,
): Promise<StaffAnswer<readonly Booking[]>> {
  const own = bookingsAfter(payment, fact);
  if (!match) return { ok: true, value: own };
  const { refused, bookings } = await reconciliation.preview(match.row, match.evidence);
  return refused ? matchRefusal(match, match.row, refused) : { ok: true, value: [...own, ...bookings] };
}

/** Returns why the collection, as it is now, cannot take the payment. */
export function matchRefusal(
  { evidence }: Match,
  row: CollectionRow,
  refused: DecisionRefusal,
): StaffAnswer<never> {
  if (refused === 'changed' && row.version !== evidence.versionSeen)
    return refuse('conflict', `facts of ${row.id} arrived since: look at it again, and propose again`);
  return refuse('conflict', describeRefusal(refused, row, 'match'));
}

function getOutcome({ outcome: name }: UnplacedTerms): UnplacedOutcome {
  const outcome = unplacedOutcomes.find((known) => known === name);
  if (outcome === undefined)
    throw new Error(`a proposal about an unplaced payment has the unknown outcome ${name}`);
  return outcome;
}
