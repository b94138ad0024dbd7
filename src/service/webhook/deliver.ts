import { eventIdHeader } from '../../contract/event.ts';
import type { Store } from '../../db/store.ts';
import { type Clock, type EpochMs, withTimeout } from '../../shared/clock.ts';
import { messageOf } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { AttemptOutcome, Event, EventStore } from '../event/event-store.ts';
import type { EndpointStore } from './endpoint-store.ts';
import { signatureOf } from './sign.ts';

/** Deliveries under way at once: in all, and to one merchant in one mode. */
const widest = 32;
const widestEach = 4;

/** How long after its time-out an attempt that left no trace (a crash) is made again. */
const leaseSlackMs = 5_000;

export type WebhookConfig = {
  /** Waits between the attempts; after the last one the event is given up. */
  retryMs: readonly number[];
  timeoutMs: number;
  /** Name of the signature header, which carries the service's brand. */
  headerName: string;
};

type Result = { status: number } | { error: 'timeout' | 'connection' };

/**
 * Sends events until each is taken (2xx) or given up. At least once: a crash between sending and writing down
 * sends again. An attempt is counted before it is made, so that no event is tried for ever.
 *
 * `round` starts what is due and resolves with the time of the next; `drain` resolves when nothing is under way.
 */
export function deliverer(deps: {
  store: Store;
  events: EventStore;
  endpoints: EndpointStore;
  config: WebhookConfig;
  clock: Clock;
  fetch: typeof fetch;
  log: Log;
  /** Asks for a round, because a place has become free or a retry was planned. */
  wake(at: EpochMs): void;
}) {
  const { store, events, endpoints, config, clock, log } = deps;
  const underWay = new Map<string, { place: string; done: Promise<void> }>();

  async function post(event: Event, url: string, secrets: string[], signal: AbortSignal): Promise<Result> {
    let timedOut = false;
    try {
      return await withTimeout(clock, config.timeoutMs, async (deadline) => {
        deadline.addEventListener('abort', () => {
          timedOut = true;
        });
        const response = await deps.fetch(url, {
          method: 'POST',
          redirect: 'manual',
          signal: AbortSignal.any([deadline, signal]),
          headers: {
            'content-type': 'application/json',
            [eventIdHeader]: event.id,
            [config.headerName]: signatureOf(secrets, clock.now(), event.body),
          },
          body: event.body,
        });
        await response.body?.cancel();
        return { status: response.status };
      });
    } catch {
      return { error: timedOut ? 'timeout' : 'connection' };
    }
  }

  function outcomeOf(result: Result, tries: number): AttemptOutcome {
    const lastStatus = 'status' in result ? result.status : null;
    const lastError = 'error' in result ? result.error : null;
    if (lastStatus !== null && lastStatus >= 200 && lastStatus < 300) {
      return { state: 'delivered', nextAt: null, lastStatus, lastError };
    }
    const waitMs = config.retryMs[tries - 1];
    if (waitMs === undefined) return { state: 'given_up', nextAt: null, lastStatus, lastError };
    return { state: 'waiting', nextAt: clock.now() + waitMs, lastStatus, lastError };
  }

  async function attempt(event: Event, signal: AbortSignal): Promise<void> {
    const place = { platformId: event.platformId, livemode: event.livemode };
    const [url, secrets] = await Promise.all([endpoints.url(place), endpoints.secrets(place, clock.now())]);
    const attempts = event.attempts + 1;
    if (url === undefined) {
      const nothing = { nextAt: null, lastStatus: null, lastError: null };
      await store.apply([events.finish({ id: event.id, attempts, state: 'no_endpoint', ...nothing })]);
      return;
    }
    const result = await post(event, url, secrets, signal);
    if (signal.aborted) return;
    const outcome = outcomeOf(result, event.tries + 1);
    await store.apply([events.finish({ id: event.id, attempts, ...outcome })]);
    log.info({ event: event.id, attempts, ...result, state: outcome.state }, 'webhook sent');
  }

  async function start(event: Event, signal: AbortSignal): Promise<boolean> {
    const place = `${event.livemode} ${event.platformId}`;
    const now = clock.now();
    const leaseUntil = now + config.timeoutMs + leaseSlackMs;
    const { id, attempts } = event;
    if (!(await store.apply([events.claim({ id, attempts, now, leaseUntil })]))) return false;
    const done = attempt(event, signal)
      .catch((fault) => log.error({ event: id, fault: messageOf(fault) }, 'a delivery failed'))
      .finally(() => {
        underWay.delete(id);
        deps.wake(clock.now());
      });
    underWay.set(id, { place, done });
    return true;
  }

  function places(event: Event): number {
    const place = `${event.livemode} ${event.platformId}`;
    return [...underWay.values()].filter((one) => one.place === place).length;
  }

  return {
    async round(signal: AbortSignal): Promise<EpochMs | undefined> {
      const now = clock.now();
      let started = 0;
      for (const event of await events.due(now, widest, widestEach)) {
        if (signal.aborted || underWay.size >= widest) break;
        if (places(event) < widestEach && (await start(event, signal))) started++;
      }
      // What is due but found no place is started when a delivery ends, which wakes the loop.
      return started > 0 ? now : events.nextDue(now);
    },
    async drain(): Promise<void> {
      await Promise.all([...underWay.values()].map((one) => one.done));
    },
  };
}
