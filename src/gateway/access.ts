import type { IncomingMessage } from 'node:http';
import type { AccessPolicy } from '../shared/http/access.ts';
import { pathPartsOf } from '../shared/http/path-parts.ts';
import type { UssdChannel } from './dialogue/channel.ts';
import { matchSecret } from './dialogue/channel-secret.ts';

export type AccessDeps = Pick<AccessPolicy, 'clock' | 'trustedProxies'> & {
  channel(id: string): UssdChannel | undefined;
  /** Whether an `Authorization` header can prove who sends a request to the staff API. */
  mayBeStaff(header: string | undefined): boolean;
  /** The first parts of the paths of pages that are open to every caller, or check a cookie. */
  openAreas: readonly (string | undefined)[];
  /** The header of a webhook's signature, in lower case. */
  signatureHeader: string;
};

/** Wrong sign-ins count as unauthenticated requests by their answer. */
const signInPath = '/staff/v1/sign-in';

const publicPaths = ['/merchant/v1/openapi.json', '/merchant/v1/docs'];

/** A key, or the document and its page, which are public. */
function isMerchantRequest({ url, headers }: IncomingMessage): boolean {
  return /^Bearer +dk_/i.test(headers.authorization ?? '') || publicPaths.includes(url ?? '');
}

/** Creates the policy of the gateway: which requests the server serves without a limit. */
export function createAccessPolicy(deps: AccessDeps): AccessPolicy {
  return {
    ...deps,
    mayBeAuthenticated(incoming: IncomingMessage) {
      const [area, id = '', secret = ''] = pathPartsOf(incoming.url);
      switch (area) {
        case 'healthz':
        case 'readyz':
        case 'metrics':
          return true;
        case 'ussd':
          return matchSecret(deps.channel(id), secret) !== undefined;
        case 'webhooks':
          return incoming.headers[deps.signatureHeader] !== undefined;
        case 'staff':
          return incoming.url === signInPath || deps.mayBeStaff(incoming.headers.authorization);
        case 'merchant':
          return isMerchantRequest(incoming);
        default:
          return area !== undefined && deps.openAreas.includes(area);
      }
    },
  };
}
