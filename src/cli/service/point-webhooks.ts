import { merchantPage, webhook, webhookEndpointPage } from '../../contract/admin.ts';
import type { Environment } from '../../gateway/config/secrets.ts';
import type { Clock } from '../../shared/clock.ts';
import { isLoopbackHost } from '../../shared/http/public-address.ts';
import { createAdminClient, pathSegment } from './admin-client.ts';
import { findService } from './find-service.ts';

export type WebhookTarget = {
  /** The address of the sandbox, and its data folder. */
  serviceUrl: string;
  folder: string;
  /** Where the gateway listens, and the merchants of its configuration. */
  gatewayUrl: string;
  merchantIds: readonly string[];
};

const limit = '100';

/**
 * Sets the port of the webhooks that a sandbox sends to a gateway on this machine. Webhooks with another path or host are not
 * changed. Does nothing for a service whose admin token is not in the folder.
 *
 * @throws UserError when the sandbox cannot be reached.
 */
export async function pointWebhooks(
  deps: { fetch: typeof fetch; clock: Clock; env: Environment },
  { serviceUrl, folder, gatewayUrl, merchantIds }: WebhookTarget,
): Promise<void> {
  const access = findService({ url: serviceUrl, data: folder }, deps.env);
  if (!access.token) return;
  const client = createAdminClient(deps, access);
  const { data: merchants } = await client.get('/merchants', merchantPage, { limit });
  for (const { id } of merchants) {
    const path = `/merchants/${pathSegment(id)}`;
    const { data: endpoints } = await client.get(`${path}/webhooks`, webhookEndpointPage, { limit });
    for (const { livemode, platform_id, url: current } of endpoints) {
      const url = pointedAt(current, gatewayUrl, merchantIds);
      if (livemode || url === undefined || url === current) continue;
      await client.send('PUT', `${path}/webhook`, webhook, { livemode: false, platform_id, url });
    }
  }
}

/** Returns the webhook with the address of the gateway; `undefined` when it is for another program. */
function pointedAt(current: string, gatewayUrl: string, merchantIds: readonly string[]): string | undefined {
  const { hostname, pathname } = new URL(current);
  const isOwn = merchantIds.some((id) => pathname === `/webhooks/${id}`);
  return isOwn && isLoopbackHost(hostname) ? `${gatewayUrl}${pathname}` : undefined;
}
