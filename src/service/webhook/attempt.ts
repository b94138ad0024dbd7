import { createHmac } from 'node:crypto';
import { eventIdHeader } from '../../contract/service/event.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import { createDeadlines, type Deadline } from '../../shared/deadlines.ts';
import { errorMessage } from '../../shared/errors.ts';
import { isAddressRejected } from '../../shared/http/checked-fetch.ts';
import { createExcerptReader, type WebhookFetch } from '../../shared/http/webhook-fetch.ts';
import type { Write } from '../../sqlite/store.ts';
import type { WebhookConfig } from '../config.ts';
import type { ServiceContext } from '../context.ts';
import type { AttemptOutcome, Event } from '../event/event-store.ts';
import { signingAt, type WebhookEndpointRow } from './webhook-store.ts';

/** How long after its timeout an attempt without an outcome, cut off by a crash, is repeated. */
export const leaseSlackMs = 5_000;

/** When an event that is to be repeated is sent again after it was accepted. */
const repeatAfterMs = 1_000;

/** Returns when the event is due again; `null` when it is not. */
type AttemptDelivery = (
  event: Event,
  endpoint: WebhookEndpointRow,
  signal: AbortSignal,
) => Promise<EpochMs | null>;

/** Creates the function that sends an event once. `event`: before its attempt was counted. `drain`: until all excerpts are stored. */
export function createAttempt(
  deps: Pick<ServiceContext, 'store' | 'events' | 'endpoints' | 'attempts' | 'clock' | 'log'> & {
    config: WebhookConfig;
    send: SendEvent;
  },
): { attempt: AttemptDelivery; drain(): Promise<void> } {
  const { store, events, endpoints, attempts, config, clock, log } = deps;
  const excerpts = new Set<Promise<void>>();
  const maxGapMs = Math.max(0, ...config.retryDelaysMs) + config.timeoutMs + leaseSlackMs;

  /** Completes the row of an attempt in the background. An excerpt that cannot be stored is missing in the log. */
  function storeExcerpt(id: string, number: number, excerpt: Promise<string | null>): void {
    const stored = excerpt
      .then(async (text) => {
        if (text) await store.apply([attempts.setResponseBody({ eventId: id, number, text })]);
      })
      .catch((fault) => log.warn({ event: id, fault: errorMessage(fault) }, 'a response was not logged'))
      .finally(() => excerpts.delete(stored));
    excerpts.add(stored);
  }

  async function attempt(
    event: Event,
    { url }: WebhookEndpointRow,
    signal: AbortSignal,
  ): Promise<EpochMs | null> {
    const { id, platformId, livemode } = event;
    const startedAt = clock.now();
    const secrets = signingAt(await endpoints.listSecrets({ platformId, livemode }), startedAt);
    const result = await deps.send(event, { url, secrets }, signal);
    const { status, error, durationMs } = result;
    // The stop of the service aborted the attempt: its outcome is unknown.
    if (signal.aborted && status === null) return null;
    const now = clock.now();
    const number = event.attempts + 1;
    const { repeats } = event;
    const plan = { tries: event.tries + 1, now, retryDelaysMs: config.retryDelaysMs, repeats };
    const outcome = getOutcome(result, plan);
    const isAccepted = isAcceptedBy(result);
    const target = { platformId, livemode, url };
    const failure = {
      now,
      failingBefore: now - config.disableAfterMs,
      lastFailureAfter: now - maxGapMs,
    };
    const excerpt = result.status === null ? null : result.excerpt;
    const responseBody = typeof excerpt === 'string' ? excerpt || null : null;
    const current = await endpoints.find(target);
    const endedFailure = current?.failingSince === null ? [] : [endpoints.recordSuccess(target)];
    const records: Write[] = [
      attempts.insert({ eventId: id, number, url, startedAt, durationMs, status, error, responseBody }),
      ...(isAccepted ? endedFailure : [endpoints.recordFailure({ ...target, ...failure })]),
    ];
    const finish = events.finish({ id, attempts: number, tries: event.tries + 1, ...outcome });
    // The guard loses to a resend during the attempt: the event stays due, and the attempt is still recorded.
    const finished = await store.apply([finish, ...records]);
    if (!finished) await store.apply(records);
    if (excerpt instanceof Promise) storeExcerpt(id, number, excerpt);
    log.info({ event: id, attempts: number, status, error, state: outcome.state }, 'webhook sent');
    const dueAt = finished ? outcome.nextAt : now;
    if (isAccepted) return dueAt;
    const endpoint = await endpoints.find(target);
    if (endpoint?.disabledAt === now) log.warn({ platform: platformId, livemode }, 'endpoint disabled');
    return dueAt;
  }

  return {
    attempt,
    async drain() {
      await Promise.all(excerpts);
    },
  };
}

