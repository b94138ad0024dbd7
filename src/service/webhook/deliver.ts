import type { EpochMs } from '../../shared/clock.ts';
import { errorMessage } from '../../shared/errors.ts';
import type { Settings, WebhookConfig } from '../config.ts';
import type { ServiceContext } from '../context.ts';
import type { Event, EventStore } from '../event/event-store.ts';
import type { ClaimNewEvent } from '../event/record.ts';
import { createLoop } from '../loop.ts';
import type { Livemode } from '../schema.ts';
import { createAttempt, leaseSlackMs, type SendEvent, sendEvent } from './attempt.ts';
import { createPooledFetch, createPublicFetch } from './delivery-fetch.ts';
import type { EndpointKey, WebhookEndpointRow, WebhookStore } from './webhook-store.ts';

/** Deliveries in flight to an endpoint that is failing. */
const maxInFlightFailing = 1;

/** An event to be sent, and the endpoint of its platform and mode, if there is one. */
type DueDelivery = { event: Event; endpoint: WebhookEndpointRow | undefined };

type EndpointQueue = { endpoint: WebhookEndpointRow | undefined; events: Event[]; maxInFlight: number };

type Candidate = { key: EndpointKey; inFlight: number; queue: EndpointQueue | undefined };

/** Returns whether a new event of an endpoint gets a slot, by the rules of `selectDeliveries`. */
function hasFreeSlot(
  config: { maxInFlight: number; maxInFlightPerEndpoint: number },
  inFlight: ReadonlyMap<string, EndpointKey>,
  { platformId, livemode }: EndpointKey,
): boolean {
  let busy = 0;
  let own = 0;
  for (const key of inFlight.values()) {
    if (key.livemode !== livemode) continue;
    busy++;
    if (key.platformId === platformId) own++;
  }
  return own < Math.min(config.maxInFlightPerEndpoint, config.maxInFlight - busy);
}

/**
 * Selects the due events of one mode for the free delivery slots. A slot goes to the endpoint with the fewest deliveries
 * in flight, and among equals to the longest overdue one. No endpoint gets more deliveries than slots stay free, so an
 * endpoint that becomes due later finds some.
 */
function selectDeliveries(deps: {
  events: EventStore;
  endpoints: WebhookStore;
  config: { maxInFlight: number; maxInFlightPerEndpoint: number };
}) {
  const { events, endpoints, config } = deps;

  async function readQueue(
    key: EndpointKey,
    inFlight: ReadonlyMap<string, EndpointKey>,
    now: EpochMs,
  ): Promise<EndpointQueue> {
    const endpoint = await endpoints.find(key);
    const due = await events.due(key, now, config.maxInFlightPerEndpoint);
    const isFailing = endpoint?.disabledAt === null && endpoint.failingSince !== null;
    return {
      endpoint,
      // An event that is resent while in flight is due again, but only after that attempt has ended.
      events: due.filter(({ id }) => !inFlight.has(id)),
      maxInFlight: isFailing ? maxInFlightFailing : config.maxInFlightPerEndpoint,
    };
  }

  /** `due` is in the order of the endpoints' due times. `inFlight` has the endpoint of each event in flight. */
  return async (
    due: readonly EndpointKey[],
    inFlight: ReadonlyMap<string, EndpointKey>,
    { livemode, now }: { livemode: Livemode; now: EpochMs },
  ): Promise<DueDelivery[]> => {
    const busy = [...inFlight.values()].filter((key) => key.livemode === livemode);
    const candidates = due
      .filter((key) => key.livemode === livemode)
      .map(
        (key): Candidate => ({
          key,
          inFlight: busy.filter(({ platformId }) => platformId === key.platformId).length,
          queue: undefined,
        }),
      );
    const selected: DueDelivery[] = [];
    const free = () => config.maxInFlight - busy.length - selected.length;
    for (let level = 0; level < Math.min(config.maxInFlightPerEndpoint, free()); level++) {
      for (const candidate of candidates) {
        if (candidate.inFlight !== level || level >= free()) continue;
        candidate.queue ??= await readQueue(candidate.key, inFlight, now);
        const event = level < candidate.queue.maxInFlight ? candidate.queue.events.shift() : undefined;
        if (!event) continue;
        selected.push({ event, endpoint: candidate.queue.endpoint });
        candidate.inFlight++;
      }
    }
    return selected;
  };
}

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
export function createDeliverer(
  deps: Pick<ServiceContext, 'store' | 'events' | 'endpoints' | 'attempts' | 'clock' | 'log'> & {
    config: WebhookConfig;
    send: SendEvent;
    /** Schedules a round, because a slot has become free or a retry is due. */
    wake(at: EpochMs): void;
  },
) {
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
    // A failing endpoint gets one event at a time, the longest overdue first: only a round selects it.
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

/** Creates the loop that delivers events. `drain` resolves when no delivery is in flight. */
export function createDelivery({ webhook: config }: Settings, context: ServiceContext) {
  const send = sendEvent({
    ...context,
    config,
    fetch: context.fetch ?? createPooledFetch(context.wallClock),
    fetchPublic: context.fetchPublic ?? createPublicFetch(),
  });
  const deliverer = createDeliverer({ ...context, config, send, wake: (at) => loop.wakeBy(at) });
  const loop = createLoop({ ...context, name: 'deliveries', round: deliverer.round });
  return { loop, drain: deliverer.drain, claimNew: deliverer.claimNew };
}
