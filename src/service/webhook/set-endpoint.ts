import type { Store } from '../../db/store.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { MerchantStore } from '../merchant/merchant-store.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { EndpointStore } from './endpoint-store.ts';
import type { RotateSecret } from './rotate-secret.ts';

export type NewEndpoint = {
  merchantId: string;
  livemode: boolean;
  url: string;
  /** Signs from now on; the current one stays, or a new one is made, when left out. */
  secret?: string;
};

/** Sets where a merchant's events of one mode go. Answers the secret that signs them. */
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
    if (!(await deps.merchants.find(asked.merchantId))) return refuse('merchant_not_found');
    const owner = { merchantId: asked.merchantId, livemode: asked.livemode ? (1 as const) : (0 as const) };
    const now = deps.clock.now();
    const [current] = await deps.endpoints.secrets(owner, now);
    const setUrl = deps.endpoints.setUrl(owner, asked.url, now);
    if (current !== undefined && (asked.secret === undefined || asked.secret === current)) {
      await deps.store.apply([setUrl]);
      return { kind: 'secret', secret: current };
    }
    return deps.rotate(owner, asked.secret, [setUrl]);
  };
}

function isWebAddress(text: string): boolean {
  if (text.length > 2048 || !URL.canParse(text)) return false;
  const url = new URL(text);
  return ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '';
}
