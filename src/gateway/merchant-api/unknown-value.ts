import { paymentReasons } from '../../contract/merchant/payment-reason.ts';
import { operators } from '../../shared/msisdn.ts';
import type { Store } from '../../sqlite/store.ts';
import { listPayments, type Owner, type PaymentFilter } from './payment-query.ts';

/** The usual codes of networks. The configuration can name others. */
const networks = operators.filter((one) => one !== 'unknown');

/**
 * Returns the message about the first value of a filter that is not known and that no payment of the owner has; `undefined` without
 * one. A program that misspells a value would otherwise report that there are no payments.
 *
 * @param channelIds the channels of the merchant in the configuration.
 */
export async function findUnknownValue(
  store: Store,
  owner: Owner,
  filter: PaymentFilter,
  channelIds: readonly string[],
): Promise<string | undefined> {
  const known = { channel: channelIds, network: networks, reason: paymentReasons };
  for (const name of ['channel', 'network', 'reason'] as const) {
    const value = filter[name];
    if (value === undefined || known[name].some((one) => one === value)) continue;
    // A former channel, or a reason of a newer service. A page that ends before the oldest payment proves nothing.
    const found = await listPayments(store, owner, { [name]: value }, { limit: 1 });
    if (found === undefined || found.rows.length > 0 || found.next !== null) continue;
    return `${name}: expected one of ${known[name].join(', ') || 'none'}, found “${value}”`;
  }
  return undefined;
}
