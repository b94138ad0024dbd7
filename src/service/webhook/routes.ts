import type { DeliveryLog, EventDelivery, WebhookEndpoint } from '../../contract/service/admin.ts';
import { serviceOperations } from '../../contract/service/service-operations.ts';
import { apiError, isApiError } from '../api-error.ts';
import type { Event, EventStore } from '../event/event-store.ts';
import { defaultPageSize, isoTime, isoTimeOrNull, jsonResponse, toPage, toPageBy } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import type { Secret, SetEndpoint } from './change-endpoint.ts';
import type { WebhookOperations } from './operations.ts';
import type { DeliveryAttempt, EndpointKey, ListedEndpoint } from './webhook-store.ts';

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

/** Serves the webhook endpoints and deliveries in the admin API. */
export function webhookRoutes(router: Router, operations: WebhookOperations): void {
  router.admin(
    serviceOperations.listWebhooks,
    async ({ params: { id }, query: { limit = defaultPageSize, cursor } }) => {
      const after = readCursor(cursor);
      const found = await operations.listWebhooks(id, limit + 1, after);
      if (isApiError(found)) return found;
      return jsonResponse(200, toPageBy(found.endpoints, limit, viewWebhookEndpoint, getCursor));
    },
  );
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

  router.admin(serviceOperations.listDeliveries, async ({ params: { id: merchantId }, query }) => {
    const { platform_id: platformId, state, limit = defaultPageSize, cursor } = query;
    const livemode = query.livemode === 'true';
    const filter = { merchantId, livemode, platformId, state };
    const events = await operations.listDeliveries({ ...filter, limit: limit + 1, before: cursor });
    return jsonResponse(200, toPage(events, limit, viewEventDelivery));
  });
  router.admin(serviceOperations.getDelivery, async ({ params: { id } }) => {
    const found = await operations.readDelivery(id);
    return isApiError(found) ? found : ofLog(found);
  });
  router.admin(serviceOperations.resendEvent, async ({ params: { id }, act }) => {
    const found = await operations.readDelivery(id);
    if (isApiError(found)) return found;
    return act(
      (resent: { event: Event }) => ofLog({ ...found, ...resent }),
      (write) => operations.resendEvent(id, (event) => write({ event })),
    );
  });
}

/** Serves the deliveries of a merchant. Events of other merchants and of the other mode are not found. */
export function merchantDeliveryRoutes(
  router: Router,
  operations: WebhookOperations,
  events: EventStore,
): void {
  router.merchant(serviceOperations.listOwnDeliveries, async ({ caller, query }) => {
    const { session_id: sessionId, platform_id: platformId, state, limit = defaultPageSize, cursor } = query;
    const rows = await events.list(caller, { sessionId, platformId, state }, limit + 1, cursor);
    return jsonResponse(200, toPage(rows, limit, viewEventDelivery));
  });
  router.merchant(serviceOperations.getOwnDelivery, async ({ caller, params: { id } }) => {
    if (!(await events.find(caller, id))) return apiError('event_not_found');
    const found = await operations.readDelivery(id);
    return isApiError(found) ? found : jsonResponse(200, deliveryLogView(found.event, found.attempts));
  });
  router.merchant(serviceOperations.resendOwnEvent, async ({ caller, params: { id }, savedResponse }) => {
    if (!(await events.find(caller, id))) return apiError('event_not_found');
    const found = await operations.readDelivery(id);
    if (isApiError(found)) return found;
    const show = (event: Event) => jsonResponse(200, deliveryLogView(event, found.attempts));
    const resent = await operations.resendEvent(id, (event) => savedResponse.save(show(event)));
    return isApiError(resent) ? resent : show(resent.event);
  });
}
