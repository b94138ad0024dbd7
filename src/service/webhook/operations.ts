import type { DeliveryLog, EventDelivery, WebhookEndpoint } from '../../contract/service/admin.ts';
import { serviceOperations } from '../../contract/service/service-operations.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Store } from '../../sqlite/store.ts';
import type { ServiceContext } from '../context.ts';
import type { Event, EventFilter, EventStore } from '../event/event-store.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import {
  type ApiError,
  apiError,
  isApiError,
  isoTime,
  isoTimeOrNull,
  jsonResponse,
  pageResponse,
} from '../http/response.ts';
import type { Router } from '../http/router.ts';
import { type MerchantStore, resolvePlatform } from '../merchant/merchant-store.ts';
import type { SessionOwner } from '../session/session-store.ts';
import { rotateSecret, type Secret, type SetEndpoint, setEndpoint } from './change-endpoint.ts';
import type {
  AttemptStore,
  DeliveryAttempt,
  EndpointKey,
  ListedEndpoint,
  WebhookStore,
} from './webhook-store.ts';

/**
 * Schedules an event again in any state, with the same identifier and body, and restarts its retry schedule. An attempt
 * in flight does not count as the resend.
 *
 * Returns `event_not_found` for an unknown event.
 */
function resendEvent(
  deps: Pick<ServiceContext, 'store' | 'events' | 'clock'> & {
    /** Schedules a round of deliveries. */
    wake(at: EpochMs): void;
  },
) {
  const { store, events, clock } = deps;
  return async (id: string, extraWrites: ExtraWrites<Event> = noExtraWrites): Promise<Event | ApiError> => {
    const found = await events.findAny(id);
    if (!found) return apiError('event_not_found');
    const now = clock.now();
    const event: Event = { ...found, state: 'waiting', nextAt: now, tries: 0 };
    if (!(await store.apply([events.resend(id, now), ...extraWrites(event)])))
      return apiError('event_not_found');
    deps.wake(now);
    return event;
  };
}

/** Attempts in the log of one event. */
const maxAttempts = 100;

type WebhookDeps = {
  store: Store;
  merchants: MerchantStore;
  endpoints: WebhookStore;
  events: EventStore;
  attempts: AttemptStore;
  clock: Clock;
  ids: Ids;
  /** How long two secrets sign after a rotation. */
  overlapMs: number;
  /** Schedules a round of deliveries. */
  wake(at: EpochMs): void;
};

type WebhookOperations = ReturnType<typeof createWebhookOperations>;

export function createWebhookOperations(deps: WebhookDeps) {
  const { merchants, endpoints, events, attempts } = deps;
  const rotate = rotateSecret(deps);
  return {
    setWebhook: setEndpoint({ ...deps, rotate }),
    /** Replaces the signing secret of an endpoint. Returns `endpoint_not_found` when no URL is set. */
    async rotateSecret(
      request: { merchantId: string; platformId?: string | undefined; livemode: boolean },
      extraWrites: ExtraWrites<Secret> = noExtraWrites,
    ): Promise<Secret | ApiError> {
      const platform = await resolvePlatform(merchants, request);
      if (isApiError(platform)) return platform;
      const key = {
        merchantId: request.merchantId,
        platformId: platform.id,
        livemode: request.livemode ? (1 as const) : (0 as const),
      };
      if (!(await endpoints.find(key))) return apiError('endpoint_not_found');
      return rotate(key, undefined, extraWrites);
    },
    /** Returns endpoints by platform and mode. `after` is the last one of the page before. */
    async listWebhooks(
      merchantId: string,
      limit: number,
      after?: EndpointKey,
    ): Promise<ListedEndpoint[] | ApiError> {
      if (!(await merchants.find(merchantId))) return apiError('merchant_not_found');
      return endpoints.list(merchantId, deps.clock.now(), limit, after);
    },
    events,
    /** Returns an event with its last 100 delivery attempts. */
    async readDelivery(eventId: string): Promise<{ event: Event; attempts: DeliveryAttempt[] } | ApiError> {
      const event = await events.findAny(eventId);
      if (!event) return apiError('event_not_found');
      return { event, attempts: await attempts.list(eventId, maxAttempts) };
    },
    resendEvent: resendEvent(deps),
  };
}

/* Rows of the database as the admin API returns them. */

/** Returns the delivery of an event as the admin API shows it. */
export function viewEventDelivery(event: Event): EventDelivery {
  return {
    event_id: event.id,
    type: event.type,
    session_id: event.sessionId,
    platform_id: event.platformId,
    livemode: event.livemode === 1,
    state: event.state,
    attempts: event.attempts,
    created_at: isoTime(event.createdAt),
    last_attempt_at: isoTimeOrNull(event.lastAttemptAt),
    last_status: event.lastStatus,
    last_error: event.lastError,
    next_attempt_at: isoTimeOrNull(event.nextAt),
  };
}

function deliveryLogView(event: Event, attempts: readonly DeliveryAttempt[]): DeliveryLog {
  return {
    ...viewEventDelivery(event),
    request_body: event.body,
    attempts_log: attempts.map((attempt) => ({
      number: attempt.number,
      started_at: isoTime(attempt.startedAt),
      duration_ms: attempt.durationMs,
      status: attempt.status,
      error: attempt.error,
      url: attempt.url,
      response_body: attempt.responseBody,
    })),
  };
}

