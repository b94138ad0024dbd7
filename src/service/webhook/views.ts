import type { Delivery, DeliveryLog, WebhookEndpoint } from '../../contract/service/admin.ts';
import type { Event } from '../event/event-store.ts';
import { isoTime, isoTimeOrNull } from '../http/response.ts';
import type { Attempt, ListedEndpoint } from './webhook-store.ts';

/* Rows of the database as the admin API returns them. */

export function deliveryView(event: Event): Delivery {
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

export function deliveryLogView(event: Event, attempts: readonly Attempt[]): DeliveryLog {
  return {
    ...deliveryView(event),
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

export function endpointView(endpoint: ListedEndpoint): WebhookEndpoint {
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
