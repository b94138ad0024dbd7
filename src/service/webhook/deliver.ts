import type { Clock, EpochMs } from '../../shared/clock.ts';
import { messageOf } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import type { AttemptOutcome, Event, EventStore } from '../event/event-store.ts';
import type { Livemode } from '../schema.ts';
import type { AttemptStore } from './attempt-store.ts';
import type { Endpoint, EndpointKey, EndpointStore } from './endpoint-store.ts';
import type { DeliveryResult, SendEvent } from './send.ts';

/** Deliveries under way at once to a place that is failing. */
const maxFailing = 1;

/** How long after its time-out an attempt that left no trace (a crash) is made again. */
const leaseSlackMs = 5_000;

export type WebhookConfig = {
  /** Waits between the attempts; after the last one the event is given up. */
  retryDelaysMs: readonly number[];
  timeoutMs: number;
  /** Name of the signature header, which carries the service's brand. */
  headerName: string;
  /**
   * An endpoint that has failed for so long, without one success and without a pause between the attempts longer
   * than the plan's longest wait, is sent nothing more until it is set anew.
   */
  disableAfterMs: number;
  /** How long after a rotation the secret before goes on signing beside the new one. */
  overlapMs: number;
  /** Deliveries under way at once: in each mode, and to one place that takes them. */
  maxInFlight: number;
  maxInFlightPerEndpoint: number;
};

type DueDelivery = { event: Event; endpoint: Endpoint | undefined };

type EndpointQueue = { endpoint: Endpoint | undefined; events: Event[]; most: number };

