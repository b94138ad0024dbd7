import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';
import type { Clock } from '../clock.ts';
import { RequestBudget } from '../limits/per-key.ts';
import { type AddressList, findClientAddress, getClientNetwork } from './addresses.ts';
import { responseHeaders } from './headers.ts';

/** How a program recognises requests that it may serve without a limit. Both functions read no body and no database. */
export type AccessPolicy = {
  /**
   * Returns whether the request is for a page or a document that needs no key. Such requests have a budget of their own. Health
   * checks have none: a balancer that gets no answer takes the program out of use.
   */
  isPublic(incoming: IncomingMessage): boolean;
  /** Returns whether a request can be of an authenticated caller, or is a health check. True for all that are accepted and not public. */
  mayBeAuthenticated(incoming: IncomingMessage): boolean;
  /** Addresses of proxies whose `x-forwarded-for` header is trusted. */
  trustedProxies: Pick<AddressList, 'has'>;
  clock: Pick<Clock, 'now'>;
};

/** The access of one request. */
export type Access = {
  /** Set by a route that is public or has verified a secret. */
  isGranted: boolean;
  /** Takes the request from its client's budget of public pages, once. Returns the answer beyond the budget. */
  takePublic?(): Response | undefined;
};

/** The environment of a route: the connection, and the access of its request. */
export type ServerBindings = HttpBindings & { access?: Access };

/** Unauthenticated requests of one client that get the program's own answer. */
const failureRate = { burst: 100, perMinute: 60 };

/** Public pages of one client: an office whose people share one address and sign in within a minute. */
const publicRate = { burst: 240, perMinute: 240 };

/** After this time, a client gets at least a page with its files. */
const retryAfterSeconds = { failures: 60, public: 15 };

/**
 * Records that the request is authenticated, or for a public path, so that no limit of unauthenticated requests applies.
 *
 * @param env the environment of the Hono context; without a server it is empty.
 */
export function grantAccess(env: unknown): void {
  const { access }: Partial<ServerBindings> = env ?? {};
  if (access) access.isGranted = true;
}

/**
 * Counts a request that turns out to be for a public page, unless the server has counted it before its route. Call it before any
 * work. A path in an unusual spelling, and a cookie that belongs to no session, are recognised only here.
 *
 * @returns the answer in place of the page when the client's budget is used up.
 */
export function limitPublic(env: unknown): Response | undefined {
  const { access }: Partial<ServerBindings> = env ?? {};
  return access?.takePublic?.();
}

/** Serves a public page within the budget of its client. */
export function publicAccess(): MiddlewareHandler {
  return async (c, next) => {
    const limited = limitPublic(c.env);
    if (limited) return limited;
    grantAccess(c.env);
    return next();
  };
}

/** Limits the requests of each client that need no key, or lack it. */
export type AccessLimit = {
  /** Answers a request for a public page, or one that cannot be authenticated, of a client over its limit. Returns whether it did. */
  reject(incoming: IncomingMessage, outgoing: ServerResponse): boolean;
  /** Counts an unauthenticated request, and answers it when its client is over the limit. Returns whether it did. */
  deny(incoming: IncomingMessage, outgoing: ServerResponse): boolean;
  /** Returns what a route receives about the access of its request. */
  accessOf(incoming: IncomingMessage): Access;
  /** Replaces the answer to an unauthenticated request, when its client is over the limit. */
  check(response: Response, bindings: ServerBindings): Response;
};

/**
 * Creates the limit. It applies only to public pages, and to requests that the program rejects anyway: an authenticated caller
 * is served whatever other callers of its address send. Over the limit, the answer is a prepared 429 that closes the connection.
 */
export async function createAccessLimit(policy: AccessPolicy): Promise<AccessLimit> {
  const failures = new RequestBudget(failureRate, policy.clock);
  const pages = new RequestBudget(publicRate, policy.clock);
  const counted = new WeakSet<IncomingMessage>();
  const tooMany = {
    failures: await renderTooMany('too many unauthenticated requests', retryAfterSeconds.failures),
    public: await renderTooMany('too many requests for public pages', retryAfterSeconds.public),
  };
  const getClient = (incoming: IncomingMessage) => {
    const forwardedFor = incoming.headers['x-forwarded-for'];
    const caller = findClientAddress(incoming, forwardedFor?.toString(), policy.trustedProxies);
    return getClientNetwork(caller ?? '');
  };
  const answer = (outgoing: ServerResponse, { headers, body }: TooMany): true => {
    outgoing.writeHead(429, headers);
    outgoing.end(body);
    return true;
  };
  const replace = ({ headers, body }: TooMany) => new Response(body, { status: 429, headers });
  return {
    reject(incoming, outgoing) {
      if (policy.isPublic(incoming)) {
        if (!pages.tryTake(getClient(incoming))) return answer(outgoing, tooMany.public);
        counted.add(incoming);
        return false;
      }
      // The usual case, without the cost of the client's network.
      if (failures.isUnused) return false;
      if (!failures.isExhausted(getClient(incoming)) || policy.mayBeAuthenticated(incoming)) return false;
      return answer(outgoing, tooMany.failures);
    },
    deny: (incoming, outgoing) =>
      !failures.tryTake(getClient(incoming)) && answer(outgoing, tooMany.failures),
    accessOf: (incoming) => ({
      isGranted: false,
      takePublic() {
        if (counted.has(incoming)) return undefined;
        counted.add(incoming);
        return pages.tryTake(getClient(incoming)) ? undefined : replace(tooMany.public);
      },
    }),
    check(response, { incoming, access }) {
      if (access?.isGranted || failures.tryTake(getClient(incoming))) return response;
      return replace(tooMany.failures);
    },
  };
}

type TooMany = { headers: Record<string, string>; body: string };

/** Returns the 429 with the headers of every response. */
async function renderTooMany(reason: string, retryAfter: number): Promise<TooMany> {
  const app = new Hono();
  app.use(responseHeaders());
  app.get('/', (c) =>
    c.json({ error: { code: 'too_many_requests', message: `${reason}; try again later` } }, 429, {
      'retry-after': String(retryAfter),
      connection: 'close',
    }),
  );
  const response = await app.request('/');
  return { headers: Object.fromEntries(response.headers), body: await response.text() };
}
