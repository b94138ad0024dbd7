import type { CreateSessionRequest, OfflineSession } from '../../../contract/service/reading.ts';
import type { Ids } from '../../../shared/ids.ts';
import type { AmountMinor } from '../../../shared/money.ts';
import { type Msisdn, parseMsisdn } from '../../../shared/msisdn.ts';
import type { QuoteFault } from '../collection.ts';

export type CreateCall = {
  payer: Msisdn;
  /** The service's code for the payer's network. */
  network: string;
  goodsMinor: AmountMinor;
  /** The reference that the service stores. */
  reference: string;
};

/** Returns the exact bytes of a create call. A quote and the collection that uses it send the same bytes. */
export function toCreateBody({ payer, network, goodsMinor, reference }: CreateCall): string {
  const body: CreateSessionRequest = {
    msisdn: payer,
    amount_minor: goodsMinor,
    network,
    mode: 'offline',
    reference,
  };
  return JSON.stringify(body);
}

/** Returns a new idempotency key of a call; a quote is a create call. 96 random bits keep all keys apart. */
export function callKey(ids: Pick<Ids, 'secret'>, call: 'quote' | 'create' | 'initiate'): string {
  return `${call}.${ids.secret().slice(0, 16)}`;
}

/** Limits on a fee that the confirm screen did not show. The payer did not agree to it, and sees it only in the prompt. */
export type FeeCap = {
  /** Maximum share of the price, in percent, rounded half up to a pesewa. */
  maxPercent: number;
  /** Maximum fee, whatever the price. */
  maxAmountMinor: number;
  /** A fee up to this amount is always allowed: services have a minimum fee for small payments. */
  alwaysAllowedMinor: number;
};

/** Returns the largest fee, in pesewas, that may be added to a price without having been shown. */
export function maxUnshownFee(
  goodsMinor: number,
  { maxPercent, maxAmountMinor, alwaysAllowedMinor }: FeeCap,
): number {
  const basisPoints = Math.round(maxPercent * 100);
  const share = Math.floor((goodsMinor * basisPoints + 5_000) / 10_000);
  return Math.max(alwaysAllowedMinor, Math.min(share, maxAmountMinor));
}

/**
 * Compares a session with its create call and returns the code of the first difference, or `undefined`. A session with a
 * difference is never initiated (interface: offline amount relations).
 */
export function quoteFault(call: CreateCall, session: OfflineSession): QuoteFault | undefined {
  if (session.goods_minor !== call.goodsMinor) return 'quote_goods';
  if (session.amount_minor !== session.goods_minor + session.expected_fee_minor) return 'quote_amount';
  if (session.expected_net_minor !== session.goods_minor) return 'quote_net';
  if (parseMsisdn(session.payer_msisdn) !== call.payer) return 'quote_payer';
  if (session.reference !== call.reference) return 'quote_reference';
  if (!isSameCode(session.network, call.network)) return 'quote_network';
  if (!isSameCode(session.mode, 'offline')) return 'quote_mode';
  return undefined;
}

/** An absent code contradicts nothing, and neither does another case. */
function isSameCode(answered: string | undefined, requested: string): boolean {
  return answered === undefined || answered.toLowerCase() === requested.toLowerCase();
}
