import type { Store } from '../../db/store.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { EventStore } from '../event/event-store.ts';
import { createKey } from '../key/create.ts';
import type { KeyStore } from '../key/key-store.ts';
import { revokeKey } from '../key/revoke.ts';
import { rotateKey } from '../key/rotate.ts';
import { approveOffline, withdrawOffline } from '../merchant/approve-offline.ts';
import { createMerchant } from '../merchant/create.ts';
import { createPlatform } from '../merchant/create-platform.ts';
import { findPlatform, type MerchantStore } from '../merchant/merchant-store.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { EndpointStore } from '../webhook/endpoint-store.ts';
import { rotateSecret } from '../webhook/rotate-secret.ts';
import { setEndpoint } from '../webhook/set-endpoint.ts';

/** A merchant's place in one mode; the merchant's first platform when none is named. */
export type InMode = { merchantId: string; platformId?: string | undefined; livemode: boolean };

export type BackOffice = ReturnType<typeof backOffice>;

/** What the service's own staff can do, for the routes and for programs that embed the service. */
export function backOffice(deps: {
  store: Store;
  merchants: MerchantStore;
  keys: KeyStore;
  endpoints: EndpointStore;
  events: EventStore;
  clock: Clock;
  ids: Ids;
  sandbox: boolean;
}) {
  const { merchants, keys, endpoints, events } = deps;
  const rotate = rotateSecret(deps);
  return {
    createMerchant: createMerchant(deps),
    findMerchant: merchants.find,
    listMerchants: ({ limit, after }: { limit: number; after?: string | undefined }) =>
      merchants.list(limit, after),
    approveOffline: approveOffline(deps),
    withdrawOffline: withdrawOffline(deps),
    createPlatform: createPlatform(deps),
    listPlatforms: merchants.platforms,
    createKey: createKey(deps),
    listKeys: keys.list,
    rotateKey: rotateKey(deps),
    revokeKey: revokeKey(deps),
    setWebhook: setEndpoint({ ...deps, rotate }),
    /** Only where a URL is set: a secret without an address signs nothing. */
    async rotateSecret(asked: InMode): Promise<{ kind: 'secret'; secret: string } | Refused> {
      const platform = await findPlatform(merchants, asked);
      if (platform.kind === 'refused') return platform;
      const place = {
        merchantId: asked.merchantId,
        platformId: platform.id,
        livemode: asked.livemode ? (1 as const) : (0 as const),
      };
      const url = await endpoints.url(place);
      return url === undefined ? refuse('endpoint_not_found') : rotate(place);
    },
    /** Events and how their delivery stands, newest first. */
    listDeliveries: (asked: InMode & { limit: number; before?: string | undefined }) =>
      events.list(
        { merchantId: asked.merchantId, livemode: asked.livemode ? 1 : 0 },
        asked.limit,
        asked.before,
      ),
  };
}
