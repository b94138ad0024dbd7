import type { Endpoint } from '../notify/endpoint-store.ts';
import { type EndpointReadDeps, findEndpoint } from './operations/endpoints.ts';

/** Finds an endpoint of a merchant that is not removed. One of another merchant is not found. */
export async function findOwnEndpoint(
  deps: EndpointReadDeps,
  { merchantId }: { merchantId: string },
  id: string,
): Promise<Endpoint | undefined> {
  const found = await findEndpoint(deps, id);
  return found.ok && found.value.endpoint.merchantId === merchantId ? found.value.endpoint : undefined;
}
