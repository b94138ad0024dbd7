import type { CurrencyAmount } from '../../contract/service/field.ts';
import type { unplacedPayment } from '../database/schema.ts';

/** The states of an unplaced payment: `open` waits for a decision, `foreign` is money of another channel. */
export const unplacedStates = ['open', 'placed', 'returned', 'foreign'] as const;
export type UnplacedState = (typeof unplacedStates)[number];

/** The channel of the gateway's own payment sessions. */
export const ownChannel = 'ussd';

/** Why no collection explains the money. */
export type UnplacedReason =
  /** No collection has the payment session. */
  | 'unknown_session'
  /** The event names no payment session. */
  | 'no_session'
  /** The merchant has other channels, and no collection has the payment session. */
  | 'other_channels'
  /** The event states another channel than USSD. */
  | 'stated_channel'
  /** The event states another currency: no amount of it is in the ledger. */
  | 'other_currency'
  /** The payer was charged again in a session whose payment is known, or is expected. */
  | 'second_charge';

/** The contradiction by a later event of the same session. */
export type UnplacedNote = 'amount_mismatch' | 'other_currency' | 'failure_reported' | 'refund_reported';

/** The statements of an event or a poll about a payment. Only the signature of an event is verified. */
export type StatedPayment = {
  /** Null for a poll. */
  eventId: string | null;
  /** The type of the event, or `poll`. */
  eventType: string;
  /** The charged amount; null when the event does not state it. */
  chargedMinor: number | null;
  /** The charged amount in another currency. No other amount is then stated. */
  other?: CurrencyAmount;
  /** The report of the event. A second charge is other money than the payment of the session, with a row of its own. */
  reports: 'payment' | 'second_charge' | 'failure' | 'refund';
  goodsMinor: number | null;
  feeMinor: number | null;
  netMinor: number | null;
  /** A 12-digit MSISDN. */
  payer: string | null;
  reference: string | null;
  clientTransId: string | null;
  channel: string | null;
  paidAt: string | null;
};

/** Money that the service reports and no collection explains: the fold of its facts (`evolveUnplaced`). */
export type UnplacedPayment = Omit<typeof unplacedPayment.$inferSelect, 'reason' | 'note'> & {
  reason: UnplacedReason | 'declared_foreign';
  note: UnplacedNote | null;
};
