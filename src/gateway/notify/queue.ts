import type { EpochMs } from '../../shared/clock.ts';
import { InFlightLimit } from '../../shared/limits/in-flight-limit.ts';
import { traced } from '../../shared/tracing.ts';
import { claimEach, type Queue } from '../worker/queue.ts';
import {
  type Notification,
  type NotificationStore,
  notificationWrites,
  type WaitingEndpoint,
} from './notification-store.ts';
import { sendTimeoutMs } from './send.ts';

/** Deliveries in flight: of one merchant, so that its slow endpoints delay no other merchant, and of all. */
export const maxDeliveriesInFlight = { perKey: 8, total: 64 };

/** Deliveries of one endpoint in flight, so that a slow one delays no other of its merchant. */
const maxInFlightPerEndpoint = 4;

/** The lease of an attempt outlasts its time limit. */
const leaseMs = sendTimeoutMs + 5_000;

/** Notifications that are cancelled in one batch. */
const cancelPage = 200;

/** Bounds how often the endpoints are read: not at each of the worker's rounds, which also serve collections. */
const maxCheckMs = 1_000;
const minCheckMs = 50;

type QueuedEndpoint = Pick<WaitingEndpoint, 'endpointId' | 'merchantId'>;

export type NotificationQueue = Queue & {
  /** Makes the next round look for notifications, because some were written. */
  expect(): void;
};

/** Returns the queue of notifications. Its rounds are bounded, and each merchant gets an equal part of what may start. */
export function notificationQueue(
  deps: {
    notifications: Pick<NotificationStore, 'listEndpoints' | 'listWaiting' | 'listDue' | 'apply'>;
    deliver(claimed: Notification): Promise<void>;
  },
  livemode: 0 | 1,
): NotificationQueue {
  const { notifications } = deps;
  const ofMerchants = new InFlightLimit(maxDeliveriesInFlight);
  const ofEndpoints = new InFlightLimit({
    perKey: maxInFlightPerEndpoint,
    total: maxDeliveriesInFlight.total,
  });
  let checkedAt: EpochMs = 0;
  let checkAt: EpochMs = 0;
  let nextDueAt: EpochMs | null = null;
  const tryAcquire = ({ endpointId, merchantId }: QueuedEndpoint) => {
    if (!ofEndpoints.tryAcquire(endpointId)) return false;
    if (ofMerchants.tryAcquire(merchantId)) return true;
    ofEndpoints.release(endpointId);
    return false;
  };
  const release = ({ endpointId, merchantId }: QueuedEndpoint) => {
    ofEndpoints.release(endpointId);
    ofMerchants.release(merchantId);
    expect();
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
  async function claimOne({ endpointId, eventId, fence }: Notification, now: EpochMs): Promise<boolean> {
    return notifications.apply([
      notificationWrites.claim({ endpointId, eventId, fence, now, leaseUntil: now + leaseMs }),
    ]);
  }

  /** Claims due deliveries of an endpoint, within its limits. Each returned function sends one. */
  async function readClaim(
    endpoint: QueuedEndpoint,
    now: EpochMs,
    limit: number,
  ): Promise<(() => Promise<void>)[]> {
    let acquired = 0;
    while (acquired < limit && tryAcquire(endpoint)) acquired += 1;
    let claimed: Notification[] = [];
    try {
      if (acquired === 0) return [];
      const due = await notifications.listDue(endpoint.endpointId, now, acquired);
      claimed = await claimEach(due, (one) => claimOne(one, now));
    } finally {
      for (let unused = acquired - claimed.length; unused > 0; unused--) release(endpoint);
    }
    return claimed.map((one) => {
      const mine = { ...one, fence: one.fence + 1, nextAt: now + leaseMs };
      const attributes = { 'dialtill.endpoint': endpoint.endpointId, 'dialtill.event': one.eventId };
      const deliver = () => traced('delivery', { attributes, kind: 'client' }, () => deps.deliver(mine));
      return () => deliver().finally(() => release(endpoint));
    });
  }

  return {
    name: 'notifications',
    inFlight: maxDeliveriesInFlight.total,
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
      const active = endpoints.filter(({ isActive }) => isActive);
      // They are in the order of their first due time.
      const next = active.find(({ firstDue }) => firstDue > now);
      if (next) {
        nextDueAt = next.firstDue;
        checkAt = Math.min(checkAt, next.firstDue);
      }
      const due = active.filter(({ firstDue }) => firstDue <= now);
      const merchants = new Set(due.map(({ merchantId }) => merchantId));
      const share = Math.max(1, Math.floor(Math.min(limit, ofMerchants.free) / merchants.size));
      const started = new Map<string, number>();
      for (const endpoint of due) {
        const mine = started.get(endpoint.merchantId) ?? 0;
        // A delivery that ends makes the next round look again.
        const claimed = await readClaim(endpoint, now, Math.min(limit - jobs.length, share - mine)).catch(
          (fault) => {
            // The deliveries of other endpoints are claimed already, and must be sent. The next round reports the fault.
            if (jobs.length === 0) throw fault;
            return [];
          },
        );
        jobs.push(...claimed);
        started.set(endpoint.merchantId, mine + claimed.length);
      }
      return jobs;
    },
    nextDueAt: async () => nextDueAt,
  };
}
