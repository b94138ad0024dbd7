import { eventEnvelope } from '../../contract/service/reading.ts';
import { unreachable } from '../../shared/errors.ts';
import { parseMsisdn } from '../../shared/msisdn.ts';
import type { EventEvidence } from '../collection/evidence.ts';
import type { StatedPayment } from '../unplaced/unplaced.ts';
import type { InboxRow } from './inbox-store.ts';

const maxTextLength = 128;

/** Returns what an event states about a payment; undefined for an event that neither reports nor refutes money. */
export function statedPayment(
  row: Pick<InboxRow, 'eventId' | 'type' | 'body'>,
  evidence: EventEvidence,
): StatedPayment | undefined {
  if (evidence.kind === 'event_other') return undefined;
  const { data } = eventEnvelope.parse(JSON.parse(row.body));
  const isOther = evidence.kind === 'event_other_currency';
  // The amounts of another currency are no pesewas.
  const quoted = (value: unknown) => (isOther ? null : findAmount(value));
  const paidAt = evidence.kind === 'event_paid' ? evidence.paidAt : toText(data.paid_at);
  return {
    eventId: row.eventId,
    eventType: row.type,
    chargedMinor: chargedMinor(evidence),
    reports: reportedBy(evidence),
    ...(isOther ? { other: { currency: evidence.currency, amountMinor: evidence.amountMinor } } : {}),
    goodsMinor: quoted(data.goods_minor),
    feeMinor: quoted(data.expected_fee_minor),
    netMinor: quoted(data.expected_net_minor),
    payer: findPayer(data.payer_msisdn ?? data.msisdn),
    reference: toText(data.reference),
    clientTransId: toText(data.client_trans_id),
    channel: toText(data.channel),
    paidAt,
  };
}

function reportedBy(evidence: Exclude<EventEvidence, { kind: 'event_other' }>): StatedPayment['reports'] {
  switch (evidence.kind) {
    case 'event_paid':
    case 'event_unreadable':
    case 'event_other_currency':
      return 'payment';
    case 'event_review':
      return evidence.secondCharge ? 'second_charge' : 'payment';
    case 'event_failed':
      return 'failure';
    case 'event_refund':
      return evidence.secondCharge ? 'second_charge' : 'refund';
    default:
      return unreachable(evidence);
  }
}

/** Returns what the payer was charged; null when the event does not state it. */
function chargedMinor(evidence: EventEvidence): number | null {
  switch (evidence.kind) {
    case 'event_paid':
      return evidence.paidMinor ?? evidence.amounts.amountMinor;
    case 'event_review':
      return evidence.amountMinor;
    default:
      return null;
  }
}

function findAmount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function toText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= maxTextLength ? value : null;
}

function findPayer(value: unknown): string | null {
  return typeof value === 'string' ? (parseMsisdn(value) ?? null) : null;
}