function viewWebhookEndpoint(endpoint: ListedEndpoint): WebhookEndpoint {
  return {
    platform_id: endpoint.platformId,
    livemode: endpoint.livemode === 1,
    url: endpoint.url,
    created_at: isoTime(endpoint.createdAt),
    failing_since: isoTimeOrNull(endpoint.failingSince),
    disabled_at: isoTimeOrNull(endpoint.disabledAt),
    secret_overlap_until: isoTimeOrNull(endpoint.overlapUntil),
  };
}

/** The cursor of an endpoint: its platform and mode, in which the list is ordered. */
function getCursor({ platformId, livemode }: EndpointKey): string {
  return `${platformId}:${livemode}`;
}

function readCursor(cursor: string | undefined): EndpointKey | undefined {
  const match = /^(.*):([01])$/.exec(cursor ?? '');
  return match ? { platformId: match[1] ?? '', livemode: match[2] === '1' ? 1 : 0 } : undefined;
}

const ofLog = ({ event, attempts }: { event: Event; attempts: readonly DeliveryAttempt[] }) =>
  jsonResponse(200, deliveryLogView(event, attempts));

export function webhookRoutes(router: Router, operations: WebhookOperations): void {
  router.admin(serviceOperations.listWebhooks, ({ params: { id }, query }) => {
    type Row = ListedEndpoint & { id: string };
    const read = async (limit: number, cursor?: string): Promise<Row[] | ApiError> => {
      const found = await operations.listWebhooks(id, limit, readCursor(cursor));
      return isApiError(found) ? found : found.map((one) => ({ ...one, id: getCursor(one) }));
    };
    return pageResponse(query, read, viewWebhookEndpoint);
  });
  router.admin(serviceOperations.setWebhook, ({ params: { id: merchantId }, body, act }) => {
    const { livemode, platform_id: platformId, url, secret } = body;
    const response = ({ platformId, url, secret }: SetEndpoint) =>
      jsonResponse(200, { platform_id: platformId, livemode, url, secret });
    return act(response, (write) =>
      operations.setWebhook({ merchantId, platformId, livemode, url, secret }, write),
    );
  });
  router.admin(serviceOperations.rotateSigningSecret, ({ params: { id: merchantId }, body, act }) => {
    const { livemode, platform_id: platformId } = body;
    const response = ({ platformId, secret }: Secret) =>
      jsonResponse(200, { platform_id: platformId, secret });
    return act(response, (write) => operations.rotateSecret({ merchantId, platformId, livemode }, write));
  });

  router.admin(serviceOperations.listDeliveries, ({ params: { id: merchantId }, query }) => {
    const { platform_id: platformId, state } = query;
    const owner = { merchantId, livemode: query.livemode === 'true' ? 1 : 0 } as const;
    return pageResponse(query, listDeliveries(operations, owner, { platformId, state }), viewEventDelivery);
  });
  router.admin(serviceOperations.getDelivery, async ({ params: { id } }) => {
    const found = await operations.readDelivery(id);
    return isApiError(found) ? found : ofLog(found);
  });
  router.admin(serviceOperations.resendEvent, async ({ params: { id }, act }) => {
    const found = await operations.readDelivery(id);
    if (isApiError(found)) return found;
    return act(
      (event: Event) => ofLog({ ...found, event }),
      (write) => operations.resendEvent(id, write),
    );
  });
}

const listDeliveries =
  ({ events }: WebhookOperations, owner: SessionOwner, filter: EventFilter) =>
  (limit: number, cursor: string | undefined) =>
    events.list(owner, filter, limit, cursor);

/** Serves the events of a merchant and their deliveries. Events of other merchants and of the other mode are not found. */
export function eventRoutes(router: Router, operations: WebhookOperations): void {
  const findOwn = async (caller: SessionOwner, id: string) =>
    (await operations.events.find(caller, id)) ? operations.readDelivery(id) : apiError('event_not_found');

  router.merchant(serviceOperations.listEvents, ({ caller, query }) => {
    const { type, session_id: sessionId } = query;
    const read = (limit: number, cursor?: string) =>
      operations.events.list(caller, { type, sessionId }, limit, cursor);
    return pageResponse(query, read, ({ body }) => JSON.parse(body));
  });

  router.merchant(serviceOperations.getEvent, async ({ caller, params: { id } }) => {
    const event = await operations.events.find(caller, id);
    return event ? { kind: 'response', status: 200, body: event.body } : apiError('event_not_found');
  });

  router.merchant(serviceOperations.listOwnDeliveries, ({ caller, query }) => {
    const { session_id: sessionId, platform_id: platformId, state } = query;
    const filter = { sessionId, platformId, state };
    return pageResponse(query, listDeliveries(operations, caller, filter), viewEventDelivery);
  });
  router.merchant(serviceOperations.getOwnDelivery, async ({ caller, params: { id } }) => {
    const found = await findOwn(caller, id);
    return isApiError(found) ? found : ofLog(found);
  });
  router.merchant(serviceOperations.resendOwnEvent, async ({ caller, params: { id }, savedResponse }) => {
    const found = await findOwn(caller, id);
    if (isApiError(found)) return found;
    const show = (event: Event) => ofLog({ ...found, event });
    const resent = await operations.resendEvent(id, (event) => savedResponse.save(show(event)));
    return isApiError(resent) ? resent : show(resent);
  });
}
