import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import type { RequestIdVariables } from 'hono/request-id';
import type { Clock } from '../../shared/clock.ts';
import { errorMessage } from '../../shared/errors.ts';
import { grantAccess } from '../../shared/http/access.ts';
import { responseHeaders } from '../../shared/http/headers.ts';
import type { Ids } from '../../shared/ids.ts';
import { perSecond, TokenBucket } from '../../shared/limits/token-bucket.ts';
import type { Log } from '../../shared/log.ts';
import type { Readiness } from '../metrics/readiness.ts';

export type GatewayApp = Hono<{ Variables: RequestIdVariables }>;

/** Checks of the readiness: a request beyond them gets the last answer, because anyone can ask. */
const checkRate = perSecond(20);

/** Creates the HTTP app with request ids, `/healthz`, `/readyz` and error answers. The caller adds the routes. */
export function createApp(deps: {
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
