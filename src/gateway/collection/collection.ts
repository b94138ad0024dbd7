import type { EpochMs } from '../../shared/clock.ts';
import type { AmountMinor } from '../../shared/money.ts';
import type { Msisdn } from '../../shared/msisdn.ts';

/** Statuses in which work remains; exactly these collections are due. */
export const openStatuses = ['accepted', 'created', 'initiating', 'initiated'] as const;
/** Statuses that end a collection: by evidence, provably uncharged, or for a person to decide. */
export const closedStatuses = ['paid', 'failed', 'expired', 'abandoned', 'review'] as const;

export type Status = (typeof openStatuses)[number] | (typeof closedStatuses)[number];

export function isOpen(status: Status): boolean {
  return openStatuses.some((open) => open === status);
}

/** What is fixed when the payer agrees: the intent, and the bytes of the calls that it will cause. */
export type CollectionIntent = {
  id: string;
  merchantId: string;
  livemode: 0 | 1;
  channel: string;
  dialogueId: string;
  dialler: Msisdn;
  payer: Msisdn;
  network: string;
  /** What the service stores with the session: the payer's own, else the short one. */
  reference: string;
  /** Eight digits that a payer can read out. */
  shortReference: string;
  /** The collection that was asked for again: final and unpaid when this one was opened. */
  retryOf: string | null;
  goodsMinor: AmountMinor;
  /** Goods and fee as the screen named them when the payer agreed; null when it named no fee. */
  shownTotalMinor: number | null;
  createKey: string;
  createBody: string;
  initiateKey: string;
  openedAt: EpochMs;
  promptNotBefore: EpochMs;
  promptDeadline: EpochMs;
};

/** Amounts as the service states them. In offline mode amount = goods + fee and net = goods. */
export type Amounts = { amountMinor: number; feeMinor: number; netMinor: number };

/** Where booked amounts come from: the quote (a poll proves paid, never how much) or a signed event. */
export type AmountSource = 'quote' | 'webhook';

/** Where money that arrived is: booked for the merchant, or held; and where a person has moved it since. */
export type Booked = 'paid' | 'suspense' | 'released' | 'returned' | 'reversed';

/** One intended payment: the fold of its facts (`evolve`), and nothing that they do not say. */
export type Collection = CollectionIntent & {
  status: Status;
  /** Facts recorded so far. */
  version: number;
  amountMinor: number | null;
  feeMinor: number | null;
  netMinor: number | null;
  /** Null while no money arrived. */
  booked: Booked | null;
  amountSource: AmountSource | null;
  sessionId: string | null;
  initiateSentAt: EpochMs | null;
  initiateSends: number;
  /** The service's code for refusing an initiate, until a poll shows what that means. */
  initiateRejection: string | null;
  initiatedAt: EpochMs | null;
  paidAt: string | null;
  closedAt: EpochMs | null;
  late: 0 | 1;
  lapsedAt: EpochMs | null;
  /** Since when nobody knows what became of it: it was open in a copy that was restored. Never prompted from then on. */
  restoredAt: EpochMs | null;
  reason: string | null;
  review: string | null;
};

/** The collection as a job: when it is due, and who works on it. No fact, and no part of the projection. */
export type Schedule = {
  nextAt: EpochMs | null;
  leaseUntil: EpochMs;
  fence: number;
  attempts: number;
  /** Time of the last fact; the next one is never earlier. */
  updatedAt: EpochMs;
};

/** A collection with its schedule: one row of the table. */
export type CollectionRow = Collection & Schedule;
