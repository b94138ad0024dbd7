import type { EpochMs } from '../../shared/clock.ts';
import { unreachable } from '../../shared/errors.ts';
import type { AmountMinor } from '../../shared/money.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import { type Collection, isUnconfirmed } from './collection.ts';

/** The part of a collection that payers and attendants may see. */
export type PaymentSummary = {
  id: string;
  payer: Msisdn;
  dialler: Msisdn;
  /** The price that the payer confirmed, without the fee. */
  amountMinor: AmountMinor;
  /** The reference that the payer typed or chose; absent when the short reference replaces it. */
  reference?: string;
  shortReference: string;
  /** The service's code for the payer's network. */
  network: string;
  /** Price and fee as the confirm screen showed them; absent when it showed no fee. */
  shownTotalMinor?: number;
  /** The amount of the prompt, as far as it is known. */
  chargeMinor: number;
  /** True when the collection ended because the service quoted another total than the screen showed. */
  isFeeChanged?: boolean;
  /** When the payer confirmed. */
  at: EpochMs;
  /**
   * `waiting` for the PIN; `confirming`: reported by an event that no poll has confirmed; `paid`; `failed`: final and
   * unpaid, by evidence; `unknown`: lapsed, or under review.
   */
  state: 'waiting' | 'confirming' | 'paid' | 'failed' | 'unknown';
};

export function summarizePayment(collection: Collection): PaymentSummary {
  const { id, payer, dialler, network, goodsMinor, shownTotalMinor, openedAt } = collection;
  const { reference, shortReference } = collection;
  const quotedMinor = hasWrongQuote(collection) ? null : collection.amountMinor;
  return {
    id,
    payer,
    dialler,
    amountMinor: goodsMinor,
    ...(reference === shortReference ? {} : { reference }),
    shortReference,
    network,
    ...(shownTotalMinor === null ? {} : { shownTotalMinor }),
    chargeMinor: quotedMinor ?? shownTotalMinor ?? goodsMinor,
    ...(collection.reason === 'quote_shown_total' && { isFeeChanged: true }),
    at: openedAt,
    state: stateOf(collection),
  };
}

/** The amounts of an inconsistent quote are never shown. */
function hasWrongQuote({ status, reason }: Collection): boolean {
  return status === 'abandoned' && reason !== 'quote_shown_total' && reason?.startsWith('quote_') === true;
}

function stateOf({ status, lapsedAt, confirmedAt }: Collection): PaymentSummary['state'] {
  switch (status) {
    case 'accepted':
    case 'created':
    case 'initiating':
    case 'initiated':
      // A lapsed collection may still be paid.
      return lapsedAt === null ? 'waiting' : 'unknown';
    case 'paid':
      return isUnconfirmed({ status, confirmedAt }) ? 'confirming' : 'paid';
    case 'failed':
    case 'expired':
    case 'abandoned':
      return 'failed';
    case 'review':
      return 'unknown';
    default:
      return unreachable(status);
  }
}
