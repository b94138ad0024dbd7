import type { Store, Write } from '../../db/store.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import { messageOf } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { AttemptOutcome, Event, EventStore } from '../event/event-store.ts';
import type { AttemptStore } from './attempt-store.ts';
import type { Endpoint, EndpointStore } from './endpoint-store.ts';
import type { Result, SendEvent } from './send.ts';

/** Deliveries under way at once to a place that is failing. */
const widestFailing = 1;

/** How long after its time-out an attempt that left no trace (a crash) is made again. */
const leaseSlackMs = 5_000;

export type WebhookConfig = {
  /** Waits between the attempts; after the last one the event is given up. */
  retryMs: readonly number[];
  timeoutMs: number;
  /** Name of the signature header, which carries the service's brand. */
  headerName: string;
  /** An endpoint that has failed for so long, without one success, is sent nothing more until it is set anew. */
  disableAfterMs: number;
  /** How long after a rotation the secret before goes on signing beside the new one. */
  overlapMs: number;
  /** Deliveries under way at once: in all, and to one place that takes them. */
  inFlight: number;
  inFlightEach: number;
};

/**
 * Sends events until each is taken (2xx) or given up. At least once and in no promised order: a crash between
 * sending and writing down sends again, and an event that failed arrives after later ones. An attempt is counted
 * before it is made, so that no event is tried for ever.
 *
 * An event whose turn comes while its place has no URL, or one that was disabled, is put aside unsent.
 *
 * `round` starts what is due and resolves with the time of the next; `drain` resolves when nothing is under way.
 */
export function deliverer(deps: {
  store: Store;
  events: EventStore;
  endpoints: EndpointStore;
  attempts: AttemptStore;
  config: WebhookConfig;
  clock: Clock;
  send: SendEvent;
  log: Log;
  /** Asks for a round, because a place has become free or a retry was planned. */
  wake(at: EpochMs): void;
}) {
  const { store, events, endpoints, attempts, config, clock, log } = deps;
  const underWay = new Map<string, { place: string; done: Promise<void> }>();

  async function attempt(event: Event, { url, failingSince }: Endpoint, signal: AbortSignal): Promise<void> {
    const { id, platformId, livemode } = event;
    const startedAt = clock.now();
    const secrets = await endpoints.secrets({ platformId, livemode }, startedAt);
    const result = await deps.send(event, { url, secrets }, signal);
    const { status, error, durationMs } = result;
    // The stop cut it off: nobody knows how it would have ended.
    if (signal.aborted && status === null) return;
    const now = clock.now();
    const number = event.attempts + 1;
    const outcome = outcomeOf(result, { tries: event.tries + 1, now, retryMs: config.retryMs });
    const at = { platformId, livemode, url };
    const traces: Write[] = [
      attempts.insert({ eventId: id, number, url, startedAt, durationMs, status, error }),
      ...(outcome.state === 'delivered'
        ? [endpoints.works(at)]
        : endpoints.fails({ ...at, now, failedBefore: now - config.disableAfterMs })),
    ];
    const finish = events.finish({ id, attempts: number, tries: event.tries + 1, ...outcome });
    // The guard loses to a resend in the meantime: the event is due again, and the attempt is logged all the same.
    const finished = await store.apply([finish, ...traces]);
    if (!finished) await store.apply(traces);
    log.info({ event: id, attempts: number, status, error, state: outcome.state }, 'webhook sent');
    if (
      outcome.state !== 'delivered' &&
      failingSince !== null &&
      failingSince <= now - config.disableAfterMs
    ) {
      log.warn({ platform: platformId, livemode, failingSince }, 'endpoint disabled');
    }
  }

  /** Whether anything was moved on. */
  async function start(event: Event, endpoint: Endpoint | undefined, signal: AbortSignal): Promise<boolean> {
    const { id, attempts, tries } = event;
    if (!endpoint || endpoint.disabledAt !== null) {
      const state = endpoint ? 'endpoint_disabled' : 'no_endpoint';
      return store.apply([events.putAside({ ...placeOf(event), id, attempts, state })]);
    }
    const now = clock.now();
    const leaseUntil = now + config.timeoutMs + leaseSlackMs;
    if (!(await store.apply([events.claim({ id, attempts, tries, now, leaseUntil })]))) return false;
    const done = attempt(event, endpoint, signal)
      .catch((fault) => log.error({ event: id, fault: messageOf(fault) }, 'a delivery failed'))
      .finally(() => {
        underWay.delete(id);
        deps.wake(clock.now());
      });
    underWay.set(id, { place: nameOf(event), done });
    return true;
  }

  /** How many more may be sent to a place at once. */
  function room(place: string, endpoint: Endpoint | undefined): number {
    if (!endpoint || endpoint.disabledAt !== null) return config.inFlightEach;
    const busy = [...underWay.values()].filter((one) => one.place === place).length;
    return (endpoint.failingSince === null ? config.inFlightEach : widestFailing) - busy;
  }

  /** What there is room for now, the longest due first. */
  async function choose(now: EpochMs, signal: AbortSignal) {
    const { inFlight, inFlightEach } = config;
    const free = inFlight - underWay.size;
    const places = new Map<string, { endpoint: Endpoint | undefined; room: number }>();
    const chosen: { event: Event; endpoint: Endpoint | undefined }[] = [];
    // More than can be sent are looked at, so that places with no room left do not hide the others.
    for (const event of await events.due(now, inFlight * (inFlightEach + 1), inFlightEach)) {
      if (signal.aborted || chosen.length >= free) break;
      if (underWay.has(event.id)) continue;
      const name = nameOf(event);
      let place = places.get(name);
      if (!place) {
        const endpoint = await endpoints.find(placeOf(event));
        place = { endpoint, room: room(name, endpoint) };
        places.set(name, place);
      }
      if (place.room <= 0) continue;
      place.room--;
      chosen.push({ event, endpoint: place.endpoint });
    }
    return chosen;
  }

  return {
    async round(signal: AbortSignal): Promise<EpochMs | undefined> {
      const now = clock.now();
      const chosen = await choose(now, signal);
      const moved = await Promise.all(chosen.map(({ event, endpoint }) => start(event, endpoint, signal)));
      // What is due but found no room is started when a delivery ends, which wakes the loop.
      return moved.includes(true) ? now : events.nextDue(now);
    },
    async drain(): Promise<void> {
      await Promise.all([...underWay.values()].map((one) => one.done));
    },
  };
}

const placeOf = ({ platformId, livemode }: Event) => ({ platformId, livemode });

const nameOf = ({ platformId, livemode }: Event) => `${livemode} ${platformId}`;

/** What becomes of an event after its attempt number `tries` of the plan. */
function outcomeOf(
  { status, error }: Result,
  plan: { tries: number; now: EpochMs; retryMs: readonly number[] },
): AttemptOutcome {
  const last = { lastStatus: status, lastError: error };
  if (status !== null && status >= 200 && status < 300) return { state: 'delivered', nextAt: null, ...last };
  const waitMs = plan.retryMs[plan.tries - 1];
  if (waitMs === undefined) return { state: 'given_up', nextAt: null, ...last };
  return { state: 'waiting', nextAt: plan.now + waitMs, ...last };
}
