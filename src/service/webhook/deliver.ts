import type { Clock, EpochMs } from '../../shared/clock.ts';
import { messageOf } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import type { AttemptOutcome, Event, EventStore } from '../event/event-store.ts';
import type { AttemptStore } from './attempt-store.ts';
import type { Endpoint, EndpointKey, EndpointStore } from './endpoint-store.ts';
import { type DueDelivery, selectDeliveries } from './select-deliveries.ts';
import type { DeliveryResult, SendEvent } from './send.ts';

/** How long after its timeout an attempt without an outcome, cut off by a crash, is repeated. */
const leaseSlackMs = 5_000;

/** When an event that is to be repeated is sent again after it was accepted. */
const repeatAfterMs = 1_000;

export type WebhookConfig = {
  /** The waits between the attempts. After the last attempt the event is given up. */
  retryDelaysMs: readonly number[];
  timeoutMs: number;
  /** Name of the signature header, which carries the service's brand. */
  headerName: string;
  /**
   * An endpoint that fails for this time is disabled until its URL is set again. A success resets the time, and so does
   * a gap between two attempts that is longer than the longest wait.
   */
  disableAfterMs: number;
  /** How long the previous secret signs beside the new one after a rotation. */
  overlapMs: number;
  /** Deliveries in flight in each mode. */
  maxInFlight: number;
  /** Deliveries in flight to one endpoint that accepts them. */
  maxInFlightPerEndpoint: number;
};

/**
 * Delivers each event until its endpoint accepts it (2xx) or it is given up. Delivery is at least once and in no
 * guaranteed order: a crash between the request and its outcome repeats the request, and an event that failed arrives
 * after later ones. An attempt is counted before it is made, so no event is retried for ever.
 *
 * An event without an endpoint, or with a disabled one, is not sent. Each mode has slots of its own, so no live event
 * waits for a test event.
 *
 * `round` starts the due deliveries and resolves with the time of the next round. `drain` resolves when no delivery is
 * in flight.
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
  const { store, events, endpoints, attempts, config, clock, log } = deps;
  const select = selectDeliveries(deps);
  const excerpts = new Set<Promise<void>>();
  const inFlight = new Map<string, EndpointKey & { done: Promise<void> }>();
  const maxGapMs = Math.max(0, ...config.retryDelaysMs) + config.timeoutMs + leaseSlackMs;

  /** Completes the row of an attempt in the background. An excerpt that cannot be stored is missing in the log. */
  function storeExcerpt(id: string, number: number, excerpt: Promise<string | null>): void {
    const stored = excerpt
      .then(async (text) => {
        if (text) await store.apply([attempts.setResponseBody({ eventId: id, number, text })]);
      })
      .catch((fault) => log.warn({ event: id, fault: messageOf(fault) }, 'a response was not logged'))
      .finally(() => excerpts.delete(stored));
    excerpts.add(stored);
  }

  async function attempt(event: Event, { url }: Endpoint, signal: AbortSignal): Promise<void> {
    const { id, platformId, livemode } = event;
    const startedAt = clock.now();
    const secrets = await endpoints.secrets({ platformId, livemode }, startedAt);
    const result = await deps.send(event, { url, secrets }, signal);
    const { status, error, durationMs } = result;
    // The stop of the service aborted the attempt: its outcome is unknown.
    if (signal.aborted && status === null) return;
    const now = clock.now();
    const number = event.attempts + 1;
    const { repeats } = event;
    const plan = { tries: event.tries + 1, now, retryDelaysMs: config.retryDelaysMs, repeats };
    const outcome = outcomeOf(result, plan);
    const isAccepted = isAcceptedBy(result);
    const target = { platformId, livemode, url };
    const failure = {
      now,
      failingBefore: now - config.disableAfterMs,
      lastFailureAfter: now - maxGapMs,
    };
    const excerpt = result.status === null ? null : result.excerpt;
    const responseBody = typeof excerpt === 'string' ? excerpt || null : null;
    const records: Write[] = [
      attempts.insert({ eventId: id, number, url, startedAt, durationMs, status, error, responseBody }),
      isAccepted ? endpoints.recordSuccess(target) : endpoints.recordFailure({ ...target, ...failure }),
    ];
    const finish = events.finish({ id, attempts: number, tries: event.tries + 1, ...outcome });
    // The guard loses to a resend during the attempt: the event stays due, and the attempt is still recorded.
    const finished = await store.apply([finish, ...records]);
    if (!finished) await store.apply(records);
    if (excerpt instanceof Promise) storeExcerpt(id, number, excerpt);
    log.info({ event: id, attempts: number, status, error, state: outcome.state }, 'webhook sent');
    if (isAccepted) return;
    const endpoint = await endpoints.find(target);
    if (endpoint?.disabledAt === now) log.warn({ platform: platformId, livemode }, 'endpoint disabled');
  }

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
    const leaseUntil = now + config.timeoutMs + leaseSlackMs;
    if (!(await store.apply([events.claim({ id, attempts, tries, now, leaseUntil })]))) return;
    const done = attempt(event, endpoint, signal)
      .catch((fault) => log.error({ event: id, fault: messageOf(fault) }, 'a delivery failed'))
      .finally(() => {
        inFlight.delete(id);
        deps.wake(clock.now());
      });
    inFlight.set(id, { ...key, done });
  }

  return {
    async round(signal: AbortSignal): Promise<EpochMs | undefined> {
      const now = clock.now();
      const due = await events.endpointsDue(now);
      const live = await select(due, inFlight, { livemode: 1, now });
      const test = await select(due, inFlight, { livemode: 0, now });
      const selected = [...live, ...test];
      if (signal.aborted) return undefined;
      await Promise.all(selected.map((delivery) => start(delivery, signal)));
      // A due event without a free slot is started when a delivery ends, which wakes the loop.
      return selected.length > 0 ? now : events.nextDue(now);
    },
    async drain(): Promise<void> {
      await Promise.all([...inFlight.values()].map(({ done }) => done));
      await Promise.all(excerpts);
    },
  };
}

function isAcceptedBy({ status }: Pick<DeliveryResult, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Returns the state of an event after attempt number `tries` of its retry schedule. */
function outcomeOf(
  { status, error }: DeliveryResult,
  plan: { tries: number; now: EpochMs; retryDelaysMs: readonly number[]; repeats: number },
): AttemptOutcome {
  const { repeats } = plan;
  const last = { lastStatus: status, lastError: error, repeats };
  if (isAcceptedBy({ status })) {
    if (repeats > 0)
      return { state: 'waiting', nextAt: plan.now + repeatAfterMs, ...last, repeats: repeats - 1 };
    return { state: 'delivered', nextAt: null, ...last };
  }
  const waitMs = plan.retryDelaysMs[plan.tries - 1];
  if (waitMs === undefined) return { state: 'given_up', nextAt: null, ...last };
  return { state: 'waiting', nextAt: plan.now + waitMs, ...last };
}
