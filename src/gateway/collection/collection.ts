import type {
  abandonReasons,
  decidedReasons,
  paymentReviews,
  quoteFaults,
  UnpaidReason,
  unstatedEnds,
} from '../../contract/merchant/payment-reason.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { collection, job } from '../database/schema.ts';

/** Statuses of a collection without a result. */
export const openStatuses = ['accepted', 'created', 'initiating', 'initiated'] as const satisfies Status[];
/** Statuses other than open ones. The gateway still polls an unconfirmed payment, and a review that the service decides. */
export const closedStatuses = [
  'paid',
  'failed',
  'expired',
  'abandoned',
  'review',
] as const satisfies Status[];

export type Status = Collection['status'];

/** Groups of statuses. Within a group, the same evidence about money has the same effect. */
type Stage = 'unprompted' | 'prompted' | 'unpaid' | 'paid' | 'review';

const stages = {
  ...{ accepted: 'unprompted', created: 'unprompted', initiating: 'prompted', initiated: 'prompted' },
  ...{ failed: 'unpaid', expired: 'unpaid', abandoned: 'unpaid', paid: 'paid', review: 'review' },
} as const satisfies Record<Status, Stage>;

/** Returns the stage of a collection. */
export function getStage({ status }: Pick<Collection, 'status'>): Stage {
  return stages[status];
}

/** Returns true for a status without a result. */
export function isOpen(status: Status): boolean {
  return openStatuses.some((open) => open === status);
}

/** Returns whether an event reported the payment and no poll has agreed: the payment is not proven. */
export function isUnconfirmed({ status, confirmedAt }: Pick<Collection, 'status' | 'confirmedAt'>): boolean {
  return status === 'paid' && confirmedAt === null;
}

/** Returns whether an event reported a failure of a collection that is still open: the failure is not proven. */
export function isFailureReported({
  status,
  reportedFailure,
}: Pick<Collection, 'status' | 'reportedFailure'>): boolean {
  return isOpen(status) && reportedFailure !== null;
}

/** Returns whether work is left. Exactly these collections have a job. */
export function isScheduled(
  collection: Pick<Collection, 'status' | 'confirmedAt' | 'awaitsServiceSince'>,
): boolean {
  return isOpen(collection.status) || isUnconfirmed(collection) || awaitsService(collection);
}

/** Returns whether a person at the service must decide about the money. Polls report the decision. */
export function awaitsService({
  status,
  awaitsServiceSince,
}: Pick<Collection, 'status' | 'awaitsServiceSince'>): boolean {
  return status === 'review' && awaitsServiceSince !== null;
}

/** Whose phone requested a payment: the payer's own, an attendant's of the merchant, or another one. */
export type RequestedBy = CollectionRow['requestedBy'];

/** The part of a collection that never changes: the payment, and the keys and bytes of the calls that it causes. */
export type CollectionIntent = Pick<
  CollectionRow,
  | ('id' | 'merchantId' | 'livemode' | 'channel' | 'dialogueId' | 'dialler' | 'payer' | 'requestedBy')
  | ('network' | 'reference' | 'shortReference' | 'answers' | 'retryOf' | 'goodsMinor' | 'shownTotalMinor')
  | ('createKey' | 'createBody' | 'initiateKey' | 'openedAt' | 'promptNotBefore' | 'promptDeadline')
>;

/** Amounts in pesewas, as the service reports them. For collections by USSD, amount = price + fee, and net = price. */
export type Amounts = { amountMinor: number; feeMinor: number; netMinor: number };

export type AmountSource = NonNullable<CollectionRow['amountSource']>;

/** The account that holds the money: the merchant's, suspense, or the one that a person's decision moved it to. */
export type Booked = NonNullable<CollectionRow['booked']>;

/** A collection as its table has it. */
export type CollectionRow = typeof collection.$inferSelect;

/** What the table of jobs adds to a collection: its next step, which is not derived from facts. */
type NextStep = Pick<typeof job.$inferSelect, 'leaseUntil' | 'fence' | 'home' | 'attempts'> & {
  /** When the next step is due; null while no work is left (`isScheduled`). The other fields are then 0 or null. */
  nextAt: EpochMs | null;
};

/** A collection and its next step. */
export type CollectionWithJob = CollectionRow & NextStep;

