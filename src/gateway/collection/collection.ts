import type {
  abandonReasons,
  decidedReasons,
  paymentReviews,
  quoteFaults,
  UnpaidReason,
  unstatedEnds,
} from '../../contract/merchant/payment-reason.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { AmountMinor } from '../../shared/money.ts';
import type { Msisdn } from '../../shared/msisdn.ts';

/** Statuses of a collection without a result. */
export const openStatuses = ['accepted', 'created', 'initiating', 'initiated'] as const;
/** Statuses without a next step of the gateway: final by evidence, provably never prompted, or under review by a person. */
export const closedStatuses = ['paid', 'failed', 'expired', 'abandoned', 'review'] as const;

export type Status = (typeof openStatuses)[number] | (typeof closedStatuses)[number];

/** The statuses in which evidence about money has the same effect. */
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

/** Returns whether work remains. Exactly these collections have a due time. */
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
export type RequestedBy = 'payer' | 'attendant' | 'other';

/** The part of a collection that never changes: the payment, and the keys and bytes of the calls that it causes. */
export type CollectionIntent = {
  id: string;
  merchantId: string;
  livemode: 0 | 1;
  channel: string;
  dialogueId: string;
  dialler: Msisdn;
  payer: Msisdn;
  requestedBy: RequestedBy;
  /** The service's code for the payer's network, such as `mtn`. */
  network: string;
  /** The reference that the service stores: the payer's own, or else the short reference. */
  reference: string;
  shortReference: string;
  /** The answers and choices of the payer, as `storeAnswers` writes them; null without answers, and after their retention. */
  answers: string | null;
  /** The final, unpaid collection that this one repeats. */
  retryOf: string | null;
  goodsMinor: AmountMinor;
  /** Price and fee as the confirm screen showed them; null when it showed no fee. */
  shownTotalMinor: number | null;
  /** The idempotency key of the create call. */
  createKey: string;
  /** The exact body of the create call. Every repeat sends the same bytes. */
  createBody: string;
  /** The idempotency key of the initiate call. */
  initiateKey: string;
  openedAt: EpochMs;
  /** The earliest time of the prompt: the prompt delay after the end screen. */
  promptNotBefore: EpochMs;
  /** The time from which no prompt is requested any more. */
  promptDeadline: EpochMs;
};

/** Amounts in pesewas, as the service reports them. For collections by USSD, amount = price + fee, and net = price. */
export type Amounts = { amountMinor: number; feeMinor: number; netMinor: number };

/** The source of booked amounts: the quote (a poll proves the payment, not its amounts), a signed webhook, or a poll that states an amount. */
export type AmountSource = 'quote' | 'webhook' | 'poll';

/** The account that holds the money: the merchant's, suspense, or the one that a person's decision moved it to. */
export type Booked = 'paid' | 'suspense' | 'released' | 'returned' | 'reversed';

/** One attempt to collect one amount from one payer: the fold of its facts (`evolve`). */
export type Collection = CollectionIntent & {
  status: Status;
  /** Number of recorded facts. */
  version: number;
  amountMinor: number | null;
  feeMinor: number | null;
  netMinor: number | null;
  /** Null until money arrives. */
  booked: Booked | null;
  amountSource: AmountSource | null;
  /** The unplaced payment that people matched with this collection; null without one. */
  unplacedId: string | null;
  sessionId: string | null;
  initiateSentAt: EpochMs | null;
  /** Number of initiate calls that were sent. */
  initiateSends: number;
  /** The service's code for a rejected initiate call. A later poll decides what it means. */
  initiateRejection: string | null;
  initiatedAt: EpochMs | null;
  /** The time of the payment as the service reports it, in ISO 8601. */
  paidAt: string | null;
  closedAt: EpochMs | null;
  /**
   * When a poll or a person's decision confirmed the payment. Null for a payment that only an event reports.
   */
  confirmedAt: EpochMs | null;
  /** The reason of the last failure that an event reported while a prompt could be live; null without one. It does not end the collection. */
  reportedFailure: string | null;
  /** 1 when the payment was proven after the payer was allowed to retry. */
  late: 0 | 1;
  /** When the payer was allowed to retry, because no result had arrived. */
  lapsedAt: EpochMs | null;
  /** The start of the recovery that found this collection open in a restored copy. It is not prompted after that time. */
  restoredAt: EpochMs | null;
  /** The reason of the last closed status, such as the code of a failure; null without one. */
  reason: string | null;
  /** Why a person must decide; null when no review is open. */
  review: string | null;
  /** When the wait for the service's decision about the suspended money began; null without one. Polls continue until the decision. */
  awaitsServiceSince: EpochMs | null;
};

/** The collection as a job of the worker. It is not derived from facts. */
type Schedule = {
  /** When the next step is due; null while no work remains (`isScheduled`). */
  nextAt: EpochMs | null;
  /** Until when a worker has the right to work on the collection. */
  leaseUntil: EpochMs;
  /** Number of the lease. A write with an older number is rejected. */
  fence: number;
  /**
   * The gateway that opened the collection or claimed it last, and has the time at which its END screen left. The others claim it
   * only when it is overdue. Null where one process writes the ledger.
   */
  home: string | null;
  /** Number of claims since the last change of status, or since an event first reported a failure. */
  attempts: number;
  /** Time of the last fact. The next fact is never earlier. */
  updatedAt: EpochMs;
};

/** A collection with its schedule: one row of the table. */
export type CollectionRow = Collection & Schedule;

/** How a payment session differs from its request, or from the total that the payer confirmed. It is never initiated. */
export type QuoteFault = (typeof quoteFaults)[number];

/** Why the gateway ends a collection that was provably never prompted. */
export type AbandonReason = (typeof abandonReasons)[number];

/** The reason of an unpaid end that a poll proves, when no event states one. */
export type UnstatedEnd = (typeof unstatedEnds)[number];

/** The decisions of staff about the money of a review. */
export const decisionOutcomes = ['accept', 'returned', 'paid', 'not_paid'] as const;

/**
 * A decision about a review: `accept` what arrived, it was `returned` to the payer, the payment was made after all (`paid`)
 * although no money is recorded, or it was never made (`not_paid`).
 */
export type DecisionOutcome = (typeof decisionOutcomes)[number];

/** The reason of a collection that a decision has ended. */
export type DecidedReason = (typeof decidedReasons)[number];

/** Why a decision is refused. It then changes nothing. */
export type DecisionRefusal =
  | 'changed'
  | 'no_review'
  | 'still_polled'
  | 'impossible'
  /** A match with a collection that has money already. */
  | 'already_booked'
  /** A match of another amount than the collection asked for. */
  | 'other_amount'
  /** People gave the money of the payment session away: it is not booked again. */
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
