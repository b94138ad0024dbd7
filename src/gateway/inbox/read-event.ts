import { type CurrencyAmount, otherCurrency } from '../../contract/service/currency.ts';
import { eventTypes } from '../../contract/service/event.ts';
import {
  eventEnvelope,
  knownStatus,
  tolerantPaidAt,
  tolerantPaidEventData,
  tolerantRefund,
} from '../../contract/service/reading.ts';
import { parseMsisdn } from '../../shared/msisdn.ts';
import type { EventDetails } from '../collection/decide/unplaced-event.ts';
import { type EventEvidence, isFailureReason, toReportedReview } from '../collection/evidence.ts';
import type { InboxRow } from './inbox-store.ts';

const maxTextLength = 128;

type EventRow = Pick<InboxRow, 'eventId' | 'type' | 'body' | 'livemode'>;

/** Reads an event as evidence, with what else it states. An event of an unknown type is `event_other` and changes nothing. */
export function readEvent(row: EventRow): { evidence: EventEvidence; details: EventDetails } {
  const { data, livemode } = eventEnvelope.parse(JSON.parse(row.body));
  const details = {
    isOfOtherMode: livemode !== undefined && livemode !== (row.livemode === 1),
    goodsMinor: readAmount(data.goods_minor),
    feeMinor: readAmount(data.expected_fee_minor),
    netMinor: readAmount(data.expected_net_minor),
    payer: readPayer(data.payer_msisdn ?? data.msisdn),
    reference: readText(data.reference),
    clientTransId: readText(data.client_trans_id),
    channel: readText(data.channel),
    paidAt: readText(data.paid_at),
  };
  return { evidence: readEvidence(row, data), details };
}

function readEvidence({ eventId, type }: EventRow, data: Record<string, unknown>): EventEvidence {
  switch (type) {
    case eventTypes.paid: {
      const other = findOtherCurrency(data);
      if (other) return { kind: 'event_other_currency', eventId, type, ...other };
      const paid = tolerantPaidEventData.safeParse(data);
      const status = paid.data?.status ?? 'paid';
      if (!paid.success || knownStatus(status) !== 'paid') return { kind: 'event_unreadable', eventId, type };
      const { goods_minor, amount_minor, expected_fee_minor, expected_net_minor, paid_at } = paid.data;
      const { paid_minor: paidMinor } = paid.data;
      return {
        kind: 'event_paid',
        eventId,
        type,
        amounts: {
          goodsMinor: goods_minor,
          amountMinor: amount_minor,
          feeMinor: expected_fee_minor,
          netMinor: expected_net_minor,
        },
        ...(paidMinor === undefined ? {} : { paidMinor }),
        paidAt: paid_at ?? null,
      };
    }
    case eventTypes.failed: {
      const status = data.status === 'expired' ? 'expired' : 'failed';
      const reason =
        typeof data.reason === 'string' && isFailureReason(data.reason) ? data.reason : undefined;
      return { kind: 'event_failed', eventId, type, status, ...(reason === undefined ? {} : { reason }) };
    }
    case eventTypes.reviewAmountMismatch: {
      const other = findOtherCurrency(data);
      if (other) return { kind: 'event_other_currency', eventId, type, ...other };
      // `paid_minor` is the amount taken when it differs from the quote; otherwise `amount_minor` is.
      const amount = data.paid_minor ?? data.amount_minor;
      const paidAt = tolerantPaidAt.parse(data.paid_at);
      return {
        kind: 'event_review',
        eventId,
        type,
        ...toReportedReview(readAmount(amount), { reason: data.reason, status: data.status, paidAt }),
      };
    }
    case eventTypes.refundSettled: {
      const refund = tolerantRefund.safeParse(data.refund);
      if (!refund.success || otherCurrency(data.currency) !== undefined)
        return { kind: 'event_other', eventId, type };
      const { amount_minor: amountMinor, reference, settled_by: by } = refund.data;
      const refunded = { kind: 'event_refund', eventId, type, amountMinor, reference, by } as const;
      if (data.reason !== 'second_charge') return refunded;
      const paidAt = tolerantPaidAt.parse(data.paid_at);
      return { ...refunded, secondCharge: true, ...(paidAt ? { paidAt } : {}) };
    }
    default:
      return { kind: 'event_other', eventId, type };
  }
}

/** Returns the money of an event in another currency; undefined when the event is in that of the interface. */
function findOtherCurrency(data: Record<string, unknown>): CurrencyAmount | undefined {
  const currency = otherCurrency(data.currency);
  if (currency === undefined) return undefined;
  return { currency, amountMinor: readAmount(data.paid_minor ?? data.amount_minor) };
}

function readAmount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function readText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= maxTextLength ? value : null;
}

function readPayer(value: unknown): string | null {
  return typeof value === 'string' ? (parseMsisdn(value) ?? null) : null;
}
