import type { EpochMs } from '../../shared/clock.ts';
import { traced } from '../../shared/tracing.ts';
import { claimEach, type Queue } from '../worker/queue.ts';
import { type Notification, type NotificationStore, notificationWrites } from './notification-store.ts';
import { sendTimeoutMs } from './send.ts';

/** Deliveries in flight, of all endpoints and of one, so that a slow endpoint delays no other merchant. */
const maxInFlight = 16;
const maxInFlightPerEndpoint = 4;

/** The lease of an attempt outlasts its time limit. */
const leaseMs = sendTimeoutMs + 5_000;

/** Notifications that are cancelled in one batch. */
const cancelPage = 200;

/** Bounds how often the endpoints are read: not at each of the worker's rounds, which also serve collections. */
const maxCheckMs = 1_000;
const minCheckMs = 50;

export type NotificationQueue = Queue & {
  /** Makes the next round look for notifications, because some were written. */
  expect(): void;
};

/** Returns the queue of notifications. It reads and starts a bounded number of deliveries at once. */
export function notificationQueue(
  deps: {
    notifications: Pick<NotificationStore, 'listEndpoints' | 'listWaiting' | 'listDue' | 'apply'>;
    deliver(claimed: Notification): Promise<void>;
  },
  livemode: 0 | 1,
): NotificationQueue {
  const { notifications } = deps;
  const inFlight = new Map<string, number>();
  let checkedAt: EpochMs = 0;
  let checkAt: EpochMs = 0;
  let nextDueAt: EpochMs | null = null;
  const freeOf = (endpointId: string) => {
    const total = [...inFlight.values()].reduce((sum, count) => sum + count, 0);
    return Math.min(maxInFlight - total, maxInFlightPerEndpoint - (inFlight.get(endpointId) ?? 0));
  };
  const expect = () => {
    checkAt = Math.min(checkAt, checkedAt + minCheckMs);
    nextDueAt = Math.min(nextDueAt ?? checkAt, checkAt);
  };
  /** Cancels the notifications that wait for a disabled endpoint, also those that were written while another gateway disabled it. */
  async function cancelWaiting(endpointId: string): Promise<void> {
    const waiting = await notifications.listWaiting(endpointId, cancelPage);
    await notifications.apply(waiting.map(notificationWrites.cancel));
    if (waiting.length === cancelPage) expect();
  }
  const release = (endpointId: string) => {
    const left = (inFlight.get(endpointId) ?? 1) - 1;
    if (left > 0) inFlight.set(endpointId, left);
    else inFlight.delete(endpointId);
    expect();
  };

  async function claimOne({ endpointId, eventId, fence }: Notification, now: EpochMs): Promise<boolean> {
    const claim = notificationWrites.claim({ endpointId, eventId, fence, now, leaseUntil: now + leaseMs });
    inFlight.set(endpointId, (inFlight.get(endpointId) ?? 0) + 1);
    let isClaimed = false;
    try {
      isClaimed = await notifications.apply([claim]);
    } finally {
      if (!isClaimed) release(endpointId);
    }
    return isClaimed;
  }

  /** Claims due deliveries of an endpoint. Each returned function sends one. */
  async function claimOf(endpointId: string, now: EpochMs, limit: number): Promise<(() => Promise<void>)[]> {
    const due = await notifications.listDue(endpointId, now, limit);
    const claimed = await claimEach(due, (one) => claimOne(one, now));
    return claimed.map((one) => {
      const mine = { ...one, fence: one.fence + 1, nextAt: now + leaseMs };
      const attributes = { 'dialtill.endpoint': endpointId, 'dialtill.event': one.eventId };
      const deliver = () => traced('delivery', { attributes, kind: 'client' }, () => deps.deliver(mine));
      return () => deliver().finally(() => release(endpointId));
    });
  }

  return {
    name: 'notifications',
    expect,
    async claim(now, limit) {
      if (now < checkAt) return [];
      checkedAt = now;
      checkAt = now + maxCheckMs;
      nextDueAt = null;
      const jobs: (() => Promise<void>)[] = [];
      const endpoints = await notifications.listEndpoints(livemode);
      for (const { endpointId } of endpoints.filter(({ isActive }) => !isActive))
        await cancelWaiting(endpointId);
      for (const { endpointId, firstDue } of endpoints.filter(({ isActive }) => isActive)) {
        if (firstDue > now) {
          nextDueAt = firstDue;
          checkAt = Math.min(checkAt, firstDue);
          break;
        }
        // A delivery that ends makes the next round look again.
        const free = Math.min(limit - jobs.length, freeOf(endpointId));
        if (free <= 0) continue;
        const claimed = await claimOf(endpointId, now, free).catch((fault) => {
          // The deliveries of other endpoints are claimed already, and must be sent. The next round reports the fault.
          if (jobs.length === 0) throw fault;
          return [];
        });
        jobs.push(...claimed);
      }
      return jobs;
    },
    nextDueAt: async () => nextDueAt,
  };
}
