import type { Endpoint } from '../notify/endpoint-store.ts';
import type { StaffDeps } from './operation.ts';
import { findEndpoint } from './operations/endpoints.ts';

/** Finds an endpoint of a merchant that is not removed. One of another merchant is not found. */
export async function findOwnEndpoint(
  operations: StaffDeps,
  { merchantId }: { merchantId: string },
  id: string,
): Promise<Endpoint | undefined> {
  const found = await findEndpoint(operations, id);
  return found.ok && found.value.endpoint.merchantId === merchantId ? found.value.endpoint : undefined;
}
