import { unreachable } from '../../shared/errors.ts';
import { formatCedis } from '../../shared/money.ts';
import { maskNumbers } from '../../shared/msisdn.ts';
import { showShortReference } from '../../shared/short-reference.ts';
import type { Write } from '../../sqlite/store.ts';
import { type CollectionRow, type DecisionRefusal, decisionOutcomes } from '../collection/collection.ts';
import { watchMs } from '../collection/decide/decision.ts';
import type { ChainedFact } from '../ledger/chain.ts';
import type { Booking } from '../ledger/posting.ts';
import { decideUnplaced, type UnplacedRefusal, unplacedOutcomes } from '../unplaced/decide.ts';
import { changeUnplaced, type UnplacedChange } from '../unplaced/fact.ts';
import type { UnplacedPayment } from '../unplaced/unplaced.ts';
import { unplacedWrites } from '../unplaced/unplaced-store.ts';
import { type OperationRefusal, refuse, type StaffDeps } from './operation.ts';
import type { Proposal } from './proposal-store.ts';
import { unknownCollection, unknownUnplaced } from './subjects.ts';

/** The terms of a proposal: what is decided about which version of its subject, and why. */
export type DecisionTerms = Pick<
  Proposal,
  | 'subjectId'
  | 'outcome'
  | 'evidence'
  | 'reference'
  | 'versionSeen'
  | 'targetId'
  | 'targetVersion'
  | 'proposedBy'
>;

type DecisionDeps = Pick<StaffDeps, 'collections' | 'unplaced' | 'reconciliation' | 'ledger' | 'clock'>;

/** A decision as its approval would apply it now. */
export type PreparedDecision = {
  /** The money that is decided about. */
  amountMinor: number;
  /** The bookings of now, also when facts arrived that the author has not seen. They do not depend on who reads. */
  bookings: readonly Booking[];
  /** The version of the subject now. */
  version: number;
} & (
  | { refused: OperationRefusal }
  | {
      refused?: undefined;
      /** The version of the collection that an unplaced payment is matched with. */
      targetVersion: number | null;
      /** Writes the decision and `writes` in one batch. Returns why nothing was written. */
      apply(
        writes: readonly Write[],
        isProposalOpen: () => Promise<boolean>,
      ): Promise<OperationRefusal | undefined>;
    }
);

type Prepare = (deps: DecisionDeps, terms: DecisionTerms, approvedBy: string) => Promise<PreparedDecision>;

/** Prepares a decision about each kind of subject. Reads only. */
export const decisionSubjects = {
  collection: prepareReview,
  unplaced: prepareUnplaced,
} as const satisfies Record<Proposal['subjectKind'], Prepare>;

const nothing = { amountMinor: 0, bookings: [], version: 0 };

async function prepareReview(
  { collections, reconciliation, ledger }: DecisionDeps,
  { subjectId, versionSeen, reference, proposedBy: by, evidence: why, ...terms }: DecisionTerms,
  approvedBy: string,
): Promise<PreparedDecision> {
  const read = await collections.find(subjectId);
  if (!read) return { ...nothing, refused: unknownCollection(subjectId) };
  const outcome = findOutcome(decisionOutcomes, terms.outcome, subjectId);
  const grounds = { by, approvedBy, evidence: why, ...(reference === null ? {} : { reference }) };
  const evidence = { kind: 'decision', outcome, versionSeen, grounds } as const;
  const explain = async (row: CollectionRow, refused: DecisionRefusal): Promise<OperationRefusal> => {
    const isChanged = refused === 'changed' && row.version !== versionSeen;
    const message = isChanged
      ? describeChanges(await ledger.factsOf(row.id), versionSeen)
      : describeRefusal(refused, row, outcome);
    return refuse('conflict', message);
  };
  const { refused, bookings } = await reconciliation.preview(read, {
    ...evidence,
    versionSeen: read.version,
  });
  const decided = { amountMinor: amountToDecide(read), bookings, version: read.version };
  const reason = read.version === versionSeen ? refused : 'changed';
  if (reason) return { ...decided, refused: await explain(read, reason) };
  return {
    ...decided,
    targetVersion: null,
    async apply(writes, mayApply) {
      const applied = await reconciliation.apply(read, evidence, { with: writes, mayApply });
      return applied.refused && explain(applied.row, applied.refused);
    },
  };
}

/** The larger of the price and the money that arrived. Money in another currency can be of any size. */
function amountToDecide({ review, amountMinor, goodsMinor }: CollectionRow): number {
  return review === 'other_currency' ? Number.POSITIVE_INFINITY : Math.max(amountMinor ?? 0, goodsMinor);
}

