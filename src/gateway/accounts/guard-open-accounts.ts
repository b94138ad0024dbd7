import type { MiddlewareHandler } from 'hono';
import { staffPath } from '../../contract/staff/staff.ts';
import { findForeign } from '../../shared/http/own-site.ts';

/**
 * Returns the paths where open accounts sign in, each with the check that keeps pages of other sites away: without it, such a page signs in
 * by the browser of anybody on this machine.
 */
export function guardOpenAccounts(publicUrl: URL): [path: string, guard: MiddlewareHandler][] {
  return ['/console', staffPath].map((path) => [
    `${path}/*`,
    async (c, next) => {
      const foreign = findForeign(c, { publicUrl, path: '/console', needsOrigin: path === '/console' });
      return foreign ? c.text(foreign.message, foreign.status) : next();
    },
  ]);
}
