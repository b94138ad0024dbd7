import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { RequestIdVariables } from 'hono/request-id';
import { getQueryParam } from 'hono/utils/url';
import type { WireReply } from '../../../aggregators/aggregator.ts';
import type { RawRequest } from '../../../aggregators/description/request-fields.ts';
import type { Clock } from '../../../shared/clock.ts';
import { errorMessage } from '../../../shared/errors.ts';
import { grantAccess } from '../../../shared/http/access.ts';
import { findClientAddress } from '../../../shared/http/addresses.ts';
import { hasBoundedBody, readWhole } from '../../../shared/http/body.ts';
import { createDirectSender } from '../../../shared/http/headers.ts';
import type { Ids } from '../../../shared/ids.ts';
import type { Log } from '../../../shared/log.ts';
import type { LogSummary } from '../../../shared/log-summary.ts';
import { matchSecret, type UssdChannel } from '../channel.ts';
import { type AnswerCallback, replyToUnread } from './answer-callback.ts';

/** The channel of a request with its secret. */
type Authorized = { readonly channel: UssdChannel; readonly secret: 'current' | 'previous' };

/** A request with a channel's secret from an address that the channel does not list. */
type ForbiddenAddress = { readonly forbidden: { channel: string; caller: string | undefined } };

/**
 * Returns the channel of a request whose secret and address are right; `undefined` without the secret.
 *
 * @param callerOf returns the address of the caller. Not called for a channel that lists no addresses.
 */
function authorize(
  channel: UssdChannel | undefined,
  given: string,
  callerOf: () => string | undefined,
): Authorized | ForbiddenAddress | undefined {
  const secret = matchSecret(channel, given);
  if (!channel || !secret) return undefined;
  if (!channel.allowFrom) return { channel, secret };
  const caller = callerOf();
  if (caller !== undefined && channel.allowFrom.has(caller)) return { channel, secret };
  return { forbidden: { channel: channel.id, caller } };
}

const decompress = promisify(gunzip);

const decoder = new TextDecoder();

/** The headers of a body that need more than its bytes as text. */
type BodyHeaders = { type: string | undefined; encoding: string | undefined };

/** Returns whether the body is its bytes as text. A dialect recognises JSON, XML and forms by their content. */
function isPlainBody({ type, encoding }: BodyHeaders): boolean {
  return (encoding === undefined || /^identity$/i.test(encoding)) && !/^multipart\//i.test(type ?? '');
}

/**
 * Reads the body of a callback as the text that dialects parse. A body with `content-encoding: gzip` is decompressed, and the
 * fields of `multipart/form-data` become those of an ordinary form; files are ignored. A body that is something else than its
 * headers state is its bytes as text.
 *
 * @param maxBytes upper bound of the decompressed body.
 */
