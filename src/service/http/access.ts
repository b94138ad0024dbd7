import type { AccessPolicy } from '../../shared/http/access.ts';
import { pathPartsOf } from '../../shared/http/path-parts.ts';
import { bearerToken } from './bearer.ts';

const publicAreas: ReadonlySet<string | undefined> = new Set(['', 'docs', 'openapi.json']);

/** Paths without a key that programs call often: the health check, and the simulated phone of test sessions. */
const openAreas: ReadonlySet<string | undefined> = new Set(['healthz', 'handset']);

/** Creates the policy of the service: which requests the server serves without a limit. */
export function createAccessPolicy(
  clock: AccessPolicy['clock'],
  trustedProxies: AccessPolicy['trustedProxies'],
): AccessPolicy {
  return {
    clock,
    trustedProxies,
    isPublic: ({ url }) => publicAreas.has(pathPartsOf(url)[0]),
    mayBeAuthenticated: ({ url, headers }) =>
      openAreas.has(pathPartsOf(url)[0]) || bearerToken(headers.authorization) !== undefined,
  };
}
