import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Store } from '../../sqlite/store.ts';
import { type ApiError, apiError, isApiError } from '../api-error.ts';
import type { Event, EventFilter, EventStore } from '../event/event-store.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import { type MerchantStore, resolvePlatform } from '../merchant/merchant-store.ts';
import type { Attempt, AttemptStore } from './attempt-store.ts';
import type { EndpointStore, ListedEndpoint } from './endpoint-store.ts';
import { resendEvent } from './resend.ts';
import { rotateSecret, type Secret } from './rotate-secret.ts';
import { setEndpoint } from './set-endpoint.ts';

const maxEndpoints = 200;

/** What an event's log shows. */
const maxAttempts = 100;

export type WebhookDeps = {
  store: Store;
  merchants: MerchantStore;
  endpoints: EndpointStore;
  events: EventStore;
  attempts: AttemptStore;
  clock: Clock;
  ids: Ids;
  /** How long two secrets sign after a rotation. */
  overlapMs: number;
  /** Told that events are due. */
  wake(at: EpochMs): void;
};

export type WebhookOperations = ReturnType<typeof createWebhookOperations>;

/** What the back office does about webhooks. */
export function createWebhookOperations(deps: WebhookDeps) {
  const { merchants, endpoints, events, attempts } = deps;
  const rotate = rotateSecret(deps);
  return {
    setWebhook: setEndpoint({ ...deps, rotate }),
    /** Only where a URL is set: a secret without an address signs nothing. */
    async rotateSecret(
      asked: { merchantId: string; platformId?: string | undefined; livemode: boolean },
      extraWrites: ExtraWrites<Secret> = noExtraWrites,
    ): Promise<Secret | ApiError> {
      const platform = await resolvePlatform(merchants, asked);
      if (isApiError(platform)) return platform;
      const place = {
        merchantId: asked.merchantId,
        platformId: platform.id,
        livemode: asked.livemode ? (1 as const) : (0 as const),
      };
      if (!(await endpoints.find(place))) return apiError('endpoint_not_found');
      return rotate(place, undefined, extraWrites);
    },
    async listWebhooks(
      merchantId: string,
    ): Promise<{ kind: 'endpoints'; endpoints: ListedEndpoint[] } | ApiError> {
      if (!(await merchants.find(merchantId))) return apiError('merchant_not_found');
      return {
        kind: 'endpoints',
        endpoints: await endpoints.list(merchantId, deps.clock.now(), maxEndpoints),
      };
    },
    /** Events and how their delivery stands, newest first. */
    listDeliveries: (
      asked: EventFilter & {
        merchantId: string;
        livemode: boolean;
        limit: number;
        before?: string | undefined;
      },
    ): Promise<Event[]> => {
      const { merchantId, livemode, limit, before, ...of } = asked;
      return events.list({ merchantId, livemode: livemode ? 1 : 0 }, of, limit, before);
    },
    /** An event and the log of its delivery: the last 100 attempts. */
    async readDelivery(
      eventId: string,
    ): Promise<{ kind: 'delivery'; event: Event; attempts: Attempt[] } | ApiError> {
      const event = await events.findAny(eventId);
      if (!event) return apiError('event_not_found');
      return { kind: 'delivery', event, attempts: await attempts.list(eventId, maxAttempts) };
    },
    resendEvent: resendEvent(deps),
  };
}
