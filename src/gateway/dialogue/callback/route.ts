import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { RequestIdVariables } from 'hono/request-id';
import type { WireReply } from '../../../aggregators/dialect.ts';
import type { RawRequest } from '../../../aggregators/raw-request.ts';
import type { Clock } from '../../../shared/clock.ts';
import { grantAccess } from '../../../shared/http/access.ts';
import { callerOf } from '../../../shared/http/caller.ts';
import type { LogSummary } from '../../../shared/log-summary.ts';
import type { UssdChannel } from '../channel.ts';
import { type AnswerCallback, replyToUnread } from './answer-callback.ts';
import { type Authorized, authorize } from './authorize.ts';

export type UssdRouteDeps = {
  channel(id: string): UssdChannel | undefined;
  answer: AnswerCallback;
  /** Requests with the right secret from other addresses than `allowFrom`. */
  forbiddenAddresses: LogSummary;
  /** Addresses of proxies whose `x-forwarded-for` header is trusted. */
  trustedProxies: { has(address: string): boolean };
  clock: Pick<Clock, 'now'>;
};

/** A USSD request has a few hundred bytes. */
export const maxRequestBytes = 64 * 1024;

type Env = { Bindings: Partial<HttpBindings>; Variables: RequestIdVariables & { authorized: Authorized } };

/**
 * `/ussd/:channel/:secret`: the callback URL that a merchant registers with the aggregator, for screens and end notices.
 * Most aggregators use POST; some use GET, PUT for a notice, or append the session id to the path. A server answers the
 * usual form of these requests with `createNodeRoute`, which is faster, and every other one here.
 *
 * A request with the right secret, from an allowed address where the channel lists any, always gets 200 and a valid
 * screen in the aggregator's format, whatever fails. Every other request gets 404 without details.
 */
export function ussdRoute(deps: UssdRouteDeps): Hono<Env> {
  const app = new Hono<Env>();
  app.on(
    ['GET', 'POST', 'PUT'],
    ['/ussd/:channel/:secret', '/ussd/:channel/:secret/*'],
    async (c, next) => {
      const authorized = authorizeRequest(deps, c);
      if (!authorized) return c.notFound();
      grantAccess(c.env);
      c.set('authorized', authorized);
      return next();
    },
    bodyLimit({
      maxSize: maxRequestBytes,
      onError: (c: Context<Env>) => {
        const { channel } = c.get('authorized');
        return wireResponse(replyToUnread(channel, rawOf(c, ''), deps.clock.now()));
      },
    }),
    async (c) => {
      const raw = rawOf(c, await c.req.text());
      const { requestId, authorized } = c.var;
      return wireResponse(await deps.answer({ ...authorized, raw, requestId, outgoing: c.env?.outgoing }));
    },
  );
  return app;
}

function authorizeRequest(deps: UssdRouteDeps, c: Context<Env>): Authorized | undefined {
  // Hono serves HEAD as GET, but a read-only request must not enter an input.
  if (c.req.method === 'HEAD') return undefined;
  const caller = () => callerOf(c.env?.incoming, c.req.header('x-forwarded-for'), deps.trustedProxies);
  const channel = deps.channel(c.req.param('channel') ?? '');
  const found = authorize(channel, c.req.param('secret') ?? '', caller);
  if (found === undefined || 'channel' in found) return found;
  deps.forbiddenAddresses.record('outside_allow_from', found.forbidden);
  return undefined;
}

function rawOf(c: Context, body: string): RawRequest {
  const secret = c.req.param('secret') ?? '';
  const path = c.req.path.split(`/${secret}`).slice(1).join(`/${secret}`);
  return { body, query: c.req.query(), path: path.replace(/^\/+|\/+$/g, '') };
}

function wireResponse({ contentType, body }: WireReply): Response {
  return new Response(body, { headers: { 'content-type': contentType, 'cache-control': 'no-store' } });
}
