import type { OfflineSession } from '../../../contract/service/reading.ts';
import { parseMsisdn } from '../../../shared/msisdn.ts';
import type { CreateCall } from '../opening/create-call.ts';
import type { QuoteFault } from '../reason.ts';

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
