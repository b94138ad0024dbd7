import { documentedErrors, type SessionEndReason } from '../../contract/service/end-reason.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { unreachable } from '../../shared/errors.ts';
import type { AmountMinor } from '../../shared/money.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import { type AbandonReason, type Collection, isUnconfirmed, type UnstatedEnd } from './collection.ts';

/** The part of a collection that payers and attendants may see. */
export type CollectionSummary = {
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
  /** True when the same payment would end the same way, or when the payer may have been charged. */
  isRetryExcluded?: boolean;
  /** When the payer confirmed. */
  at: EpochMs;
  /**
   * `waiting` for the PIN; `confirming`: reported by an event that no poll has confirmed; `paid`; `failed`: final and
   * unpaid, by evidence; `unknown`: lapsed, or under review.
   */
  state: 'waiting' | 'confirming' | 'paid' | 'failed' | 'unknown';
  /** Why it failed, where the payer can understand or change it. */
  cause?: (typeof causes)[keyof typeof causes];
};

/** The cause that payers read for a reason of the service. They read no other reason. */
const causes = {
  wallet_not_registered: 'no_wallet',
  insufficient_funds: 'no_money',
  limit_exceeded: 'limit',
  pin_limit: 'pin',
  declined: 'declined',
  cancelled: 'declined',
  prompt_expired: 'timed_out',
  service_expired: 'timed_out',
} as const satisfies Partial<Record<SessionEndReason | UnstatedEnd, string>>;

/** Returns the state of a payment as screens and metrics show it. */
export function summarizePayment(collection: Collection): CollectionSummary {
  const { id, payer, dialler, network, goodsMinor, shownTotalMinor, openedAt } = collection;
  const { reference, shortReference } = collection;
  const state = getState(collection);
  const cause = state === 'failed' ? findCause(collection) : undefined;
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
    ...(isRetryExcluded(collection) && { isRetryExcluded: true }),
    at: openedAt,
    state,
    ...(cause && { cause }),
  };
}

function findCause({ reason }: Collection): CollectionSummary['cause'] {
  return reason !== null && Object.hasOwn(causes, reason) ? causes[reason as keyof typeof causes] : undefined;
}

/** Reasons that a later attempt does not have. */
const passingReasons: readonly string[] = [
  'prompt_deadline',
  'never_prompted',
  'clock_ahead',
  'restored',
] satisfies AbandonReason[];

/** Failures that the same payment has again. */
const lastingFailures: readonly string[] = [
  'amount_mismatch',
  'wallet_not_registered',
  'limit_exceeded',
  'pin_limit',
] satisfies SessionEndReason[];

/**
 * Returns whether the same payment must not be offered again. A quote that was not accepted and a rejected create call
 * depend on the payment, the merchant and the key, so the same request ends the same way. A rejected prompt may succeed
 * later. A failure because of another amount may have charged the payer. A wallet that does not exist, that has reached a limit or
 * whose PIN is blocked fails again.
 */
export function isRetryExcluded({
  status,
  reason,
  initiateSends,
}: Pick<Collection, 'status' | 'reason' | 'initiateSends'>): boolean {
  if (status === 'failed') return reason !== null && lastingFailures.includes(reason);
  if (status !== 'abandoned' || reason === null || passingReasons.includes(reason)) return false;
  return initiateSends === 0 || Object.hasOwn(documentedErrors, reason);
}

/** The amounts of an inconsistent quote are never shown. */
function hasWrongQuote({ status, reason }: Collection): boolean {
  return status === 'abandoned' && reason !== 'quote_shown_total' && reason?.startsWith('quote_') === true;
}

function getState({ status, lapsedAt, confirmedAt }: Collection): CollectionSummary['state'] {
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
