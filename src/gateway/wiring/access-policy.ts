import type { IncomingMessage } from 'node:http';
import type { AccessPolicy } from '../../shared/http/access.ts';
import { splitPath } from '../../shared/http/request-url.ts';
import { matchSecret, type UssdChannel } from '../dialogue/channel.ts';

export type AccessDeps = Pick<AccessPolicy, 'clock' | 'trustedProxies'> & {
  channel(id: string): UssdChannel | undefined;
  /** True when an `Authorization` header can prove who sends a request to the staff API. */
  mayBeStaff(header: string | undefined): boolean;
  /** Returns whether the headers of a request can belong to a person who is signed in to the console. */
  mayBeSignedIn(headers: IncomingMessage['headers']): boolean;
  /** The first parts of the paths of pages that are open to every caller. */
  openAreas: readonly string[];
  /** The header of a webhook's signature, in lower case. */
  signatureHeader: string;
};

/** The usual paths of payers and events, told apart without the cost of reading the URL. */
const keyedPath = /^\/(?:ussd|webhooks)\//;

const publicPaths: ReadonlySet<string> = new Set([
  'merchant/v1/openapi.json',
  'merchant/v1/docs',
  // Wrong sign-ins count as unauthenticated requests, too.
  'staff/v1/sign-in',
]);

/** Creates the policy of the gateway: which requests the server serves without a limit. */
export function createAccessPolicy(deps: AccessDeps): AccessPolicy {
  return {
    ...deps,
    isPublic({ url = '', headers }) {
      if (keyedPath.test(url)) return false;
      const parts = splitPath(url);
      const [area = ''] = parts;
      if (!deps.openAreas.includes(area) && !publicPaths.has(parts.join('/'))) return false;
      return area !== 'console' || !deps.mayBeSignedIn(headers);
    },
    mayBeAuthenticated(incoming: IncomingMessage) {
      const [area, id = '', secret = ''] = splitPath(incoming.url);
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
          return deps.mayBeStaff(incoming.headers.authorization);
        case 'merchant':
          return /^Bearer +dk_/i.test(incoming.headers.authorization ?? '');
        case 'console':
          return deps.mayBeSignedIn(incoming.headers);
        default:
          return false;
      }
    },
  };
}
