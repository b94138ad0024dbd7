import { serviceOperations } from '../../contract/service/service-operations.ts';
import type { Environment } from '../../gateway/config/secrets.ts';
import type { Clock } from '../../shared/clock.ts';
import { isLoopbackHost } from '../../shared/http/addresses.ts';
import { createAdminClient } from './admin-client.ts';
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
/** A list ends here, should a service never end it. */
const maxPages = 100;

/**
 * Sets the port of the webhooks that a sandbox sends to a gateway on this machine. Webhooks with another path or host, or
 * with a query, are not changed. Does nothing for a service whose admin token is not in the folder.
 *
 * @throws UserError when the sandbox cannot be reached.
 */
export async function pointWebhooks(
  deps: { fetch: typeof fetch; clock: Clock; env: Environment },
  { serviceUrl, folder, gatewayUrl, merchantIds }: WebhookTarget,
  onMove: (from: string, to: string) => void,
): Promise<void> {
  const access = findService({ url: serviceUrl, data: folder }, deps.env);
  if (!access.token) return;
  const client = createAdminClient(deps, access);
  for await (const { id } of listAll((query) => client.operate(serviceOperations.listMerchants, { query }))) {
    const params = { id };
    const endpoints = listAll((query) => client.operate(serviceOperations.listWebhooks, { params, query }));
    for await (const { livemode, platform_id, url: current } of endpoints) {
      const url = pointedAt(current, gatewayUrl, merchantIds);
      if (livemode || url === undefined || url === current) continue;
      const body = { livemode: false, platform_id, url };
      await client.operate(serviceOperations.setWebhook, { params, body });
      onMove(current, url);
    }
  }
}

type Query = { limit: string; cursor: string | undefined };
type Page<Item> = { data: Item[]; next_cursor: string | null };

async function* listAll<Item>(read: (query: Query) => Promise<Page<Item>>): AsyncGenerator<Item> {
  let cursor: string | undefined;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const page = await read({ limit, cursor });
    yield* page.data;
    if (page.next_cursor === null) return;
    cursor = page.next_cursor;
  }
}

/** Returns the webhook with the address of the gateway; `undefined` when it is for another program. */
function pointedAt(current: string, gatewayUrl: string, merchantIds: readonly string[]): string | undefined {
  const { host, hostname, pathname, href } = new URL(current);
  const isOwn = merchantIds.some((id) => pathname === `/webhooks/${id}`);
  // A query, a password or https shows that a person has set it.
  const isPlain = href === `http://${host}${pathname}`;
  return isOwn && isPlain && isLoopbackHost(hostname) ? `${gatewayUrl}${pathname}` : undefined;
}
