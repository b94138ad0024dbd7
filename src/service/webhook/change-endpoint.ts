import type { EpochMs } from '../../shared/clock.ts';
import { mayBePublic } from '../../shared/http/addresses.ts';
import { findWeakness } from '../../shared/secret-strength.ts';
import type { ServiceContext } from '../context.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import { type ApiError, apiError, isApiError } from '../http/response.ts';
import { resolvePlatform } from '../merchant/merchant-store.ts';
import { type EndpointKey, signingAt } from './webhook-store.ts';

/** The secret that signs a platform's events from now on. */
export type Secret = { platformId: string; secret: string };

type RotateSecret = (
  key: EndpointKey & { merchantId: string },
  secret: string | undefined,
  extraWrites: ExtraWrites<Secret>,
) => Promise<Secret | ApiError>;

/** Replaces a signing secret. For `overlapMs`, both sign. At most two do: another rotation ends the oldest one at once. */
export function rotateSecret(
  deps: Pick<ServiceContext, 'store' | 'endpoints' | 'clock' | 'ids'> & {
    overlapMs: number;
  },
): RotateSecret {
  return async (key, requested, extraWrites) => {
    if (requested !== undefined && !/^[\x21-\x7e]{16,128}$/.test(requested)) {
      return apiError('invalid_secret', { param: 'secret' });
    }
    const weakness = requested !== undefined && key.livemode === 1 ? findWeakness(requested) : undefined;
    if (weakness !== undefined) {
      const detail = `A live secret must be random: this one ${weakness}. Generate one with "openssl rand -base64 32".`;
      return apiError('invalid_secret', { param: 'secret', detail });
    }
    const { merchantId, platformId, livemode } = key;
    const rotated: Secret = { platformId, secret: requested ?? `whsec_${deps.ids.secret()}` };
    const now = deps.clock.now();
    const row = {
      id: deps.ids.next('whs'),
      merchantId,
      platformId,
      livemode,
      secret: rotated.secret,
      createdAt: now,
      retiresAt: null,
    };
    const replace = deps.endpoints.replaceSecret(row, now + deps.overlapMs);
    if (!(await deps.store.apply([...replace, ...extraWrites(rotated)]))) {
      throw new Error(`the identifier ${row.id} of a new signing secret is already in use`);
    }
    return rotated;
  };
}

/** Events that one batch makes due again, and the batches of one call. */
const batchSize = 500;
const maxBatches = 1_000;

export type NewEndpoint = {
  merchantId: string;
  /** The merchant's first platform by default. */
  platformId?: string | undefined;
  livemode: boolean;
  url: string;
  /** The new signing secret. By default the current one stays, or a secret is generated. */
  secret?: string | undefined;
};

/** The normalised URL and the secret that signs its events. */
export type SetEndpoint = Secret & { url: string };

/**
 * Sets the URL that receives the events of one platform and mode. This also enables a disabled endpoint: the events that
 * were not sent meanwhile become due. Setting the URL again repeats that step, should a crash have interrupted it.
 *
 * Returns `invalid_url`, `private_url` (live mode), `invalid_secret`, `merchant_not_found` or `platform_not_found`.
 */
export function setEndpoint(
  deps: Pick<ServiceContext, 'store' | 'merchants' | 'endpoints' | 'events' | 'clock'> & {
    rotate: RotateSecret;
    /** Schedules a round of deliveries. */
    wake(at: EpochMs): void;
  },
) {
  const { store, endpoints, events, clock } = deps;

  async function requeueUndeliverable(key: EndpointKey): Promise<void> {
    let after = '';
    for (let batches = 0; batches < maxBatches; batches++) {
      const ids = await events.undeliverableAt(key, after, batchSize);
      const last = ids.at(-1);
      if (last === undefined) return;
      await store.apply([events.requeue(ids, clock.now())]);
      deps.wake(clock.now());
      after = last;
    }
  }

  return async (
    request: NewEndpoint,
    extraWrites: ExtraWrites<SetEndpoint> = noExtraWrites,
  ): Promise<SetEndpoint | ApiError> => {
    const address = parseWebUrl(request.url);
    if (!address) return apiError('invalid_url', { param: 'url' });
    if (request.livemode && !mayBePublic(address)) return apiError('private_url', { param: 'url' });
    const url = address.href;
    const platform = await resolvePlatform(deps.merchants, request);
    if (isApiError(platform)) return platform;
    const { merchantId } = request;
    const key = { platformId: platform.id, livemode: request.livemode ? (1 as const) : (0 as const) };
    const now = clock.now();
    const [current] = signingAt(await endpoints.listSecrets(key), now);
    const setUrl = endpoints.setUrl({ ...key, merchantId }, url, now);
    let signing: Secret | ApiError;
    if (current !== undefined && (request.secret === undefined || request.secret === current)) {
      signing = { platformId: platform.id, secret: current };
      await store.apply([setUrl, ...extraWrites({ ...signing, url })]);
    } else {
      signing = await deps.rotate({ ...key, merchantId }, request.secret, (rotated) => [
        setUrl,
        ...extraWrites({ ...rotated, url }),
      ]);
    }
    if (isApiError(signing)) return signing;
    await requeueUndeliverable(key);
    return { ...signing, url };
  };
}

function parseWebUrl(text: string): URL | undefined {
  if (text.length > 2048 || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isPlain = url.username === '' && url.password === '';
  return isPlain && ['http:', 'https:'].includes(url.protocol) ? url : undefined;
}
