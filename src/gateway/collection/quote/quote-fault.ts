import type { OfflineSession } from '../../../contract/service/reading.ts';
import { parseMsisdn } from '../../../shared/msisdn.ts';
import type { CreateCall } from '../opening/create-call.ts';
import type { QuoteFault } from '../reason.ts';

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
