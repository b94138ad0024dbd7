import type { Store } from '../../sqlite/store.ts';
import { reasons, resolveFilter } from '../support/known-values-query.ts';
import { listPayments, type Owner, type PaymentFilter } from './payment-query.ts';

/**
 * Returns the message about the first value of a filter that no payment of the owner can have; `undefined` when each is known. A
 * program that misspells a value would otherwise report that there are no payments.
 *
 * @param channelIds the channels of the merchant in the configuration.
 */
export async function findUnknownValue(
  store: Store,
  owner: Owner,
  { channel, network, reason }: PaymentFilter,
  channelIds: readonly string[],
): Promise<string | undefined> {
  const given = { channel, network };
  const { merchantId } = owner;
  const resolved = await resolveFilter(store, given, { channelIds }, { merchantId });
  if (!resolved.ok) return resolved.message;
  for (const name of ['channel', 'network'] as const) {
    const known = resolved.filter[name];
    // People may write the beginning of a value; a program writes all of it.
    if (known !== given[name]) return `${name}: expected ${known}, found “${given[name]}”.`;
  }
  if (reason === undefined || reasons.includes(reason)) return undefined;
  // A newer service can have reasons that this program does not know.
  const found = await listPayments(store, owner, { reason }, { limit: 1 });
  const isKnown = found === undefined || found.rows.length > 0 || found.next !== null;
  return isKnown ? undefined : `reason: expected one of ${reasons.join(', ')}, found “${reason}”.`;
}
