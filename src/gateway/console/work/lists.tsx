import type { ConsoleRoute } from '../define-route.ts';
import { auditRoute } from './audit.tsx';
import type { WorkDeps } from './deps.ts';
import { reviewRoutes } from './reviews.tsx';
import { unplacedRoutes } from './unplaced.tsx';

/** Returns the routes of what waits for people, and of what they did. */
export function workRoutes(deps: WorkDeps): ConsoleRoute[] {
  return [...reviewRoutes(deps), ...unplacedRoutes(deps), auditRoute(deps)];
}
