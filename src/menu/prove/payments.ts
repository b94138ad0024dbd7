import { type AmountMinor, maxAmountMinor } from '../../shared/money.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import {
  type MenuContext,
  type PaymentSummary,
  rejectionMessages,
  type UnpaidCause,
} from '../state/state.ts';
import { causeMessages } from '../text/messages.ts';
import { samplePayer, sampleShortReference } from './channel.ts';

const causes = Object.keys(causeMessages) as UnpaidCause[];

/** Returns a fee that no service exceeds: 100 % of the price, and at least GHS 99.99. */
export function longestFee(goodsMinor: number): number {
  return Math.max(goodsMinor, 99_99);
}

/** Returns the price with the longest fee, up to the largest collection. */
export function longestTotal(goodsMinor: number): number {
  return Math.min(maxAmountMinor, goodsMinor + longestFee(goodsMinor));
}

/** The longest values of a payment of a menu. */
export type LongestPayment = { readonly amountMinor: AmountMinor; readonly reference: string | undefined };

/**
 * Returns payments of the dialler's wallet in every state and for every reason, with the longest values that a screen can show.
 * They stand for those of another payer, whose number is as long, and whose reason is hidden.
 */
export function listPayments(
  { amountMinor, reference }: LongestPayment,
  context: MenuContext,
): PaymentSummary[] {
  const { dialler, now } = context;
  const chargeMinor = longestTotal(amountMinor);
  const payment = (state: PaymentSummary['state'], from: Msisdn = dialler): PaymentSummary => ({
    id: 'col_0',
    payer: dialler,
    dialler: from,
    amountMinor,
    ...(reference !== undefined && { reference }),
    shownTotalMinor: chargeMinor,
    chargeMinor,
    shortReference: sampleShortReference,
    // A time of yesterday is shown with its day, which makes it longest.
    at: now - 12 * 60 * 60 * 1000,
    state,
    operator: context.operator,
  });
  const states = ['waiting', 'confirming', 'paid', 'unknown', 'failed'] as const;
  const failed = payment('failed');
  return [
    ...states.flatMap((state) => [payment(state), payment(state, samplePayer(context.operator))]),
    ...causes.map((cause) => ({ ...failed, cause })),
    ...rejectionMessages.map((retryRejection) => ({ ...failed, retryRejection })),
    ...causes.map((cause) => ({ ...payment('failed', samplePayer(context.operator)), cause })),
  ];
}
