import type { AccessPolicy } from '../../shared/http/access.ts';
import { pathPartsOf } from '../../shared/http/path-parts.ts';
import { bearerToken } from './bearer.ts';

/** The first parts of the paths that need no key. */
const openAreas: ReadonlySet<string | undefined> = new Set([
  '',
  'healthz',
  'docs',
  'openapi.json',
  'handset',
]);

/** Creates the policy of the service: which requests the server serves without a limit. */
export function createAccessPolicy(
  clock: AccessPolicy['clock'],
  trustedProxies: AccessPolicy['trustedProxies'],
): AccessPolicy {
  return {
    clock,
    trustedProxies,
    mayBeAuthenticated: ({ url, headers }) =>
      openAreas.has(pathPartsOf(url)[0]) || bearerToken(headers.authorization) !== undefined,
  };
}
