import { eventTypes } from '../../contract/service/event.ts';
import { type CurrencyAmount, otherCurrency } from '../../contract/service/field.ts';
import {
  eventEnvelope,
  knownStatus,
  tolerantPaidAt,
  tolerantPaidEventData,
  tolerantRefund,
} from '../../contract/service/reading.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import { parseMsisdn } from '../../shared/msisdn.ts';
import type { Write } from '../../sqlite/store.ts';
import type { Reconciliation } from '../collection/apply.ts';
import type { CollectionWithJob } from '../collection/collection.ts';
import {
  decideUnplacedEvent,
  type EventDetails,
  type UnplacedAlarm,
  type UnplacedEventDecision,
  type UnplacedEvidence,
} from '../collection/decide/unplaced-event.ts';
import { type EventEvidence, isFailureReason, toReportedReview } from '../collection/evidence.ts';
import type { CollectionStore } from '../collection/store/collection-store.ts';
import { refundUnclear } from '../unplaced/decide.ts';
import type { UnplacedPayment } from '../unplaced/unplaced.ts';
import { type AccountOf, type UnplacedStore, unplacedWrites } from '../unplaced/unplaced-store.ts';
import { type InboxRow, type InboxStore, inboxWrites } from './inbox-store.ts';

export type HandleEventDeps = {
  reconciliation: Reconciliation;
  collections: Pick<CollectionStore, 'findBySession'>;
  unplaced: Pick<UnplacedStore, 'listBySession'>;
  inbox: InboxStore;
  accountOf: AccountOf;
  /** Returns whether the merchant takes payments by other channels of the same account. */
  hasOtherChannels(merchantId: string): boolean;
  clock: Clock;
  ids: Pick<Ids, 'next'>;
  log: Log;
};

/**
 * Handles one stored event. The evidence of the event and the new state of its row are written in one batch.
 *
 * An event of an unknown payment session is parked, and its money is booked into suspense: it belongs to another channel of
 * the merchant, or it arrived before the create response. The event becomes due again when a collection gets that session id.
 */
export async function handleEvent(deps: HandleEventDeps, row: InboxRow): Promise<void> {
  const { merchantId, eventId, type } = row;
  const found = await findCollection(deps, row);
  const { evidence: event, details } = readEvent(row);
  const stale = { kind: 'event_stale', eventId, type, event } as const;
  if (!found) return handleUnplaced(deps, row, row.stale === 1 ? stale : event, details);
  if (event.kind === 'event_unreadable') {
    const line = { collection: found.id, merchant: merchantId, event: eventId };
    deps.log.warn(line, 'the amounts of an event that reports a payment could not be read: a poll decides');
  }
  // A settlement is never out of date: handled once, it needs no delivery in time.
  const isStale = row.stale === 1 && event.kind !== 'event_refund';
  await deps.reconciliation.apply(found, isStale ? stale : event, {
    with: [inboxWrites.finish(row, isStale ? 'hint' : 'handled')],
    // Another gateway handles the event when its lease has ended here.
    mayApply: async () => (await deps.inbox.find(row))?.state === 'waiting',
  });
}

/** Returns the collection of the session, of any merchant of the account: each one can get the events of all. */
async function findCollection(
  { collections, accountOf }: HandleEventDeps,
  { merchantId: recipient, livemode, sessionId }: InboxRow,
): Promise<CollectionWithJob | undefined> {
  if (sessionId === null) return undefined;
  for (const merchantId of accountOf(recipient)) {
    const key = { merchantId, livemode: livemode === 1 ? 1 : 0, sessionId } as const;
    const found = await collections.findBySession(key);
    if (found) return found;
  }
  return undefined;
}

const alarmMessages = {
  event_without_session: 'an event of money names no payment session. See "dialtill unplaced list"',
  event_of_other_mode: 'an event of the other mode, test or live, is not booked. Check the webhook secrets',
  second_charge: 'a payer of an unknown session was charged again',
  refund_unclear: refundUnclear,
  unplaced_contradicted:
    'an event contradicts a decision about an unplaced payment. See "dialtill unplaced show"',
} as const satisfies Record<UnplacedAlarm['alarm'], string>;

/**
 * Handles an event that no collection explains. After a conflict, the session became known meanwhile, or another event of it
 * was handled: the event stays due and is claimed again.
 */
async function handleUnplaced(
  deps: HandleEventDeps,
  row: InboxRow,
  evidence: UnplacedEvidence,
  details: EventDetails,
): Promise<void> {
  const { unplaced, inbox, clock, ids, log } = deps;
  const { merchantId, livemode, sessionId, eventId: event } = row;
  const charges = sessionId === null ? [] : await unplaced.listBySession({ merchantId, livemode, sessionId });
  const isKnown = sessionId === null || charges.some(({ charge }) => charge === 1);
  const decision = decideUnplacedEvent(
    {
      ...{ merchantId, livemode, sessionId, details, charges },
      parkedFailure: isKnown ? null : await inbox.findParkedFailure({ merchantId, livemode, sessionId }),
      hasOtherChannels: deps.hasOtherChannels(merchantId),
    },
    evidence,
    { now: clock.now(), unplacedId: ids.next('unp') },
  );
  for (const { alarm, ...more } of decision.alarms)
    log.error({ merchant: merchantId, event, ...more, alarm }, alarmMessages[alarm]);
  const writes = decision.changes.flatMap(unplacedWrites);
  await inbox.apply(...eventWrites(deps, row, decision, charges), ...writes);
}

/** Returns the guarded end of an event. The decision holds only for the session as it was read. */
function eventWrites(
  { accountOf }: HandleEventDeps,
  row: InboxRow,
  decision: UnplacedEventDecision,
  charges: readonly UnplacedPayment[],
): Write[] {
  if (decision.state !== 'parked') return [inboxWrites.finish(row, decision.state)];
  const { sessionId, expectsNoFailure } = decision;
  // Two merchants of one account must not book the money of one session at the same time.
  const guards = accountOf(row.merchantId).map((ownerId) => {
    const { length } = charges.filter((one) => one.merchantId === ownerId);
    return inboxWrites.expectSession(row, { sessionId, ownerId, charges: length });
  });
  const failure = expectsNoFailure ? [inboxWrites.expectNoFailure(row, sessionId)] : [];
  return [inboxWrites.park(row, sessionId), ...guards, ...failure];
}

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
