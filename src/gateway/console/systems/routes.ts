import type { StaffDeps } from '../../staff/operation.ts';
import type { ConsoleRoute } from '../define-route.ts';
import { endpointRoutes } from './endpoint.tsx';
import { endpointListRoutes } from './endpoint-list.tsx';
import { keyRoutes } from './keys.tsx';
import { resendRoutes } from './replay.tsx';

/** Returns the routes about merchants' own systems: where they are notified, what was sent, and their keys. */
export function systemRoutes(operations: StaffDeps): ConsoleRoute[] {
  // The page of a new endpoint is no endpoint: its route comes first.
  return [
    ...endpointListRoutes(operations),
    ...endpointRoutes(operations),
    ...resendRoutes(operations),
    ...keyRoutes(operations),
  ];
}
