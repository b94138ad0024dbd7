import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Admission, admit, type FoundCaller } from '../../kit/admission.ts';
import { honoPath } from '../../kit/api.ts';
import type { Clock } from '../../shared/clock.ts';
import { hasBoundedBody, readWhole } from '../../shared/http/body.ts';
import { createDirectSender, occursOnce } from '../../shared/http/headers.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import type { Caller } from '../key/authenticate.ts';
import { type ApiRequest, faultError, refusals } from './app.ts';
import { type ApiError, fullResponse } from './response.ts';
import type { MerchantAdmission, MerchantRoute } from './router.ts';

type Route = MerchantRoute & { pattern: RegExp; names: readonly string[] };

type Match = { route: Route; params: Record<string, string> };

/** Headers of which Node shows only the first one. A request with several is left to Hono. */
const singleHeaders = ['authorization', 'content-type'] as const;

/**
 * Creates a function that answers the usual calls of merchants on Node's own request and response: the web-standard
 * wrapping of a request costs more than its work.
 *
 * @returns a function that resolves with false, and does nothing, for every request that the app must answer: of another
 *   path, without a valid key, with a query, or with a body of unknown or too great length.
 */
export function createNodeRoute(deps: {
  routes: readonly MerchantRoute[];
  admission: MerchantAdmission;
  clock: Clock;
  ids: Pick<Ids, 'next'>;
  log: Log;
}) {
  const { clock, ids, log } = deps;
  const { authenticate, limit } = deps.admission;
  const routes = deps.routes.map(compile);
  const send = createDirectSender();

  async function serve(
    { route, params }: Match,
    found: FoundCaller<Caller, ApiError>,
    { incoming, outgoing, requestId, body: whole }: Exchange,
  ) {
    const startedAt = clock.now();
    const request = toRequest(incoming, { params, requestId, body: whole });
    const outcome =
      'refused' in found
        ? found.refused
        : await route
            .serve(found.caller, request)
            .catch((fault: unknown) => faultError(log, fault, requestId));
    const { status, headers, body } = fullResponse(outcome, requestId);
    send(outgoing, { status, headers: ['request-id', requestId, ...Object.entries(headers).flat()], body });
    if (!log.isLevelEnabled('debug')) return;
    const { method, path } = route;
    log.debug(
      { request: requestId, method, route: honoPath(path), status, ms: clock.now() - startedAt },
      'request',
    );
  }

  return async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<boolean> => {
    const match = findRoute(routes, incoming);
    if (!match || !hasBoundedBody(incoming, refusals.maxBodyBytes)) return false;
    if (!singleHeaders.every((name) => occursOnce(incoming, name))) return false;
    const requestId = ids.next('req');
    let body: Body | undefined;
    const steps: Admission<Caller, ApiError> = {
      authenticate: () => authenticate(incoming.headers.authorization),
      async awaitBody() {
        body = readBody(incoming);
        if (incoming.complete) return false;
        await body;
        return true;
      },
      limit,
    };
    const found = await admit(steps).catch(
      (fault: unknown) => body && { refused: faultError(log, fault, requestId) },
    );
    if (!found || !body) return false;
    await serve(match, found, { incoming, outgoing, requestId, body });
    return true;
  };
}

function compile(route: MerchantRoute): Route {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
  // No character of these is encoded, so a router would find the same parameters.
  return { ...route, names, pattern: new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '([\\w-]+)')}$`) };
}

function findRoute(routes: readonly Route[], { method, url = '' }: IncomingMessage): Match | undefined {
  for (const route of routes) {
    const match = route.method === method ? route.pattern.exec(url) : null;
    if (!match) continue;
    return { route, params: Object.fromEntries(route.names.map((name, at) => [name, match[at + 1] ?? ''])) };
  }
  return undefined;
}

type Body = Promise<Uint8Array>;

type Exchange = { incoming: IncomingMessage; outgoing: ServerResponse; requestId: string; body: Body };

function readBody(incoming: IncomingMessage): Body {
  return new Promise((resolve) => readWhole(incoming, resolve));
}

function toRequest(
  incoming: IncomingMessage,
  { params, requestId, body }: { params: Record<string, string>; requestId: string; body: Body },
): ApiRequest {
  const { method = '', url = '', headers } = incoming;
  return {
    method,
    path: url,
    requestId,
    params,
    header: (name) => headers[name]?.toString(),
    query: () => [],
    body: () => body,
  };
}
