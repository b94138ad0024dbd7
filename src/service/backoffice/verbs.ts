import type { Store } from '../../db/store.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import { createKey } from '../key/create.ts';
import { revokeKey } from '../key/revoke.ts';
import { approveOffline } from '../merchant/approve-offline.ts';
import { createMerchant } from '../merchant/create.ts';
import type { MerchantStore } from '../merchant/merchant-store.ts';
import { refuse } from '../refusal.ts';
import type { Livemode } from '../schema.ts';
import type { EndpointStore } from '../webhook/endpoint-store.ts';
import type { EventStore } from '../webhook/event-store.ts';
import { rotateSecret } from '../webhook/rotate-secret.ts';
import { setEndpoint } from '../webhook/set-endpoint.ts';

type InMode = { merchantId: string; livemode: boolean };

export type BackOffice = ReturnType<typeof backOffice>;

/** What the service's own staff can do, for the routes and for programs that embed the service. */
export function backOffice(deps: {
  store: Store;
  merchants: MerchantStore;
  endpoints: EndpointStore;
  events: EventStore;
  clock: Clock;
  ids: Ids;
}) {
  const rotate = rotateSecret(deps);
  return {
    createMerchant: createMerchant(deps),
    listMerchants: ({ limit, after }: { limit: number; after?: string | undefined }) =>
      deps.merchants.list(limit, after),
    approveOffline: approveOffline(deps),
    createKey: createKey(deps),
    listKeys: ({ merchantId, limit }: { merchantId: string; limit: number }) =>
      deps.merchants.listKeys(merchantId, limit),
    revokeKey: revokeKey(deps),
    setWebhook: setEndpoint({ ...deps, rotate }),
    /** Only where a URL is set: a secret without an address signs nothing. */
    rotateSecret: async (asked: InMode) => {
      const owner = ownerOf(asked);
      const url = await deps.endpoints.url(owner);
      return url === undefined ? refuse('endpoint_not_found') : rotate(owner);
    },
    /** Events and how their delivery stands, newest first. */
    listDeliveries: (asked: InMode & { limit: number; before?: string | undefined }) =>
      deps.events.list(ownerOf(asked), asked.limit, asked.before),
  };
}

function ownerOf({ merchantId, livemode }: InMode): { merchantId: string; livemode: Livemode } {
  return { merchantId, livemode: livemode ? 1 : 0 };
}
