import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Store } from '../../sqlite/store.ts';
import { type ApiError, apiError, isApiError } from '../api-error.ts';
import type { ServiceContext } from '../context.ts';
import type { Event, EventStore } from '../event/event-store.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import { type MerchantStore, resolvePlatform } from '../merchant/merchant-store.ts';
import { rotateSecret, type Secret, setEndpoint } from './change-endpoint.ts';
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

export type WebhookOperations = ReturnType<typeof createWebhookOperations>;

/** Creates the operations of the admin API on endpoints and deliveries. */
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
