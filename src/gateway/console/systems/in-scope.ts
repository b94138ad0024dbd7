import type { EndpointView } from '../../../contract/endpoint.ts';
import type { MerchantKeyView } from '../../../contract/merchant-api.ts';
import type { Person } from '../../accounts/session.ts';
import type { StaffDeps } from '../../staff/operation.ts';
import { findEndpoint, listEndpoints, viewEndpoint } from '../../staff/operations/endpoints.ts';
import { listKeys } from '../../staff/operations/merchant-keys.ts';
import { scopeOf } from '../scope.ts';

/** Returns the endpoints that a person may see, or the text that says why there are none. */
export async function endpointsOf(operations: StaffDeps, person: Person): Promise<EndpointView[] | string> {
  const answer = await listEndpoints(operations);
  return answer.ok ? answer.value.data.filter((one) => isInScope(person, one)) : answer.message;
}

/** Finds an endpoint that a person may see. One of another merchant is not found. */
export async function endpointOf(
  operations: StaffDeps,
  person: Person,
  id: string,
): Promise<EndpointView | undefined> {
  const found = await findEndpoint(operations, id);
  return found.ok && isInScope(person, found.value.endpoint)
    ? viewEndpoint(found.value.endpoint, operations.clock.now())
    : undefined;
}

/** Returns the keys that a person may see. */
export async function keysOf(operations: StaffDeps, person: Person): Promise<MerchantKeyView[]> {
  const answer = await listKeys(operations);
  return answer.ok ? answer.value.data.filter((one) => isInScope(person, one)) : [];
}

function isInScope(person: Person, owned: { merchantId: string }): boolean {
  const { merchantId } = scopeOf(person);
  return merchantId === null || merchantId === owned.merchantId;
}
