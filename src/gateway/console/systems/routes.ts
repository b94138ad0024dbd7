import type { StaffDeps } from '../../staff/operation.ts';
import type { ConsoleRoute } from '../define-route.ts';
import { type DeliveryListDeps, deliveryListRoute } from './delivery-list.tsx';
import { endpointRoutes } from './endpoint.tsx';
import { endpointAddressRoutes } from './endpoint-address.tsx';
import { endpointListRoutes } from './endpoint-list.tsx';
import { keyRoutes } from './keys.tsx';
import { resendRoutes } from './replay.tsx';

/** Returns the routes about merchants' own systems: where they are notified, what was sent, and their keys. */
export function systemRoutes(operations: StaffDeps, reader: DeliveryListDeps['reader']): ConsoleRoute[] {
  // The page of a new endpoint is no endpoint: its route comes first.
  return [
    deliveryListRoute({ reader, livemode: operations.livemode }),
    ...endpointListRoutes(operations),
    ...endpointRoutes(operations),
    ...endpointAddressRoutes(operations),
    ...resendRoutes(operations),
    ...keyRoutes(operations),
  ];
}
