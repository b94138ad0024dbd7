import type { StaffAnswer, StaffDeps } from '../../staff/operation.ts';
import { staffOperations } from '../../staff/operations.ts';
import type { PageContent } from '../define-route.ts';

/** Who calls an operation of support staff, about what, and the input. */
export type Call = { actor: string; id: string; input: unknown };

/**
 * Runs an operation of support staff, by the method and path of `/staff/v1`: pages have no other way to change something.
 *
 * @throws Error for an operation that does not exist.
 */
export async function operate(deps: StaffDeps, route: string, call: Call): Promise<StaffAnswer<unknown>> {
  const known = staffOperations.find(({ method, path }) => `${method} ${path}` === route);
  if (!known) throw new Error(`no operation ${route}`);
  return known.run(deps, call);
}

type Refused = Extract<StaffAnswer<never>, { ok: false }>;

/** Returns the status of a page that says why an operation changed nothing. */
export function statusOf({ code }: Refused): NonNullable<PageContent['status']> {
  if (code === 'not_found') return 404;
  if (code === 'too_early' || code === 'too_many_actions') return 429;
  return code === 'conflict' ? 409 : 422;
}
