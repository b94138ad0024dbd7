import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import { type ApiError, apiError, isApiError } from '../api-error.ts';
import type { EventStore } from '../event/event-store.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import { type MerchantStore, resolvePlatform } from '../merchant/merchant-store.ts';
import type { EndpointKey, EndpointStore } from './endpoint-store.ts';
import { mayBePublic } from './public-address.ts';
import type { RotateSecret, Secret } from './rotate-secret.ts';

/** Events brought back in one batch, and how many batches one call makes at most. */
const batch = 500;
const maxBatches = 1_000;

export type NewEndpoint = {
  merchantId: string;
  /** The merchant's first platform when left out. */
  platformId?: string | undefined;
  livemode: boolean;
  url: string;
  /** Signs from now on; the current one stays, or a new one is made, when left out. */
  secret?: string | undefined;
};

/** The URL in its plain form, and what signs the events that go there. */
export type SetEndpoint = Secret & { url: string };

/**
 * Sets where a platform's events of one mode go.
 *
 * This also ends the disabling of an endpoint: the events that were put aside meanwhile are due again. Setting it
 * once more brings back those that a crash in the middle left aside.
 *
 * Refuses `invalid_url`, `private_url` (live mode), `invalid_secret`, `merchant_not_found`, `platform_not_found`.
 */
export function setEndpoint(deps: {
  store: Store;
  merchants: MerchantStore;
  endpoints: EndpointStore;
  events: EventStore;
  rotate: RotateSecret;
  clock: Clock;
  /** Told that events are due. */
  wake(at: EpochMs): void;
}) {
  const { store, endpoints, events, clock } = deps;

  async function bringBack(place: EndpointKey): Promise<void> {
    let after = '';
    for (let batches = 0; batches < maxBatches; batches++) {
      const ids = await events.undeliverableAt(place, after, batch);
      const last = ids.at(-1);
      if (last === undefined) return;
      await store.apply([events.requeue(ids, clock.now())]);
      deps.wake(clock.now());
      after = last;
    }
  }

  return async (
    asked: NewEndpoint,
    extraWrites: ExtraWrites<SetEndpoint> = noExtraWrites,
  ): Promise<SetEndpoint | ApiError> => {
    const address = readWebAddress(asked.url);
    if (!address) return apiError('invalid_url', { param: 'url' });
    if (asked.livemode && !mayBePublic(address)) return apiError('private_url', { param: 'url' });
    const url = address.href;
    const platform = await resolvePlatform(deps.merchants, asked);
    if (isApiError(platform)) return platform;
    const { merchantId } = asked;
    const place = { platformId: platform.id, livemode: asked.livemode ? (1 as const) : (0 as const) };
    const now = clock.now();
    const [current] = await endpoints.secrets(place, now);
    const setUrl = endpoints.setUrl({ ...place, merchantId }, url, now);
    let set: Secret | ApiError;
    if (current !== undefined && (asked.secret === undefined || asked.secret === current)) {
      set = { kind: 'secret', platformId: platform.id, secret: current };
      await store.apply([setUrl, ...extraWrites({ ...set, url })]);
    } else {
      set = await deps.rotate({ ...place, merchantId }, asked.secret, (made) => [
        setUrl,
        ...extraWrites({ ...made, url }),
      ]);
    }
    if (isApiError(set)) return set;
    await bringBack(place);
    return { ...set, url };
  };
}

function readWebAddress(text: string): URL | undefined {
  if (text.length > 2048 || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isPlain = url.username === '' && url.password === '';
  return isPlain && ['http:', 'https:'].includes(url.protocol) ? url : undefined;
}