/** One attempt to collect one amount from one payer: the state that `evolve` computes from its facts. */
export type Collection = Omit<CollectionRow, 'updatedAt'>;

/** How a payment session differs from its request, or from the total that the payer confirmed. Such a session is never initiated. */
export type QuoteFault = (typeof quoteFaults)[number];

/** Why the gateway ends a collection that was provably never prompted. */
export type AbandonReason = (typeof abandonReasons)[number];

/** Why an attempt ended unpaid, when a poll proves the end and no event states the reason. */
export type UnstatedEnd = (typeof unstatedEnds)[number];

/** The decisions of staff about the money of a review. */
export const decisionOutcomes = ['accept', 'returned', 'paid', 'not_paid'] as const;

/**
 * A decision about a review. `accept`: keep what arrived. `returned`: it went back to the payer. `paid`: the payment was made,
 * although no money is recorded. `not_paid`: it was never made.
 */
export type DecisionOutcome = (typeof decisionOutcomes)[number];

/** The reason of a collection that a decision has ended. */
export type DecidedReason = (typeof decidedReasons)[number];

/** Why a decision is refused. It then changes nothing. */
export type DecisionRefusal =
  /** A fact was recorded after the version that the person saw. */
  | 'changed'
  /** Nothing waits for a decision. */
  | 'no_review'
  /** A poll can still bring the answer. */
  | 'still_polled'
  /** A person at the service decides, until the time to watch it ends. */
  | 'service_decides'
  /** The outcome contradicts what is proven, such as `not_paid` for money that arrived. */
  | 'impossible'
  /** A match with a collection that has money already. */
  | 'already_booked'
  /** The matched money has another amount than the collection asked for. */
  | 'other_amount'
  /** Staff decided that the money of this session goes elsewhere: it is not booked again. */
  | 'given_away';

/** Why a person must decide about a collection. */
export type ReviewReason = (typeof paymentReviews)[number];

/** Why a collection ended, in a fixed set of classes: the codes of a service are open. */
export type ReasonClass =
  | 'none'
  /** The payer declined, could not pay, or did not approve in time. */
  | 'payer'
  /** No prompt was requested before the deadline, or the request never arrived. */
  | 'not_prompted'
  /** The answer to the create call did not fit. */
  | 'quote'
  /** A restore, or a correction of the clock. */
  | 'recovery'
  | 'review'
  /** Any other code of the service. */
  | 'service';

const classes = {
  declined: 'payer',
  cancelled: 'payer',
  pin_limit: 'payer',
  insufficient_funds: 'payer',
  limit_exceeded: 'payer',
  wallet_not_registered: 'payer',
  prompt_expired: 'payer',
  prompt_deadline: 'not_prompted',
  never_prompted: 'not_prompted',
  session_taken: 'quote',
  clock_ahead: 'recovery',
  restored: 'recovery',
} as const satisfies Partial<Record<UnpaidReason, ReasonClass>>;

const classByReason = new Map<string, ReasonClass>(Object.entries(classes));

/** Returns the class of the reason of a collection that has ended, or is under review. */
export function getReasonClass(status: Status, reason: string | null): ReasonClass {
  if (status === 'review') return 'review';
  if (reason === null) return 'none';
  if (reason.startsWith('quote_')) return 'quote';
  return classByReason.get(reason) ?? 'service';
}

/** Returns what the payer is charged, in pesewas: the total of the prompt, or the best known one before it. */
export function computeTotal({ amountMinor, shownTotalMinor, goodsMinor }: CollectionRow): number {
  return amountMinor ?? shownTotalMinor ?? goodsMinor;
}

/** The times of a payment between which its payer answered. `paidAt` is the service's time: a late event changes nothing. */
export type AnsweredPayment = Pick<CollectionRow, 'initiateSentAt' | 'paidAt'>;

/** Returns the median time from the prompt to the approval, in milliseconds; `undefined` with fewer than `min` approvals. */
export function findMedianAnswer(payments: readonly AnsweredPayment[], min: number): number | undefined {
  const times = payments
    .flatMap(({ initiateSentAt, paidAt }) =>
      initiateSentAt === null || paidAt === null ? [] : [Date.parse(paidAt) - initiateSentAt],
    )
    .filter((ms) => ms >= 0)
    .toSorted((one, other) => one - other);
  return times.length < min ? undefined : times[Math.floor(times.length / 2)];
}
