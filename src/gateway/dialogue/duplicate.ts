import type { Intent, PaymentSummary } from '../../menu/state/state.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { summarizePayment } from '../collection/payment-summary.ts';
import type { CollectionStore } from '../collection/store/collection-store.ts';
import { minRecent } from '../collection/store/recent-query.ts';
import type { Channel } from './dialogue.ts';

/** The newest payment of the same payer, amount and reference since then that has moved money, or may have. */
export function duplicateIn(
  recent: readonly PaymentSummary[],
  { payer, amountMinor, reference }: Intent,
  since: EpochMs,
): PaymentSummary | undefined {
  return recent.find(
    (one) =>
      one.payer === payer &&
      one.amountMinor === amountMinor &&
      one.reference === reference &&
      one.at >= since &&
      // One that waits is shown instead of opening another; one that failed has moved no money.
      (one.state === 'paid' || one.state === 'unknown'),
  );
}

/**
 * The twin of what a payer has just agreed to, where so much is recent that the look around did not show it. Asks the
 * database only then. What is sent again has no twin: its payer was told of the old one.
 */
export async function findOlderDuplicate(
  { collections }: { collections: Pick<CollectionStore, 'findDuplicate'> },
  { merchant }: Channel,
  recent: readonly PaymentSummary[],
  intent: Intent,
  since: EpochMs,
): Promise<PaymentSummary | undefined> {
  const { payer, amountMinor: goodsMinor, reference } = intent;
  const isWhole = recent.filter((one) => one.payer === payer).length < minRecent;
  if (isWhole || intent.retryOf !== undefined || duplicateIn(recent, intent, since)) return undefined;
  const { id: merchantId, livemode } = merchant;
  const row = await collections.findDuplicate({ merchantId, livemode, payer, goodsMinor, reference, since });
  return row && summarizePayment(row);
}
