import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { matchedRoutes } from 'hono/route';
import type { Clock } from '../../shared/clock.ts';
import { errorMessage } from '../../shared/errors.ts';
import { responseHeaders } from '../../shared/http/headers.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import { StoreFault } from '../../sqlite/store.ts';
import { type ApiError, apiError } from '../api-error.ts';
import { toErrorResponse } from './response.ts';

/** Upper bound of the body of a request. */
export const maxBodyBytes = 64 * 1024;

/** The variables of every request. */
export type Env = { Variables: { requestId: string } };

/**
 * Creates an app with what all calls share: a request id, a bounded body, one log line, and API errors for unknown
 * paths and unexpected failures. The log names the pattern of the route, because the path may contain a phone number.
 */
export function createApp(deps: { clock: Clock; ids: Ids; log: Log }): Hono<Env> {
  const { clock, ids, log } = deps;
  const app = new Hono<Env>();

  app.use(async (c, next) => {
    const startedAt = clock.now();
    const requestId = ids.next('req');
    c.set('requestId', requestId);
    await next();
    c.header('request-id', requestId);
    const route = matchedRoutes(c).findLast(({ path }) => !path.endsWith('*'))?.path ?? 'none';
    const ms = clock.now() - startedAt;
    log.debug({ request: requestId, method: c.req.method, route, status: c.res.status, ms }, 'request');
  });
  app.use(responseHeaders());
  const tooLarge = (c: Context<Env>) => toErrorResponse(apiError('body_too_large'), c.get('requestId'));
  const limitBody = bodyLimit({ maxSize: maxBodyBytes, onError: tooLarge });
  app.use(async (c, next) => {
    // A body cannot be longer than its Content-Length. Only a body without one has to be counted.
    const declared = c.req.header('content-length');
    if (c.req.method === 'GET') return next();
    if (declared === undefined || c.req.header('transfer-encoding') !== undefined) {
      // Only reading throws here: the caller disconnected. Failures of handlers go to onError.
      return limitBody(c, next).catch(() => toErrorResponse(apiError('invalid_json'), c.get('requestId')));
    }
    return Number(declared) > maxBodyBytes ? tooLarge(c) : next();
  });
  app.notFound((c) => {
    const allowed = allowedMethods(app, c.req.path);
    if (allowed.length === 0) return toErrorResponse(apiError('not_found'), c.get('requestId'));
    const response = toErrorResponse(apiError('method_not_allowed'), c.get('requestId'));
    response.headers.set('allow', allowed.join(', '));
    return response;
  });
  app.onError((fault, c) => {
    const requestId = c.get('requestId');
    return toErrorResponse(faultError(log, fault, requestId), requestId);
  });
  return app;
}

/** Logs an unexpected failure of a request, and returns the error that reports it. */
export function faultError(log: Log, fault: unknown, requestId: string): ApiError {
  log.error({ request: requestId, fault: errorMessage(fault) }, 'a request failed');
  const isTemporary = fault instanceof StoreFault && (fault.kind === 'busy' || fault.kind === 'full');
  return isTemporary ? apiError('unavailable', { retryAfterSeconds: 1 }) : apiError('internal_error');
}

const methods = ['GET', 'POST', 'PUT', 'DELETE'];

/** The methods of a path, as the `Allow` header lists them; none for an unknown path. */
function allowedMethods(app: Hono<Env>, path: string): string[] {
  const served = methods.filter((method) =>
    app.router.match(method, path)[0].some(([[, route]]) => !route.path.endsWith('*')),
  );
  return served.flatMap((method) => (method === 'GET' ? [method, 'HEAD'] : [method]));
}
