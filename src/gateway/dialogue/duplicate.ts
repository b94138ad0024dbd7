import type { Intent, PaymentSummary } from '../../menu/state/state.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import { minRecent } from '../collection/store/recent-query.ts';
import { summarizeForMenu } from './dialler-context.ts';
import type { DialogueDeps, Turn } from './types.ts';

type DuplicateDeps = {
  collections: Pick<DialogueDeps['collections'], 'findDuplicate'>;
  settings: Pick<DialogueDeps['settings'], 'duplicateWindowMs' | 'networks'>;
};

/**
 * Finds the newest payment of the same payer, amount and reference within the duplicate window. The turn's recent
 * collections answer this without a query, unless the payer has so many that the list may be truncated.
 */
export async function findDuplicate(
  { collections, settings }: DuplicateDeps,
  { channel, request: { dialler }, diallerContext, now }: Turn,
  intent: Intent,
): Promise<PaymentSummary | undefined> {
  const { payer, amountMinor: goodsMinor, reference } = intent;
  const recent = await diallerContext.recent();
  const since = now - settings.duplicateWindowMs;
  const known = duplicateIn(recent, { ...intent, dialler }, since);
  const isComplete = recent.filter((one) => one.payer === payer).length < minRecent;
  if (known !== undefined || isComplete) return known;
  const { id: merchantId, livemode } = channel.merchant;
  const key = { merchantId, livemode, payer, dialler, goodsMinor, reference, since };
  const row = await collections.findDuplicate(key);
  return row && summarizeForMenu(row, settings);
}

/**
 * The newest payment of the same payer, amount and reference since then that moved money, or may have. Only a dialler
 * who requested or paid it is asked about it: any other phone learns nothing about a payer's payments, and an unpaid
 * request by another phone does not delay the payer's own payment.
 */
export function duplicateIn(
  recent: readonly PaymentSummary[],
  intent: Intent & { dialler: Msisdn },
  since: EpochMs,
): PaymentSummary | undefined {
  return recent.find(
    (one) =>
      isSamePayment(one, intent) &&
      one.at >= since &&
      // A waiting payment is shown instead of a second one; a failed payment moved no money.
      (one.dialler === intent.dialler
        ? one.state === 'paid' || one.state === 'confirming' || one.state === 'unknown'
        : one.payer === intent.dialler && (one.state === 'paid' || one.state === 'confirming')),
  );
}

export function isSamePayment(one: PaymentSummary, { payer, amountMinor, reference }: Intent): boolean {
  return one.payer === payer && one.amountMinor === amountMinor && one.reference === reference;
}