/**
 * Sends events until each is taken (2xx) or given up. At least once and in no promised order: a crash between
 * sending and writing down sends again, and an event that failed arrives after later ones. An attempt is counted
 * before it is made, so that no event is tried for ever.
 *
 * An event whose turn comes while its place has no URL, or one that was disabled, is put aside unsent.
 *
 * The modes have slots of their own, so that no live event waits for a test one. Within a mode a slot goes to the
 * place with the fewest deliveries under way, and no place has more than are free: whoever comes next finds some.
 *
 * `round` starts what is due and resolves with the time of the next; `drain` resolves when nothing is under way.
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
  /** Asks for a round, because a place has become free or a retry was planned. */
  wake(at: EpochMs): void;
}) {
  const { store, events, endpoints, attempts, config, clock, log } = deps;
  const underWay = new Map<string, EndpointKey & { done: Promise<void> }>();
  const maxPauseMs = Math.max(0, ...config.retryDelaysMs) + config.timeoutMs + leaseSlackMs;

  async function attempt(event: Event, { url }: Endpoint, signal: AbortSignal): Promise<void> {
    const { id, platformId, livemode } = event;
    const startedAt = clock.now();
    const secrets = await endpoints.secrets({ platformId, livemode }, startedAt);
    const result = await deps.send(event, { url, secrets }, signal);
    const { status, error, durationMs } = result;
    // The stop cut it off: nobody knows how it would have ended.
    if (signal.aborted && status === null) return;
    const now = clock.now();
    const number = event.attempts + 1;
    const outcome = outcomeOf(result, { tries: event.tries + 1, now, retryDelaysMs: config.retryDelaysMs });
    const at = { platformId, livemode, url };
    const failure = {
      now,
      failingBefore: now - config.disableAfterMs,
      triedAfter: now - maxPauseMs,
    };
    const traces: Write[] = [
      attempts.insert({ eventId: id, number, url, startedAt, durationMs, status, error }),
      outcome.state === 'delivered' ? endpoints.works(at) : endpoints.fails({ ...at, ...failure }),
    ];
    const finish = events.finish({ id, attempts: number, tries: event.tries + 1, ...outcome });
    // The guard loses to a resend in the meantime: the event is due again, and the attempt is logged all the same.
    const finished = await store.apply([finish, ...traces]);
    if (!finished) await store.apply(traces);
    log.info({ event: id, attempts: number, status, error, state: outcome.state }, 'webhook sent');
    if (outcome.state === 'delivered') return;
    const after = await endpoints.find(at);
    if (after?.disabledAt === now) log.warn({ platform: platformId, livemode }, 'endpoint disabled');
  }

  /** Begins an attempt, or puts the event aside. Where a guard loses, the next round finds what won. */
  async function start({ event, endpoint }: DueDelivery, signal: AbortSignal): Promise<void> {
    const { id, attempts, tries } = event;
    const place = placeOf(event);
    if (!endpoint || endpoint.disabledAt !== null) {
      const state = endpoint ? 'endpoint_disabled' : 'no_endpoint';
      await store.apply([events.markUndeliverable({ ...place, id, attempts, state })]);
      return;
    }
    const now = clock.now();
    const leaseUntil = now + config.timeoutMs + leaseSlackMs;
    if (!(await store.apply([events.claim({ id, attempts, tries, now, leaseUntil })]))) return;
    const done = attempt(event, endpoint, signal)
      .catch((fault) => log.error({ event: id, fault: messageOf(fault) }, 'a delivery failed'))
      .finally(() => {
        underWay.delete(id);
        deps.wake(clock.now());
      });
    underWay.set(id, { ...place, done });
  }

  /** What is due at a place, and how many deliveries may be under way there. */
  async function look(place: EndpointKey, now: EpochMs): Promise<EndpointQueue> {
    const endpoint = await endpoints.find(place);
    const due = await events.due(place, now, config.maxInFlightPerEndpoint);
    const isFailing = endpoint?.disabledAt === null && endpoint.failingSince !== null;
    return {
      endpoint,
      // One that is resent while it is under way is due again, but not before that attempt has ended.
      events: due.filter(({ id }) => !underWay.has(id)),
      most: isFailing ? maxFailing : config.maxInFlightPerEndpoint,
    };
  }

  /** What there is room for now in one mode. */
  async function choose(
    due: readonly EndpointKey[],
    livemode: Livemode,
    now: EpochMs,
  ): Promise<DueDelivery[]> {
    const busy = [...underWay.values()].filter((one) => one.livemode === livemode);
    const places = due
      .filter((place) => place.livemode === livemode)
      .map((place) => ({
        place,
        busy: busy.filter((one) => one.platformId === place.platformId).length,
        queue: undefined as EndpointQueue | undefined,
      }));
    const chosen: DueDelivery[] = [];
    const free = () => config.maxInFlight - busy.length - chosen.length;
    // The fewest under way first, among equals the longest due.
    for (let level = 0; level < Math.min(config.maxInFlightPerEndpoint, free()); level++) {
      for (const one of places) {
        if (one.busy !== level || level >= free()) continue;
        one.queue ??= await look(one.place, now);
        const event = level < one.queue.most ? one.queue.events.shift() : undefined;
        if (!event) continue;
        chosen.push({ event, endpoint: one.queue.endpoint });
        one.busy++;
      }
    }
    return chosen;
  }

  return {
    async round(signal: AbortSignal): Promise<EpochMs | undefined> {
      const now = clock.now();
      const places = await events.endpointsDue(now);
      const chosen = [...(await choose(places, 1, now)), ...(await choose(places, 0, now))];
      if (signal.aborted) return undefined;
      await Promise.all(chosen.map((turn) => start(turn, signal)));
      // What is due but found no room is started when a delivery ends, which wakes the loop.
      return chosen.length > 0 ? now : events.nextDue(now);
    },
    async drain(): Promise<void> {
      await Promise.all([...underWay.values()].map((one) => one.done));
    },
  };
}

const placeOf = ({ platformId, livemode }: Event) => ({ platformId, livemode });

/** What becomes of an event after its attempt number `tries` of the plan. */
function outcomeOf(
  { status, error }: DeliveryResult,
  plan: { tries: number; now: EpochMs; retryDelaysMs: readonly number[] },
): AttemptOutcome {
  const last = { lastStatus: status, lastError: error };
  if (status !== null && status >= 200 && status < 300) return { state: 'delivered', nextAt: null, ...last };
  const waitMs = plan.retryDelaysMs[plan.tries - 1];
  if (waitMs === undefined) return { state: 'given_up', nextAt: null, ...last };
  return { state: 'waiting', nextAt: plan.now + waitMs, ...last };
}
