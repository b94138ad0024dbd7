import { type CurrencyAmount, otherCurrency } from '../../contract/service/currency.ts';
import { eventTypes } from '../../contract/service/event.ts';
import {
  eventEnvelope,
  knownStatus,
  tolerantPaidAt,
  tolerantPaidEventData,
  tolerantRefund,
} from '../../contract/service/reading.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { Write } from '../../sqlite/store.ts';
import type { Reconciliation } from '../collection/apply.ts';
import type { CollectionRow } from '../collection/collection.ts';
import { type EventEvidence, isFailureReason, toReportedReview } from '../collection/evidence.ts';
import type { CollectionStore } from '../collection/store/collection-store.ts';
import type { AccountOf } from '../unplaced/unplaced-store.ts';
import { type InboxRow, type InboxStore, inboxWrites } from './inbox-store.ts';
import { type ReportUnplacedDeps, unplacedReport } from './report-unplaced.ts';

/** The types of events that report money. */
const moneyTypes: ReadonlySet<string> = new Set([
  eventTypes.paid,
  eventTypes.reviewAmountMismatch,
  eventTypes.refundSettled,
]);

export type HandleEventDeps = ReportUnplacedDeps & {
  reconciliation: Reconciliation;
  collections: Pick<CollectionStore, 'findBySession'>;
  accountOf: AccountOf;
  clock: Clock;
  log: Log;
  inbox: InboxStore;
};

/**
 * Handles one stored event. The evidence of the event and the new state of its row are written in one batch.
 *
 * An event of an unknown payment session is parked, and its money is booked into suspense: it belongs to another channel of
 * the merchant, or it arrived before the create response. The event becomes due again when a collection gets that session id.
 */
export async function handleEvent(deps: HandleEventDeps, row: InboxRow): Promise<void> {
  if (row.sessionId === null) {
    // An event of money without a session id stays in the report of unplaced events.
    const isMoney = moneyTypes.has(row.type);
    if (isMoney)
      deps.log.error(
        { event: row.eventId, alarm: 'event_without_session' },
        'an event of money names no payment session. See "dialtill unplaced list"',
      );
    // A refund of nothing that is known is no payment.
    const isPayment = isMoney && row.type !== eventTypes.refundSettled;
    const reported = isPayment ? await unplacedReport(deps, row, readEvidence(row)) : [];
    await deps.inbox.apply(inboxWrites.finish(row, isMoney ? 'dead' : 'handled'), ...reported);
    return;
  }
  const { merchantId, sessionId, eventId, type } = row;
  const found = await findCollection(deps, row, sessionId);
  const event = readEvidence(row);
  if (!found) {
    // A conflict means that the session became known meanwhile, or that another event of it was handled: the event stays
    // due and is claimed again.
    const guards = await sessionGuards(deps, row, sessionId);
    const reported = await unplacedReport(deps, row, event);
    await deps.inbox.apply(inboxWrites.park(row, sessionId), ...guards, ...reported);
    return;
  }
  if (event.kind === 'event_unreadable') {
    const line = { collection: found.id, merchant: merchantId, event: eventId };
    deps.log.warn(line, 'the amounts of an event that reports a payment could not be read: a poll decides');
  }
  // A settlement is never out of date: handled once, it needs no delivery in time.
  const isHint = row.stale === 1 && event.kind !== 'event_refund';
  const evidence = isHint ? ({ kind: 'event_stale', eventId, type, event } as const) : event;
  await deps.reconciliation.apply(found, evidence, {
    with: [inboxWrites.finish(row, isHint ? 'hint' : 'handled')],
    // Another gateway handles the event when its lease has ended here.
    mayApply: async () => (await deps.inbox.find(row))?.state === 'waiting',
  });
}

/** Returns the collection of the session, of any merchant of the account: each one can get the events of all. */
async function findCollection(
  { collections, accountOf }: HandleEventDeps,
  { merchantId: recipient, livemode }: InboxRow,
  sessionId: string,
): Promise<CollectionRow | undefined> {
  for (const merchantId of accountOf(recipient)) {
    const key = { merchantId, livemode: livemode === 1 ? 1 : 0, sessionId } as const;
    const found = await collections.findBySession(key);
    if (found) return found;
  }
  return undefined;
}

/**
 * Two merchants of one account must not book the money of one session at the same time, and a failure must find the payment
 * that it contradicts.
 */
async function sessionGuards(
  { unplaced, accountOf }: HandleEventDeps,
  row: InboxRow,
  sessionId: string,
): Promise<Write[]> {
  const { merchantId, livemode } = row;
  const charges = await unplaced.listBySession({ merchantId, livemode, sessionId });
  return accountOf(merchantId).map((ownerId) => {
    const { length } = charges.filter((one) => one.merchantId === ownerId);
    return inboxWrites.expectSession(row, { sessionId, ownerId, charges: length });
  });
}

/** Reads an event as evidence. An event of an unknown type is recorded as `event_other` and changes nothing. */
export function readEvidence(row: Pick<InboxRow, 'eventId' | 'type' | 'body'>): EventEvidence {
  const { eventId, type } = row;
  const { data } = eventEnvelope.parse(JSON.parse(row.body));
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