async function prepareUnplaced(
  deps: DecisionDeps,
  terms: DecisionTerms,
  approvedBy: string,
): Promise<PreparedDecision> {
  const { subjectId: id, reference, targetId: collectionId, versionSeen, proposedBy: by, evidence } = terms;
  const payment = await deps.unplaced.find(id);
  if (!payment) return { ...nothing, refused: unknownUnplaced(id) };
  const outcome = findOutcome(unplacedOutcomes, terms.outcome, id);
  const grounds = { by, approvedBy, evidence, versionSeen: payment.version };
  const fact = decideUnplaced(payment, { outcome, grounds, reference, collectionId });
  // Money of an unknown amount can be of any size.
  const amountMinor = payment.amountMinor || Number.POSITIVE_INFINITY;
  const { version } = payment;
  if (typeof fact === 'string')
    return {
      ...{ amountMinor, bookings: [], version },
      refused: refuse('conflict', describeUnplaced(fact, payment)),
    };
  const change = changeUnplaced(payment, [fact], deps.clock.now());
  const prepared: PreparedDecision =
    outcome === 'match'
      ? await prepareMatch(deps, { payment, change, amountMinor }, terms, approvedBy)
      : prepareChange(deps, { payment, change, amountMinor });
  if (version === versionSeen || prepared.refused) return prepared;
  return {
    ...{ amountMinor: prepared.amountMinor, bookings: prepared.bookings, version },
    refused: refuse('conflict', describeUnplaced('changed', payment)),
  };
}

/** An unplaced payment and the change that a decision makes. */
type DecidedPayment = { payment: UnplacedPayment; change: UnplacedChange; amountMinor: number };

/** Prepares a decision about the payment alone. */
function prepareChange(
  deps: DecisionDeps,
  { payment: { id, version }, change, amountMinor }: DecidedPayment,
): PreparedDecision {
  return {
    ...{ amountMinor, bookings: change.bookings, version },
    targetVersion: null,
    async apply(writes) {
      const isApplied = await deps.collections.apply([...unplacedWrites(change), ...writes]);
      return isApplied ? undefined : changedMeanwhile(id);
    },
  };
}

const changedMeanwhile = (id: string) =>
  refuse('conflict', `${id} or its proposal changed meanwhile: look at it again`);

/** Prepares a match: the collection takes the payment in the same batch. */
async function prepareMatch(
  { collections, unplaced, reconciliation }: DecisionDeps,
  { payment, change, amountMinor }: DecidedPayment,
  { targetId, targetVersion, proposedBy: by, evidence: why }: DecisionTerms,
  approvedBy: string,
): Promise<PreparedDecision> {
  const read = targetId === null ? undefined : await collections.find(targetId);
  const { version } = payment;
  if (!read) return { amountMinor, bookings: [], version, refused: unknownCollection(targetId ?? '') };
  const decided = { amountMinor: Math.max(amountMinor, read.goodsMinor), bookings: [], version };
  if (read.merchantId !== payment.merchantId || read.livemode !== payment.livemode)
    return {
      ...decided,
      refused: refuse('conflict', `${read.id} is of another merchant or mode than ${payment.id}`),
    };
  const { id: unplacedId, amountMinor: chargedMinor, goodsMinor, feeMinor, netMinor, paidAt } = payment;
  const versionSeen = targetVersion ?? read.version;
  const evidence = {
    kind: 'payment_matched',
    payment: { unplacedId, chargedMinor: chargedMinor ?? 0, goodsMinor, feeMinor, netMinor, paidAt },
    versionSeen,
    grounds: { by, approvedBy, evidence: why },
  } as const;
  const explain = (row: CollectionRow, refused: DecisionRefusal): OperationRefusal => {
    if (refused === 'changed' && row.version !== versionSeen)
      return refuse('conflict', `facts of ${row.id} arrived since: look at it again, and propose again`);
    return refuse('conflict', describeRefusal(refused, row, 'match'));
  };
  const { refused, ...preview } = await reconciliation.preview(read, {
    ...evidence,
    versionSeen: read.version,
  });
  const bookings = [...change.bookings, ...preview.bookings];
  const reason = refused ?? (read.version === versionSeen ? undefined : 'changed');
  if (reason) return { ...decided, ...(!refused && { bookings }), refused: explain(read, reason) };
  return {
    ...decided,
    bookings,
    targetVersion: read.version,
    async apply(writes, isProposalOpen) {
      const applied = await reconciliation.apply(read, evidence, {
        with: [...unplacedWrites(change), ...writes],
        // Only the payment and the proposal can lose, and neither comes back.
        mayApply: async () =>
          (await unplaced.find(payment.id))?.version === payment.version && (await isProposalOpen()),
      });
      if (applied.refused === undefined) return undefined;
      const isOfPayment = applied.refused === 'changed' && applied.row.version === versionSeen;
      return isOfPayment ? changedMeanwhile(payment.id) : explain(applied.row, applied.refused);
    },
  };
}

function findOutcome<Outcome extends string>(
  outcomes: readonly Outcome[],
  name: string,
  subjectId: string,
): Outcome {
  const outcome = outcomes.find((known) => known === name);
  if (outcome === undefined) throw new Error(`a proposal about ${subjectId} has the unknown outcome ${name}`);
  return outcome;
}

/** Kinds of facts that a message lists. */
const maxKinds = 5;

