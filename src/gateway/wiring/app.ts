import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import type { RequestIdVariables } from 'hono/request-id';
import type { Clock } from '../../shared/clock.ts';
import { errorMessage } from '../../shared/errors.ts';
import { type AccessPolicy, grantAccess } from '../../shared/http/access.ts';
import { responseHeaders } from '../../shared/http/headers.ts';
import { splitPath } from '../../shared/http/request-url.ts';
import type { Ids } from '../../shared/ids.ts';
import { perSecond, TokenBucket } from '../../shared/limits/token-bucket.ts';
import type { Log } from '../../shared/log.ts';
import { matchSecret, type UssdChannel } from '../dialogue/channel.ts';
import type { Readiness } from '../metrics/readiness.ts';

export type GatewayApp = Hono<{ Variables: RequestIdVariables }>;

/** Checks of the readiness: a request beyond them gets the last answer, because anyone can ask. */
const checkRate = perSecond(20);

/** Creates the HTTP app with request ids, `/healthz`, `/readyz` and error answers. The caller adds the routes. */
export function createGatewayApp(deps: {
  ids: Ids;
  log: Log;
  networkClock: Pick<Clock, 'now'>;
  readiness(): Promise<Readiness>;
}): GatewayApp {
  const { ids, log, networkClock } = deps;
  const checks = new TokenBucket(checkRate, networkClock.now());
  let lastCheck: Promise<Readiness> | undefined;
  const app: GatewayApp = new Hono();
  app.use(responseHeaders(), async (c, next) => {
    // A caller's own request id is ignored: it is logged, and it could contain a phone number.
    const request = ids.next('req');
    c.set('requestId', request);
    c.header('x-request-id', request);
    await next();
  });
  app.get('/healthz', (c) => {
    grantAccess(c.env);
    return c.json({ status: 'ok' });
  });
  app.get('/readyz', async (c) => {
    grantAccess(c.env);
    if (lastCheck === undefined || checks.tryTake(networkClock.now())) lastCheck = deps.readiness();
    const found = await lastCheck;
    return c.json(found, found.status === 'ready' ? 200 : 503);
  });
  app.notFound((c) => c.json({ error: { code: 'not_found', message: 'nothing here' } }, 404));
  app.onError((fault, c) => {
    // A client that disconnects during its request is no fault of the gateway, and must not fill the error log.
    const { incoming }: Partial<HttpBindings> = c.env ?? {};
    if (incoming?.destroyed && !incoming.complete) {
      return c.json({ error: { code: 'broken_off', message: 'the request broke off' } }, 400);
    }
    log.error({ request: c.get('requestId'), fault: errorMessage(fault) }, 'a request failed');
    return c.json({ error: { code: 'internal_error', message: 'try again later' } }, 503);
  });
  return app;
}

type AccessDeps = Pick<AccessPolicy, 'clock' | 'trustedProxies'> & {
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
export function createGatewayAccess(deps: AccessDeps): AccessPolicy {
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
