import type { Endpoint } from '../notify/endpoint-store.ts';
import type { StaffDeps } from '../staff/operation.ts';
import { findEndpoint } from '../staff/operations/endpoints.ts';
import type { Owner } from './payment-query.ts';

/** Finds an endpoint of the owner that is not removed. One of another merchant is not found. */
export async function findOwnEndpoint(
  operations: StaffDeps,
  { merchantId }: Owner,
  id: string,
): Promise<Endpoint | undefined> {
  const found = await findEndpoint(operations, id);
  return found.ok && found.value.endpoint.merchantId === merchantId ? found.value.endpoint : undefined;
}
