import { type UnpaidReason, unpaidReasons } from '../../contract/merchant/payment-reason.ts';
import { type Collection, getStage } from '../collection/collection.ts';
import type { paymentTotal } from '../database/schema.ts';
import { startOfHour } from './count-dialogue.ts';

/** The sums of one hour or day of payments with one outcome. */
export type PaymentTotal = typeof paymentTotal.$inferSelect;

/** The present outcome of a payment. The codes of a service are open: an unlisted one is `other`. */
export type PaymentOutcome = 'waiting' | 'paid' | 'review' | UnpaidReason | 'other';

/** Counts one payment in the hour in which it was opened. Pure, like `countDialogue`. */
export function countPayment(payment: Collection): PaymentTotal {
  const { merchantId, livemode, channel, network, openedAt, initiateSentAt, goodsMinor } = payment;
  const outcome = getCountedOutcome(payment);
  return {
    ...{ unit: 'hour', start: startOfHour(openedAt), merchantId, livemode, channel, network, outcome },
    ...{ payments: 1, prompted: initiateSentAt === null ? 0 : 1, priceMinor: goodsMinor },
    chargedMinor: outcome === 'paid' ? (payment.amountMinor ?? 0) : 0,
  };
}

const listed: ReadonlySet<string> = new Set(unpaidReasons);

/** Returns the outcome under which a payment is counted. */
export function getCountedOutcome(payment: Pick<Collection, 'status' | 'reason'>): PaymentOutcome {
  switch (getStage(payment)) {
    case 'unprompted':
    case 'prompted':
      return 'waiting';
    case 'paid':
      return 'paid';
    case 'review':
      return 'review';
    case 'unpaid':
      return listed.has(payment.reason ?? '') ? (payment.reason as UnpaidReason) : 'other';
  }
}
