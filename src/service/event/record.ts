import {
  eventTypes,
  type FailedEventData,
  type PaidEventData,
  type RefundEventData,
  type ReviewEventData,
} from '../../contract/service/event.ts';
import { findMagicName } from '../../contract/service/magic-numbers.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Write } from '../../sqlite/store.ts';
import type { ServiceContext } from '../context.ts';
import { isoTime } from '../http/response.ts';
import { magicDelivery } from '../rail/simulated-rail.ts';
import type { ServiceReviewRow } from '../review/review-store.ts';
import type { SessionRow } from '../session/session-store.ts';
import { type SettledReview, settledRefundView } from '../session/view.ts';
import type { Event } from './event-store.ts';

/**
 * The write of an event for the batch that causes it. `applied` must be called with the batch, however it ends: it resolves
 * with the result of the batch, after the delivery of the event has been started or scheduled.
 */
export type RecordedEvent = { write: Write; applied(batch: Promise<boolean>): Promise<boolean> };

/** Returns the event of a closed session. `refundMinor` is what must be returned to the payer. */
export type RecordClosedEvent = (session: SessionRow, refundMinor?: number) => Promise<RecordedEvent>;

export type RecordReviewEvent = (session: SessionRow, review: ServiceReviewRow) => Promise<RecordedEvent>;

export type RecordRefundEvent = (session: SessionRow, review: SettledReview) => Promise<RecordedEvent>;

/**
 * Claims an event that is about to be inserted: it is inserted as one whose first attempt is counted, and the attempt
 * starts once the batch is stored. `undefined` when the event must wait for a round of deliveries.
 */
export type ClaimNewEvent = (event: Event) => Promise<ClaimedEvent | undefined>;

/** `applied` starts the attempt, or frees its slot when the batch was not stored. */
export type ClaimedEvent = { event: Event; applied(isStored: boolean): void };

/**
 * Creates the recorders of events. An event contains the session as it is at that time. An expired session also has the
 * event `payment.session.failed`, with the status `expired`, because the interface defines no other.
 */
export function recordEvents(
  deps: Pick<ServiceContext, 'events' | 'clock' | 'ids'> & {
    /** How long the payer of a magic number takes to answer. */
    magicDelayMs: number;
    claim: ClaimNewEvent;
    /** Schedules a round of deliveries. */
    wake(at: EpochMs): void;
  },
): { closed: RecordClosedEvent; review: RecordReviewEvent; refund: RecordRefundEvent } {
  async function record(session: SessionRow, type: Event['type'], details: object): Promise<RecordedEvent> {
    const data = { ...sessionData(session), ...details };
    const now = deps.clock.now();
    const id = deps.ids.next('evt');
    const magic = session.livemode === 0 ? findMagicName(session.payer) : undefined;
    const isPaid = type === eventTypes.paid;
    const { repeats, delayMs } = magicDelivery(magic, { isPaid, magicDelayMs: deps.magicDelayMs });
    const event: Event = {
      id,
      merchantId: session.merchantId,
      platformId: session.platformId,
      livemode: session.livemode,
      type,
      sessionId: session.id,
      body: JSON.stringify({ id, type, created_at: isoTime(now), livemode: session.livemode === 1, data }),
      createdAt: now,
      state: 'waiting',
      nextAt: now + delayMs,
      attempts: 0,
      tries: 0,
      repeats,
      lastAttemptAt: null,
      lastStatus: null,
      lastError: null,
    };
    const claimed = delayMs === 0 ? await deps.claim(event) : undefined;
    const settle = (isStored: boolean) => {
      claimed?.applied(isStored);
      if (isStored && !claimed) deps.wake(now + delayMs);
    };
    return {
      write: deps.events.insert(claimed?.event ?? event),
      async applied(batch) {
        let isStored = false;
        try {
          isStored = await batch;
          return isStored;
        } finally {
          settle(isStored);
        }
      },
    };
  }

  return {
    closed(session, refundMinor) {
      const { paidAt, reason, paidMinor, amountMinor } = session;
      return paidAt === null
        ? record(session, eventTypes.failed, {
            reason: reason ?? 'unknown',
            ...(refundMinor === undefined ? {} : { refund: { state: 'due', amount_minor: refundMinor } }),
          } satisfies DataOf<FailedEventData>)
        : record(session, eventTypes.paid, {
            paid_minor: paidMinor ?? amountMinor,
            paid_at: isoTime(paidAt),
          } satisfies DataOf<PaidEventData>);
    },
    review: (session, { paidMinor, paidAt, reason }) =>
      record(session, eventTypes.reviewAmountMismatch, {
        paid_minor: paidMinor,
        paid_at: isoTime(paidAt),
        reason,
      } satisfies DataOf<ReviewEventData>),
    refund: (session, review) =>
      record(session, eventTypes.refundSettled, {
        reason: review.reason,
        paid_at: isoTime(review.paidAt),
        refund: settledRefundView(review),
      } satisfies DataOf<RefundEventData>),
  };
}

/** The data of an event besides those of its session. */
type DataOf<Data> = Omit<Data, keyof ReturnType<typeof sessionData> | 'reference' | 'client_trans_id'>;

/** The fields that the data of every event has. */
function sessionData(session: SessionRow) {
  const { id, reference, status } = session;
  return {
    status,
    id,
    ...(reference === null ? {} : { reference, client_trans_id: reference }),
    goods_minor: session.goodsMinor,
    amount_minor: session.amountMinor,
    expected_fee_minor: session.feeMinor,
    expected_net_minor: session.netMinor,
  };
}
