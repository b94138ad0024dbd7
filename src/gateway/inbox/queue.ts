import type { EpochMs } from '../../shared/clock.ts';
import { errorMessage } from '../../shared/errors.ts';
import { traced } from '../../shared/tracing.ts';
import { claimEach, type Queue } from '../worker/queue.ts';
import { type HandleEventDeps, handleEvent } from './handle-event.ts';
import { type InboxRow, inboxWrites, maxRetryDelayMs } from './inbox-store.ts';

/** Number of failed attempts after which an event is dead-lettered, so that it does not delay other events. */
const maxAttempts = 25;
/** A claim whose answer was lost delays its event for no longer than that of a collection. */
const maxLeaseMs = 30_000;

/** Events that were stored under a lease of this process and wait here. Further ones are listed from the database. */
const maxHandedOver = { perMerchant: 100, total: 1_000 };

/** One claim in so many lists first, so that no event in the database waits for a flood of those of this process. */
const listedEvery = 4;

/** The queue of stored events. It takes over events from the deliveries that store them. */
export type InboxQueue = Queue & {
  /** Returns the end of a lease for an event of a merchant that is stored now; `undefined` when too many wait. */
  leaseFor(merchantId: string, now: EpochMs): EpochMs | undefined;
  /** Takes over an event that was stored under such a lease. */
  handOver(row: InboxRow): void;
  /** Ends the leases of the events that wait here, when this process stops: another one, or the next, handles them at once. */
  release(): Promise<void>;
};

/** Returns the queue of stored events: those of this process in turns between merchants, others oldest first. */
export function inboxQueue(deps: HandleEventDeps, options: { livemode: 0 | 1; leaseMs: number }): InboxQueue {
  const { livemode } = options;
  const leaseMs = Math.min(maxLeaseMs, options.leaseMs);
  /** By merchant, in the order of their next turn. */
  const handedOver = new Map<string, InboxRow[]>();
  let waiting = 0;
  let claims = 0;

  /** Takes events of this process that need no claim. One whose lease has ended is due, and is claimed like any other. */
  function takeHandedOver(now: EpochMs, limit: number): InboxRow[] {
    const taken: InboxRow[] = [];
    while (taken.length < limit) {
      const [turn] = handedOver;
      if (!turn) break;
      const [merchantId, [row, ...others]] = turn;
      handedOver.delete(merchantId);
      if (others.length > 0) handedOver.set(merchantId, others);
      waiting -= 1;
      if (row && row.leaseUntil > now) taken.push(row);
    }
    return taken;
  }

  async function claimDue(now: EpochMs, limit: number): Promise<InboxRow[]> {
    const due = await deps.inbox.listDue({ now, livemode, limit });
    return claimEach(due, (row) => deps.inbox.claim(row, now, now + leaseMs));
  }
  async function run(row: InboxRow): Promise<void> {
    try {
      const attributes = { 'dialtill.merchant': row.merchantId, 'dialtill.event_type': row.type };
      await traced('event', { attributes }, () => handleEvent(deps, row));
    } catch (fault) {
      // The stale event was promoted meanwhile: it is due again, and this failure was of the earlier delivery.
      if ((await deps.inbox.find(row))?.stale !== row.stale) return;
      const attempts = row.attempts + 1;
      const isDead = attempts >= maxAttempts;
      deps.log.error(
        {
          event: row.eventId,
          attempts,
          dead: isDead,
          ...(isDead ? { alarm: 'event_dead_lettered' } : {}),
          fault: errorMessage(fault),
        },
        isDead
          ? 'an event was dead-lettered: its handling failed too often'
          : 'the handling of an event failed and will be retried',
      );
      const retryAt = deps.clock.now() + Math.min(maxRetryDelayMs, 500 * 2 ** attempts);
      await deps.inbox.apply(isDead ? inboxWrites.finish(row, 'dead') : inboxWrites.postpone(row, retryAt));
    }
  }
  return {
    name: 'inbox',
    async claim(now, limit) {
      claims += 1;
      const own = claims % listedEvery === 0 ? [] : takeHandedOver(now, limit);
      const claimed =
        own.length < limit
          ? await claimDue(now, limit - own.length).catch((fault) => {
              // The events of this process are handled all the same, and the next claim reports the fault.
              if (own.length === 0 && waiting === 0) throw fault;
              return [];
            })
          : [];
      const rest = takeHandedOver(now, limit - own.length - claimed.length);
      return [...own, ...claimed, ...rest].map((row) => () => run(row));
    },
    nextDueAt: async () => (waiting > 0 ? deps.clock.now() : deps.inbox.nextDueAt(livemode)),
    leaseFor(merchantId, now) {
      const isFull = waiting >= maxHandedOver.total;
      const own = handedOver.get(merchantId)?.length ?? 0;
      return isFull || own >= maxHandedOver.perMerchant ? undefined : now + leaseMs;
    },
    handOver(row) {
      waiting += 1;
      // The row as a claim lists it: the attempt that its lease began is not counted yet.
      handedOver.set(row.merchantId, [...(handedOver.get(row.merchantId) ?? []), { ...row, attempts: 0 }]);
    },
    async release() {
      const rows = [...handedOver.values()].flat();
      handedOver.clear();
      waiting = 0;
      if (rows.length > 0) await deps.inbox.apply(...rows.map(inboxWrites.release));
    },
  };
}
