import type { Store } from '../../db/store.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import { findPlatform, type MerchantStore } from '../merchant/merchant-store.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { EndpointStore } from './endpoint-store.ts';
import type { RotateSecret } from './rotate-secret.ts';

export type NewEndpoint = {
  merchantId: string;
  /** The merchant's first platform when left out. */
  platformId?: string | undefined;
  livemode: boolean;
  url: string;
  /** Signs from now on; the current one stays, or a new one is made, when left out. */
  secret?: string | undefined;
};

/** Sets where a platform's events of one mode go. Answers the secret that signs them. */
export function setEndpoint(deps: {
  store: Store;
  merchants: MerchantStore;
  endpoints: EndpointStore;
  rotate: RotateSecret;
  clock: Clock;
  ids: Ids;
}) {
  return async (asked: NewEndpoint): Promise<{ kind: 'secret'; secret: string } | Refused> => {
    if (!isWebAddress(asked.url)) return refuse('invalid_url', { param: 'url' });
    const platform = await findPlatform(deps.merchants, asked);
    if (platform.kind === 'refused') return platform;
    const place = {
      merchantId: asked.merchantId,
      platformId: platform.id,
      livemode: asked.livemode ? (1 as const) : (0 as const),
    };
    const now = deps.clock.now();
    const [current] = await deps.endpoints.secrets(place, now);
    const setUrl = deps.endpoints.setUrl(place, asked.url, now);
    if (current !== undefined && (asked.secret === undefined || asked.secret === current)) {
      await deps.store.apply([setUrl]);
      return { kind: 'secret', secret: current };
    }
    return deps.rotate(place, asked.secret, [setUrl]);
  };
}

function isWebAddress(text: string): boolean {
  if (text.length > 2048 || !URL.canParse(text)) return false;
  const url = new URL(text);
  return ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '';
}
