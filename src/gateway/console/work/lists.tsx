import type { Clock } from '../../../shared/clock.ts';
import type { Store } from '../../../sqlite/store.ts';
import type { StaffDeps } from '../../staff/operation.ts';
import type { ConsoleRoute } from '../define-route.ts';
import { auditRoute } from './audit.tsx';
import { reviewRoutes } from './reviews.tsx';
import { unplacedRoutes } from './unplaced.tsx';

export type WorkDeps = { operations: StaffDeps; store: Store; clock: Pick<Clock, 'now'> };

/** Returns the routes of what waits for people, and of what they did. */
export function workRoutes(deps: WorkDeps): ConsoleRoute[] {
  return [...reviewRoutes(deps), ...unplacedRoutes(deps), auditRoute(deps)];
}
