import type { EpochMs } from '../../shared/clock.ts';
import type { AmountMinor } from '../../shared/money.ts';
import type { Msisdn } from '../../shared/msisdn.ts';

/** Statuses in which work remains. Exactly these collections have a due time. */
export const openStatuses = ['accepted', 'created', 'initiating', 'initiated'] as const;
/** Statuses that end a collection: final by evidence, provably never prompted, or under review by a person. */
export const closedStatuses = ['paid', 'failed', 'expired', 'abandoned', 'review'] as const;

export type Status = (typeof openStatuses)[number] | (typeof closedStatuses)[number];

export function isOpen(status: Status): boolean {
  return openStatuses.some((open) => open === status);
}

/** The part of a collection that never changes: the payment, and the keys and bytes of the calls that it causes. */
export type CollectionIntent = {
  id: string;
  merchantId: string;
  livemode: 0 | 1;
  channel: string;
  dialogueId: string;
  dialler: Msisdn;
  payer: Msisdn;
  /** The service's code for the payer's network. */
  network: string;
  /** The reference that the service stores: the payer's own, or else the short reference. */
  reference: string;
  shortReference: string;
  /** The final, unpaid collection that this one repeats. */
  retryOf: string | null;
  goodsMinor: AmountMinor;
  /** Price and fee as the confirm screen showed them; null when it showed no fee. */
  shownTotalMinor: number | null;
  createKey: string;
  createBody: string;
  initiateKey: string;
  openedAt: EpochMs;
  promptNotBefore: EpochMs;
  promptDeadline: EpochMs;
};

/** Amounts as the service reports them. In offline mode amount = price + fee, and net = price. */
export type Amounts = { amountMinor: number; feeMinor: number; netMinor: number };

/** The source of booked amounts: the quote (a poll proves the payment, not its amounts) or a signed webhook. */
export type AmountSource = 'quote' | 'webhook';

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
  sessionId: string | null;
  initiateSentAt: EpochMs | null;
  initiateSends: number;
  /** The service's code for a rejected initiate call. A later poll decides what it means. */
  initiateRejection: string | null;
  initiatedAt: EpochMs | null;
  paidAt: string | null;
  closedAt: EpochMs | null;
  late: 0 | 1;
  lapsedAt: EpochMs | null;
  /** When a restored copy was found to contain this collection while open. It is never prompted after that. */
  restoredAt: EpochMs | null;
  reason: string | null;
  review: string | null;
};

/** The collection as a job of the worker. It is not derived from facts. */
export type Schedule = {
  nextAt: EpochMs | null;
  leaseUntil: EpochMs;
  fence: number;
  attempts: number;
  /** Time of the last fact. The next fact is never earlier. */
  updatedAt: EpochMs;
};

/** A collection with its schedule: one row of the table. */
export type CollectionRow = Collection & Schedule;
