import { z } from '@hono/zod-openapi';
import { eventTypes } from '../../contract/event.ts';
import { maybeTime } from '../admin/schemas.ts';
import type { Event } from '../event/event-store.ts';
import { isoTime } from '../http/time.ts';
import { time } from '../session/schemas.ts';
import type { Attempt } from './attempt-store.ts';
import type { ListedEndpoint } from './endpoint-store.ts';

/** What the back office shows of webhooks, each view beside the shape in which the API document describes it. */

export const deliveryState = z
  .enum(['waiting', 'delivered', 'given_up', 'no_endpoint', 'endpoint_disabled'])
  .meta({
    description:
      '`waiting` for its next attempt; `delivered`: an answer of 2xx; `given_up` after the last attempt of the plan; ' +
      '`no_endpoint`, `endpoint_disabled`: put aside unsent.',
  });

const delivery = {
  event_id: z.string().meta({ example: 'evt_01k5n8c0' }),
  type: z.enum(eventTypes),
  session_id: z.string(),
  platform_id: z.string(),
  livemode: z.boolean(),
  state: deliveryState,
  attempts: z.int().min(0).meta({ description: 'All attempts ever begun.' }),
  created_at: time,
  last_attempt_at: time.nullable(),
  last_status: z.int().nullable().meta({ description: 'HTTP status of the last answer.' }),
  last_error: z.string().nullable().meta({
    description: 'Where no answer came: `timeout`, `connection`, `address_refused`.',
  }),
  next_attempt_at: time.nullable(),
};

export const deliveryShape = z.strictObject(delivery).meta({ id: 'Delivery' });

export function deliveryView(event: Event): z.infer<typeof deliveryShape> {
  return {
    event_id: event.id,
    type: event.type,
    session_id: event.sessionId,
    platform_id: event.platformId,
    livemode: event.livemode === 1,
    state: event.state,
    attempts: event.attempts,
    created_at: isoTime(event.createdAt),
    last_attempt_at: maybeTime(event.lastAttemptAt),
    last_status: event.lastStatus,
    last_error: event.lastError,
    next_attempt_at: maybeTime(event.nextAt),
  };
}

const attemptShape = z
  .strictObject({
    number: z.int().min(1),
    started_at: time,
    duration_ms: z.int().min(0),
    status: z.int().nullable(),
    error: z.string().nullable(),
    url: z.string(),
  })
  .meta({ id: 'DeliveryAttempt' });

export const deliveryLogShape = z
  .strictObject({
    ...delivery,
    attempts_log: z.array(attemptShape).meta({
      description:
        'The last 100 attempts, oldest first. One that a crash or a stop cut off has a number, but no entry.',
    }),
  })
  .meta({ id: 'DeliveryLog' });

export function deliveryLogView(
  event: Event,
  attempts: readonly Attempt[],
): z.infer<typeof deliveryLogShape> {
  return {
    ...deliveryView(event),
    attempts_log: attempts.map((attempt) => ({
      number: attempt.number,
      started_at: isoTime(attempt.startedAt),
      duration_ms: attempt.durationMs,
      status: attempt.status,
      error: attempt.error,
      url: attempt.url,
    })),
  };
}

export const endpointShape = z
  .strictObject({
    platform_id: z.string(),
    livemode: z.boolean(),
    url: z.string(),
    created_at: time,
    failing_since: time.nullable().meta({
      description:
        'The first failure since which every attempt has failed. A pause longer than the longest wait of the plan begins it anew.',
    }),
    disabled_at: time.nullable().meta({ description: 'Nothing is sent until the URL is set again.' }),
    secret_overlap_until: time.nullable().meta({
      description: 'After a rotation: until when deliveries carry a signature of the older secret as well.',
    }),
  })
  .meta({ id: 'WebhookEndpoint' });

export function endpointView(endpoint: ListedEndpoint): z.infer<typeof endpointShape> {
  return {
    platform_id: endpoint.platformId,
    livemode: endpoint.livemode === 1,
    url: endpoint.url,
    created_at: isoTime(endpoint.createdAt),
    failing_since: maybeTime(endpoint.failingSince),
    disabled_at: maybeTime(endpoint.disabledAt),
    secret_overlap_until: maybeTime(endpoint.overlapUntil),
  };
}