async function readBodyText(
  bytes: Uint8Array<ArrayBuffer>,
  headers: BodyHeaders,
  maxBytes: number,
): Promise<string> {
  const { type = '', encoding = '' } = headers;
  try {
    const isCompressed = /^(?:x-)?gzip$/i.test(encoding);
    const plain = isCompressed ? await decompress(bytes, { maxOutputLength: maxBytes }) : bytes;
    if (!/^multipart\//i.test(type)) return decoder.decode(plain);
    const form = await new Response(new Uint8Array(plain), { headers: { 'content-type': type } }).formData();
    const fields = new URLSearchParams();
    for (const [name, value] of form) if (typeof value === 'string') fields.append(name, value);
    return fields.toString();
  } catch {
    return decoder.decode(bytes);
  }
}

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
const maxRequestBytes = 64 * 1024;

type Env = { Bindings: Partial<HttpBindings>; Variables: RequestIdVariables & { authorized: Authorized } };

/**
 * `/ussd/:channel/:secret`: the callback URL that a merchant registers with the aggregator, for screens and end notices.
 * Most aggregators use POST; some use GET, PUT for a notice, or append the session id to the path. A server answers the
 * usual form of these requests with `createCallbackRoute`, which is faster, and every other one here.
 *
 * A request with the right secret, from an allowed address where the channel lists any, always gets 200 and a valid
 * screen in the aggregator's format, whatever fails. Every other request gets 404 without details. HEAD gets the headers of a
 * GET: a read-only request must not enter an input, so that its query is not read.
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
      if (c.req.method === 'HEAD') return unreadResponse(deps, c);
      return next();
    },
    bodyLimit({ maxSize: maxRequestBytes, onError: (c: Context<Env>) => unreadResponse(deps, c) }),
    async (c) => {
      const bytes = new Uint8Array(await c.req.arrayBuffer());
      const headers = { type: c.req.header('content-type'), encoding: c.req.header('content-encoding') };
      const raw = toRaw(c, await readBodyText(bytes, headers, maxRequestBytes));
      const { requestId, authorized } = c.var;
      return wireResponse(await deps.answer({ ...authorized, raw, requestId, outgoing: c.env?.outgoing }));
    },
  );
  return app;
}

function authorizeRequest(deps: UssdRouteDeps, c: Context<Env>): Authorized | undefined {
  const caller = () =>
    findClientAddress(c.env?.incoming, c.req.header('x-forwarded-for'), deps.trustedProxies);
  const channel = deps.channel(c.req.param('channel') ?? '');
  const found = authorize(channel, c.req.param('secret') ?? '', caller);
  if (found === undefined || 'channel' in found) return found;
  deps.forbiddenAddresses.record('outside_allow_from', found.forbidden);
  return undefined;
}

/** Returns the answer to a request that was not read: it starts no dialogue, and enters no input. */
function unreadResponse({ clock }: UssdRouteDeps, c: Context<Env>): Response {
  const { channel } = c.get('authorized');
  return wireResponse(replyToUnread(channel, toRaw(c, ''), clock.now()));
}

function toRaw(c: Context, body: string): RawRequest {
  const secret = c.req.param('secret') ?? '';
  const path = c.req.path.split(`/${secret}`).slice(1).join(`/${secret}`);
  return { body, query: c.req.query(), path: path.replace(/^\/+|\/+$/g, '') };
}

function wireResponse({ contentType, body }: WireReply): Response {
  return new Response(body, { headers: { 'content-type': contentType, 'cache-control': 'no-store' } });
}

type NodeRouteDeps = Omit<UssdRouteDeps, 'clock' | 'forbiddenAddresses'> & {
  ids: Pick<Ids, 'next'>;
  log: Log;
};

/** The usual callback URL. No part of its path is encoded, so a router would find the same parts. */
const callbackUrl = /^\/ussd\/([\w-]+)\/([\w-]+)((?:\/[\w-]+)*)\/?(?:\?([^#]*))?$/;

const methods: ReadonlySet<string | undefined> = new Set(['GET', 'POST', 'PUT']);

type Answer = { status: number; contentType: string; body: string };

const fault: Answer = {
  status: 503,
  contentType: 'application/json',
  body: JSON.stringify({ error: { code: 'internal_error', message: 'try again later' } }),
};

/**
 * Creates a function that answers the usual requests of aggregators on Node's own request and response: the web-standard
 * wrapping of a request costs more than its turn.
 *
 * @returns a function that returns false, and does nothing, for a request that `ussdRoute` must answer: with
 *   another path or method, without the secret, from a forbidden address, or with an unusual body.
 */
export function createCallbackRoute(deps: NodeRouteDeps) {
  const sendDirectly = createDirectSender();
  const send = (outgoing: ServerResponse, requestId: string, { status, contentType, body }: Answer): void => {
    const headers = ['x-request-id', requestId, 'content-type', contentType];
    sendDirectly(outgoing, { status, headers, body });
  };
  return (incoming: IncomingMessage, outgoing: ServerResponse): boolean => {
    const { method, url = '', headers } = incoming;
    const { 'content-type': type, 'content-encoding': encoding } = headers;
    const isUsual =
      methods.has(method) &&
      hasBoundedBody(incoming, maxRequestBytes) &&
      isPlainBody({ type, encoding: encoding?.toString() });
    const match = isUsual ? callbackUrl.exec(url) : null;
    if (!match) return false;
    const [, id = '', given = '', path = '', query] = match;
    const forwardedFor = headers['x-forwarded-for']?.toString();
    const caller = () => findClientAddress(incoming, forwardedFor, deps.trustedProxies);
    const found = authorize(deps.channel(id), given, caller);
    if (found === undefined || !('channel' in found)) return false;
    const requestId = deps.ids.next('req');
    const raw = { query: query === undefined ? {} : toQuery(url), path: path.slice(1) };
    readWhole(incoming, async (bytes) => {
      const body = bytes.length === 0 ? '' : decoder.decode(bytes);
      try {
        const reply = await deps.answer({ ...found, raw: { ...raw, body }, requestId, outgoing });
        send(outgoing, requestId, { status: 200, ...reply });
      } catch (thrown) {
        deps.log.error({ request: requestId, fault: errorMessage(thrown) }, 'a request failed');
        if (!outgoing.headersSent) send(outgoing, requestId, fault);
      }
    });
    return true;
  };
}

/** Reads the query as the router does. */
function toQuery(url: string): Record<string, string> {
  const found = getQueryParam(url);
  return typeof found === 'object' ? found : {};
}