/** Returns what happened to a collection since a person saw it, and what to do. */
function describeChanges(facts: readonly ChainedFact[], versionSeen: number): string {
  const since = facts.filter(({ version }) => version > versionSeen);
  if (since.length === 0) return `the collection has no version ${versionSeen}: look at it again`;
  const kinds = since.slice(0, maxKinds).map(({ kind }) => kind);
  const more = since.length > maxKinds ? ', …' : '';
  return (
    `facts arrived since version ${versionSeen} (${kinds.join(', ')}${more}): ` +
    'look at the collection again, and propose again if it is still right'
  );
}

/** Returns why a decision is not possible, and what to do. */
function describeRefusal(refused: DecisionRefusal, row: CollectionRow, outcome: string): string {
  switch (refused) {
    case 'changed':
      return 'facts arrived meanwhile: look at the collection again';
    case 'no_review':
      return `the collection is ${row.status} and not in review: nothing is to be decided`;
    case 'still_polled':
      return `the collection is ${row.status}, and the gateway still polls it: wait for the result`;
    case 'service_decides':
      return (
        `the service decides about the money of ${row.id}: there is nothing to propose before ` +
        `${new Date((row.awaitsServiceSince ?? 0) + watchMs).toISOString()}`
      );
    case 'impossible':
      return row.booked === null
        ? `${outcome}: no money of this collection is recorded. If it was paid, propose paid; if not, not_paid`
        : `${outcome}: the money of this collection is recorded (${row.booked}). Propose accept or returned`;
    case 'already_booked':
      return `${outcome}: ${row.id} has its money already (${row.booked}): it cannot take another payment`;
    case 'other_amount':
      return (
        `${outcome}: another amount arrived than ${row.id} asked for (${formatCedis(row.amountMinor ?? row.goodsMinor)}): ` +
        'choose another collection, or return the money'
      );
    case 'given_away':
      return (
        `${outcome}: another decision gave the money of ${row.sessionId} away: find it with ` +
        `"dialtill unplaced list --state all". If the payer has not paid again, propose not_paid`
      );
    default:
      return unreachable(refused);
  }
}

/** Returns why a decision about an unplaced payment is not possible, and what to do. */
function describeUnplaced(refused: UnplacedRefusal, payment: UnplacedPayment): string {
  const { id, state, version, collectionId } = payment;
  switch (refused) {
    case 'changed':
      return `${id} changed and has version ${version} now: look at it again, and propose again if it is still right`;
    case 'closed':
      return state === 'placed'
        ? `${id} is placed: ${collectionId} has the money`
        : `${id} is returned: nothing is left to decide`;
    case 'foreign':
      return `${id} is foreign and not in suspense: it can only be matched with a collection`;
    case 'no_amount':
      return `${id}: no event states its amount. Look it up at the service, and return it or declare it foreign`;
    case 'incomplete':
      return `${id}: the proposal names no collection or no transfer`;
    default:
      return unreachable(refused);
  }
}

/** Describes in one sentence what the approval of a proposal does. Numbers are masked. */
export async function describeDecision(
  { collections, unplaced }: Pick<DecisionDeps, 'collections' | 'unplaced'>,
  { subjectKind, subjectId, targetId, outcome, merchantId }: Proposal,
): Promise<string> {
  if (subjectKind === 'collection') {
    const row = await collections.find(subjectId);
    return row ? describeReviewDecision(row, outcome) : `Decide about ${subjectId}: ${outcome}.`;
  }
  const payment = await unplaced.find(subjectId);
  const money = payment?.amountMinor ? formatCedis(payment.amountMinor) : 'Money of an unknown amount';
  switch (outcome) {
    case 'match': {
      const row = targetId === null ? undefined : await collections.find(targetId);
      return `Book ${money} from suspense as ${row ? describePayment(row) : `the payment ${targetId}`}.`;
    }
    case 'return':
      return `Record that ${money} in suspense at ${merchantId} went back to the payer${describePayer(payment?.payer)}.`;
    default:
      return `${money} is not money of this gateway: move it out of suspense as foreign.`;
  }
}

function describeReviewDecision(row: CollectionRow, outcome: string): string {
  const { amountMinor, goodsMinor, booked, merchantId } = row;
  const money = formatCedis(amountMinor ?? goodsMinor);
  const payment = describePayment(row);
  switch (outcome) {
    case 'accept':
      return booked === 'suspense'
        ? `Give ${money} from suspense to ${merchantId} for ${namePayment(row)}.`
        : `Keep ${money} as it is booked for ${payment}.`;
    case 'returned':
      return `Record that ${money} went back to the payer${describePayer(row.payer)}. ${payment.replace(/^t/, 'T')} is not paid.`;
    case 'paid':
      return `Book ${money} for ${payment}: it was paid, although no money is recorded.`;
    default:
      return `Record that ${payment} was never paid.`;
  }
}

function describePayment(row: CollectionRow): string {
  return `${namePayment(row)} at ${row.merchantId}`;
}

/** Names a payment in a sentence that has its merchant. */
function namePayment({ shortReference, reference }: CollectionRow): string {
  const typed = reference === shortReference ? '' : ` (${maskNumbers(reference)})`;
  return `the payment ${showShortReference(shortReference)}${typed}`;
}

const describePayer = (payer: string | null | undefined) => (payer ? ` ${maskNumbers(payer)}` : '');
