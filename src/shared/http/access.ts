import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import type { Clock } from '../clock.ts';
import { FailureBudget } from '../limits/failure-budget.ts';
import type { AddressList } from './address-list.ts';
import { callerOf } from './caller.ts';
import { clientNetworkOf } from './client-network.ts';
import { responseHeaders } from './headers.ts';

/** How a program recognises requests that it may serve without a limit. */
export type AccessPolicy = {
  /**
   * Returns whether the request is for a public path, or its headers can belong to an authenticated caller. Must return
   * true for every request that the program would accept. Reads no body and no database.
   */
  mayBeAuthenticated(incoming: IncomingMessage): boolean;
  /** Addresses of proxies whose `x-forwarded-for` header is trusted. */
  trustedProxies: Pick<AddressList, 'has'>;
  clock: Pick<Clock, 'now'>;
};

/** What a route receives with its request. `access` is set by a route that is public or has verified a secret. */
export type ServerBindings = HttpBindings & { access?: { isGranted: boolean } };

/** Unauthenticated requests of one client that get the program's own answer. */
const failureRate = { burst: 100, perMinute: 60 };

const retryAfterSeconds = 60;

/**
 * Records that the request is authenticated, or for a public path, so that no limit of unauthenticated requests applies.
 *
 * @param env the environment of the Hono context; without a server it is empty.
 */
export function grantAccess(env: unknown): void {
  const { access }: Partial<ServerBindings> = env ?? {};
  if (access) access.isGranted = true;
}

/** Limits the unauthenticated requests of each client. */
export type AccessLimit = {
  /** Answers a request that cannot be authenticated, when its client is over the limit. Returns whether it did. */
  reject(incoming: IncomingMessage, outgoing: ServerResponse): boolean;
  /** Counts an unauthenticated request, and answers it when its client is over the limit. Returns whether it did. */
  deny(incoming: IncomingMessage, outgoing: ServerResponse): boolean;
  /** Replaces the answer to an unauthenticated request, when its client is over the limit. */
  check(response: Response, bindings: ServerBindings): Response;
};

/**
 * Creates the limit. It applies only to requests that the program rejects anyway: an authenticated caller is served
 * whatever other callers of its address send. Over the limit, the answer is a prepared 429 that closes the connection.
 */
export async function createAccessLimit(policy: AccessPolicy): Promise<AccessLimit> {
  const failures = new FailureBudget(failureRate, policy.clock);
  const tooMany = await renderTooMany();
  const clientOf = (incoming: IncomingMessage) => {
    const forwardedFor = incoming.headers['x-forwarded-for'];
    const caller = callerOf(incoming, forwardedFor?.toString(), policy.trustedProxies);
    return clientNetworkOf(caller ?? incoming.socket.remoteAddress ?? '');
  };
  const answer = (outgoing: ServerResponse): true => {
    outgoing.writeHead(429, tooMany.headers);
    outgoing.end(tooMany.body);
    return true;
  };
  return {
    reject(incoming, outgoing) {
      // The usual case, without the cost of the client's network.
      if (failures.isUnused) return false;
      if (!failures.isExhausted(clientOf(incoming)) || policy.mayBeAuthenticated(incoming)) return false;
      return answer(outgoing);
    },
    deny: (incoming, outgoing) => !failures.tryTake(clientOf(incoming)) && answer(outgoing),
    check(response, { incoming, access }) {
      if (access?.isGranted || failures.tryTake(clientOf(incoming))) return response;
      return new Response(tooMany.body, { status: 429, headers: tooMany.headers });
    },
  };
}

/** Returns the 429 with the headers of every response. */
async function renderTooMany(): Promise<{ headers: Record<string, string>; body: string }> {
  const app = new Hono();
  app.use(responseHeaders());
  app.get('/', (c) =>
    c.json(
      { error: { code: 'too_many_requests', message: 'too many unauthenticated requests; try again later' } },
      429,
      { 'retry-after': String(retryAfterSeconds), connection: 'close' },
    ),
  );
  const response = await app.request('/');
  return { headers: Object.fromEntries(response.headers), body: await response.text() };
}
