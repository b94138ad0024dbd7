import { eventEnvelope, eventTypes, paidEventData } from '../../contract/event.ts';
import type { EventEvidence } from '../collection/evidence.ts';
import { type ReconcileDeps, reconcile } from '../collection/reconcile.ts';
import { type InboxRow, type InboxStore, inboxWrites } from './inbox-store.ts';

export type HandleDeps = ReconcileDeps & { inbox: InboxStore };

/**
 * Turns a stored event into evidence for its collection, in the same batch that marks the event handled. An event
 * of a session that is not known (another channel's, or ours before its create answer) is parked; learning the
 * session wakes it.
 */
export async function handle(deps: HandleDeps, row: InboxRow): Promise<void> {
  if (row.sessionId === null) {
    // News of money that names no session goes to the report of events without a collection.
    const money = row.type === eventTypes.paid || row.type === eventTypes.reviewAmountMismatch;
    if (money)
      deps.log.error({ event: row.eventId, alarm: 'event_without_session' }, 'an event needs a person');
    await deps.inbox.apply(inboxWrites.settle(row, money ? 'dead' : 'handled'));
    return;
  }
  const { merchantId, livemode, sessionId } = row;
  const found = await deps.collections.findBySession({
    merchantId,
    livemode: livemode === 1 ? 1 : 0,
    sessionId,
  });
  if (!found) {
    // A lost guard means that the session was learnt this instant: the event stays due and comes again.
    await deps.inbox.apply(inboxWrites.park(row, sessionId));
    return;
  }
  const event = evidenceOf(row);
  const { eventId, type } = row;
  await (row.stale === 1
    ? reconcile(
        deps,
        found.id,
        { kind: 'event_stale', eventId, type, event },
        { with: [inboxWrites.settle(row, 'hint')] },
      )
    : reconcile(deps, found.id, event, { with: [inboxWrites.settle(row, 'handled')] }));
}

/** What an event says. Anything that cannot be understood is evidence of itself and changes nothing. */
export function evidenceOf(row: Pick<InboxRow, 'eventId' | 'type' | 'body'>): EventEvidence {
  const { eventId, type } = row;
  const { data } = eventEnvelope.parse(JSON.parse(row.body));
  switch (type) {
    case eventTypes.paid: {
      const paid = paidEventData.safeParse(data);
      // Signed, called paid, and without the amounts that make it believable: a person must look.
      if (!paid.success || paid.data.status !== 'paid')
        return { kind: 'event_review', eventId, type, amountMinor: null };
      const { goods_minor, amount_minor, expected_fee_minor, expected_net_minor, paid_at } = paid.data;
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
        paidAt: paid_at,
      };
    }
    case eventTypes.failed: {
      const status = data.status === 'expired' ? 'expired' : 'failed';
      const reason =
        typeof data.reason === 'string' && /^[a-z_]{1,64}$/.test(data.reason) ? data.reason : undefined;
      return { kind: 'event_failed', eventId, type, status, ...(reason === undefined ? {} : { reason }) };
    }
    case eventTypes.reviewAmountMismatch: {
      // The service names what was taken beside the quote; where only one amount stands, it is that.
      const amount = data.paid_minor ?? data.amount_minor;
      const readable = typeof amount === 'number' && Number.isSafeInteger(amount) && amount >= 0;
      return {
        kind: 'event_review',
        eventId,
        type,
        amountMinor: readable ? amount : null,
        ...(data.reason === 'second_charge' ? { secondCharge: true } : {}),
      };
    }
    default:
      return { kind: 'event_other', eventId, type };
  }
}
