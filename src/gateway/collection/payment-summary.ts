import type { EpochMs } from '../../shared/clock.ts';
import { unreachable } from '../../shared/errors.ts';
import type { AmountMinor } from '../../shared/money.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import type { Collection } from './collection.ts';

/** How a collection stands, as payers and attendants see it. */
export type PaymentSummary = {
  id: string;
  payer: Msisdn;
  dialler: Msisdn;
  /** What the payer agreed to, without the fee. */
  amountMinor: AmountMinor;
  /** What the payer typed or chose; absent where the short reference stands in for it. */
  reference?: string;
  shortReference: string;
  /** The service's code for the payer's network. */
  network: string;
  /** Goods and fee as the screen named them; absent where it named no fee. */
  shownTotalMinor?: number;
  /** What the prompt asks for, as far as it is known. */
  chargeMinor: number;
  /** It ended because the service would take something else than the screen had named. */
  isFeeChanged?: boolean;
  /** When the payer agreed. */
  at: EpochMs;
  /**
   * `waiting` for the PIN; `paid`; `failed`: final and unpaid, by evidence; `unknown`: nobody can tell yet, or a person
   * must look.
   */
  state: 'waiting' | 'paid' | 'failed' | 'unknown';
};

export function paymentSummaryOf(collection: Collection): PaymentSummary {
  const { id, payer, dialler, network, goodsMinor, shownTotalMinor, openedAt, reference, shortReference } =
    collection;
  return {
    id,
    payer,
    dialler,
    amountMinor: goodsMinor,
    ...(reference === shortReference ? {} : { reference }),
    shortReference,
    network,
    ...(shownTotalMinor === null ? {} : { shownTotalMinor }),
    chargeMinor: (hasWrongQuote(collection) ? null : collection.amountMinor) ?? shownTotalMinor ?? goodsMinor,
    ...(collection.reason === 'quote_shown_total' && { isFeeChanged: true }),
    at: openedAt,
    state: stateOf(collection),
  };
}

/** The amounts are those of a quote that did not agree with itself or with what was asked for: nobody is to be told them. */
function hasWrongQuote({ status, reason }: Collection): boolean {
  return status === 'abandoned' && reason !== 'quote_shown_total' && reason?.startsWith('quote_') === true;
}

function stateOf({ status, lapsedAt }: Collection): PaymentSummary['state'] {
  switch (status) {
    case 'accepted':
    case 'created':
    case 'initiating':
    case 'initiated':
      // Unanswered for long is no evidence: it may be paid all the same.
      return lapsedAt === null ? 'waiting' : 'unknown';
    case 'paid':
      return 'paid';
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
