import { eventTypes, type FailedEventData, type PaidEventData } from '../../contract/event.ts';
import type { Write } from '../../db/store.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Session } from '../session/session-store.ts';
import { isoTime } from '../session/view.ts';
import type { EventStore } from './event-store.ts';

/** Makes the event of a closed session, for the batch that closes it; `stored` is called once it is durable. */
export type RecordEvent = (session: Session) => { write: Write; stored(): void };

/**
 * Events carry the session as it was closed. `payment.session.failed` is also the event of an expired session:
 * its data says `"status":"expired"`, for the interface names no event of its own.
 */
export function recordEvent(deps: {
  events: EventStore;
  clock: Clock;
  ids: Ids;
  /** Told that an event is due. */
  wake(at: EpochMs): void;
}): RecordEvent {
  return (session) => {
    const now = deps.clock.now();
    const id = deps.ids.next('evt');
    const type = session.status === 'paid' ? eventTypes.paid : eventTypes.failed;
    const body = JSON.stringify({ id, type, created_at: isoTime(now), data: dataOf(session) });
    const write = deps.events.insert({
      id,
      merchantId: session.merchantId,
      livemode: session.livemode,
      type,
      sessionId: session.id,
      body,
      createdAt: now,
      state: 'waiting',
      nextAt: now,
      attempts: 0,
      lastAttemptAt: null,
      lastStatus: null,
      lastError: null,
    });
    return { write, stored: () => deps.wake(now) };
  };
}

function dataOf(session: Session): PaidEventData | FailedEventData {
  const common = {
    id: session.id,
    status: session.status,
    goods_minor: session.goodsMinor,
    amount_minor: session.amountMinor,
    expected_fee_minor: session.feeMinor,
    expected_net_minor: session.netMinor,
  };
  return session.paidAt === null
    ? { ...common, reason: session.reason ?? 'unknown' }
    : { ...common, paid_at: isoTime(session.paidAt) };
}
