import type { Payment } from '../../contract/merchant/notification.ts';
import { maskedForm } from '../../shared/msisdn.ts';
import { toAnswers } from '../collection/answers.ts';
import type { Collection } from '../collection/collection.ts';
import { getOutcome } from './event-types.ts';

/** Returns a collection as its merchant's system sees it. */
export function viewPayment(collection: Collection, { wholePayer }: { wholePayer: boolean }): Payment {
  const { id, version, confirmedAt, reason, review, late, livemode, merchantId, channel } = collection;
  const { reference, shortReference, retryOf, payer, network, booked } = collection;
  return {
    id,
    sequence: version,
    status: getOutcome(collection),
    confirmed: confirmedAt !== null,
    reason,
    review,
    late: late === 1,
    livemode: livemode === 1,
    merchant: merchantId,
    channel,
    reference,
    short_reference: shortReference,
    answers: toAnswers(collection, wholePayer ? 'whole' : 'masked'),
    retry_of: retryOf,
    payer: wholePayer ? payer : maskedForm(payer),
    network,
    currency: 'GHS',
    price_minor: collection.goodsMinor,
    fee_minor: collection.feeMinor,
    amount_minor: collection.amountMinor,
    net_minor: collection.netMinor,
    opened_at: new Date(collection.openedAt).toISOString(),
    paid_at: booked === null ? null : collection.paidAt,
    closed_at: collection.closedAt === null ? null : new Date(collection.closedAt).toISOString(),
  };
}
