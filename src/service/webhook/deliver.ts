import type { Clock, EpochMs } from '../../shared/clock.ts';
import { errorMessage } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { Store } from '../../sqlite/store.ts';
import type { WebhookConfig } from '../config.ts';
import type { Event, EventStore } from '../event/event-store.ts';
import type { ClaimNewEvent } from '../event/record.ts';
import { createAttempt, leaseSlackMs } from './attempt.ts';
import type { AttemptStore } from './attempt-store.ts';
import type { EndpointKey, EndpointStore } from './endpoint-store.ts';
import { type DueDelivery, hasFreeSlot, selectDeliveries } from './select-deliveries.ts';
import type { SendEvent } from './send.ts';

/**
 * Delivers each event until its endpoint accepts it (2xx) or it is given up. Delivery is at least once and in no
 * guaranteed order: a crash between the request and its outcome repeats the request, and an event that failed arrives
 * after later ones. An attempt is counted before it is made, so no event is retried for ever.
 *
 * An event without an endpoint, or with a disabled one, is not sent. Each mode has slots of its own, so no live event
 * waits for a test event.
 *
 * `round` starts the due deliveries and resolves with the time of the next round. `claimNew` claims an event in the batch
 * that inserts it, which needs no round. `drain` resolves when no delivery is in flight.
 */
export function createDeliverer(deps: {
  store: Store;
  events: EventStore;
  endpoints: EndpointStore;
  attempts: AttemptStore;
  config: WebhookConfig;
  clock: Clock;
  send: SendEvent;
  log: Log;
  /** Schedules a round, because a slot has become free or a retry is due. */
  wake(at: EpochMs): void;
}) {
  const { store, events, endpoints, config, clock, log } = deps;
  const select = selectDeliveries(deps);
  const { attempt, drain: drainExcerpts } = createAttempt(deps);
  const inFlight = new Map<string, EndpointKey & { done: Promise<void> }>();
  /** True when the last round left due events without a free slot. */
  let isBehind = false;
  /** The signal of the loop, once it runs. */
  let running: AbortSignal | undefined;

  /** Counts a delivery as in flight until `work` ends. `work` resolves with the time at which the event is due again. */
  function track({ id, platformId, livemode }: Event, work: Promise<EpochMs | null>): void {
    const done = work
      .catch((fault) => {
        log.error({ event: id, fault: errorMessage(fault) }, 'a delivery failed');
        return clock.now();
      })
      .then((dueAt) => {
        inFlight.delete(id);
        const wakeAt = isBehind ? clock.now() : dueAt;
        if (wakeAt !== null) deps.wake(wakeAt);
      });
    inFlight.set(id, { platformId, livemode, done });
  }

  const leaseFrom = (now: EpochMs): EpochMs => now + config.timeoutMs + leaseSlackMs;

  /** Starts an attempt, or marks the event as undeliverable. When a guard loses, the next round reads the new state. */
  async function start({ event, endpoint }: DueDelivery, signal: AbortSignal): Promise<void> {
    const { id, attempts, tries, platformId, livemode } = event;
    const key = { platformId, livemode };
    if (!endpoint || endpoint.disabledAt !== null) {
      const state = endpoint ? 'endpoint_disabled' : 'no_endpoint';
      await store.apply([events.markUndeliverable({ ...key, id, attempts, state })]);
      return;
    }
    const now = clock.now();
    const claim = events.claim({ id, attempts, tries, now, leaseUntil: leaseFrom(now) });
    if (await store.apply([claim])) track(event, attempt(event, endpoint, signal));
  }

  const claimNew: ClaimNewEvent = async (event) => {
    const signal = running;
    const endpoint = await endpoints.find(event);
    if (!signal || signal.aborted || !endpoint || endpoint.disabledAt !== null) return undefined;
    // A failing endpoint gets one event at a time, the longest overdue first: only a round knows which.
    if (endpoint.failingSince !== null || !hasFreeSlot(config, inFlight, event)) return undefined;
    let applied = (_isStored: boolean) => {};
    const stored = new Promise<boolean>((resolve) => {
      applied = resolve;
    });
    // The endpoint is read again, because the batch may be stored after a change of the URL.
    const send = async () => attempt(event, (await endpoints.find(event)) ?? endpoint, signal);
    track(
      event,
      stored.then((isStored) => (isStored ? send() : null)),
    );
    const now = clock.now();
    const counted = { attempts: event.attempts + 1, tries: event.tries + 1 };
    return { event: { ...event, ...counted, lastAttemptAt: now, nextAt: leaseFrom(now) }, applied };
  };

  return {
    async round(signal: AbortSignal): Promise<EpochMs | undefined> {
      running = signal;
      const now = clock.now();
      const due = await events.endpointsDue(now);
      isBehind = due.length > 0;
      const live = await select(due, inFlight, { livemode: 1, now });
      const test = await select(due, inFlight, { livemode: 0, now });
      const selected = [...live, ...test];
      if (signal.aborted) return undefined;
      await Promise.all(selected.map((delivery) => start(delivery, signal)));
      // A due event without a free slot is started when a delivery ends, which wakes the loop.
      return selected.length > 0 ? now : events.nextDue(now);
    },
    claimNew,
    async drain(): Promise<void> {
      await Promise.all([...inFlight.values()].map(({ done }) => done));
      await drainExcerpts();
    },
  };
}