function isAcceptedBy({ status }: Pick<DeliveryResult, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Returns the state of an event after attempt number `tries` of its retry schedule. */
function getOutcome(
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

/**
 * Returns the signature header of a delivery: `t=<unix seconds>,v1=<hex>`. v1 is the HMAC-SHA256 of `t`, a dot and the
 * raw body, keyed with the bytes of the secret. During the rotation of a secret, each of the two has a v1.
 */
export function signPayload(secrets: readonly string[], at: EpochMs, body: string): string {
  const t = Math.floor(at / 1000);
  const signatures = secrets.map(
    (secret) => `v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`,
  );
  return [`t=${t}`, ...signatures].join(',');
}

/** How an attempt ended: with an HTTP status, or without a response. */
type DeliveryResult = { durationMs: number } & (
  | {
      status: number;
      error: null;
      /** The beginning of the body. A promise if it arrives after the status: it never delays or fails the attempt. */
      excerpt: string | null | Promise<string | null>;
    }
  | { status: null; error: 'timeout' | 'connection' | 'address_refused' }
);

export type SendEvent = (
  event: Event,
  target: { url: string; secrets: readonly string[] },
  signal: AbortSignal,
) => Promise<DeliveryResult>;

/** Sends an event once, within `timeoutMs`. Never rejects, follows no redirect. Live events go to public addresses over https. */
export function sendEvent(deps: {
  config: { timeoutMs: number; headerName: string };
  /** The service's time, which dates the signatures for receivers that are on the test clock. */
  clock: Clock;
  /** The real time, also in a sandbox: all other receivers check the age of the signature against it. */
  wallClock: Clock;
  isOnTestClock?: ((url: string) => boolean) | undefined;
  fetch: WebhookFetch;
  fetchPublic: WebhookFetch;
}): SendEvent {
  const { config, wallClock } = deps;
  const within = createDeadlines(wallClock);
  const readExcerpt = createExcerptReader(wallClock);
  return async (event, { url, secrets }, signal) => {
    const startedAt = wallClock.now();
    const signedAt = deps.isOnTestClock?.(url) ? deps.clock.now() : startedAt;
    const duration = () => ({ durationMs: wallClock.now() - startedAt });
    const send = event.livemode === 1 ? deps.fetchPublic : deps.fetch;
    const ending = new AbortController();
    const stop = () => ending.abort(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    let deadline: Deadline | undefined;
    try {
      const { status, body } = await within(config.timeoutMs, (limit) => {
        deadline = limit;
        return send(url, {
          method: 'POST',
          redirect: 'manual',
          signal: ending.signal,
          headers: {
            'content-type': 'application/json',
            [eventIdHeader]: event.id,
            [config.headerName]: signPayload(secrets, signedAt, event.body),
          },
          body: event.body,
        });
      });
      return { ...duration(), status, error: null, excerpt: readExcerpt(body, signal) };
    } catch (fault) {
      ending.abort(fault);
      const error = deadline?.aborted
        ? 'timeout'
        : isAddressRejected(fault)
          ? 'address_refused'
          : 'connection';
      return { ...duration(), status: null, error };
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };
}
