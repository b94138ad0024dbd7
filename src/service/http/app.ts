import { type Context, Hono } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { BodyFault } from '../../kit/admission.ts';
import type { Clock } from '../../shared/clock.ts';
import { errorMessage } from '../../shared/errors.ts';
import { responseHeaders } from '../../shared/http/headers.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import { StoreFault } from '../../sqlite/store.ts';
import type { Caller } from '../key/authenticate.ts';
import { type ApiError, apiError, toErrorResponse } from './response.ts';

/** The variables of a request. `caller` is set for calls of merchants. */
export type Env = { Variables: { requestId: string; caller: Caller } };

/** How requests are bounded and refused, with and without Hono. */
export const refusals = {
  maxBodyBytes: 64 * 1024,
  refuse: (c: Context, refusal: ApiError | BodyFault) =>
    toErrorResponse(typeof refusal === 'object' ? refusal : bodyErrors[refusal], c.get('requestId')),
};

const bodyErrors: Record<BodyFault, ApiError> = {
  body_too_large: apiError('body_too_large'),
  body_incomplete: apiError('invalid_json'),
};

/** Creates an app with a request id, one log line, and API errors. The log names the route's pattern: a path can have a phone number. */
export function createServiceApp(deps: { clock: Clock; ids: Ids; log: Log }): Hono<Env> {
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

/** A request as the operations read it. It comes from Hono, or directly from Node. */
export type ApiRequest = {
  method: string;
  /** The decoded path. */
  path: string;
  requestId: string;
  params: Record<string, string>;
  header(name: string): string | undefined;
  /** The parameters of the query in their order. */
  query(): Iterable<[name: string, value: string]>;
  /** Returns the body, which has arrived. */
  body(): Promise<Uint8Array>;
};

export function toRequest(c: Context<Env>): ApiRequest {
  return {
    method: c.req.method,
    path: c.req.path,
    requestId: c.get('requestId'),
    params: c.req.param(),
    header: (name) => c.req.header(name),
    query: () => new URL(c.req.url).searchParams,
    body: async () => new Uint8Array(await c.req.arrayBuffer()),
  };
}
