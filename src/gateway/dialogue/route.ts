import { createHash, timingSafeEqual } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { RequestIdVariables } from 'hono/request-id';
import type { RawRequest, Reading, WireReply } from '../../aggregators/dialect.ts';
import { faultText, slowText } from '../../menu/text/messages.ts';
import { withTimeout } from '../../shared/clock.ts';
import { messageOf, unreachable } from '../../shared/errors.ts';
import { callerOf } from '../../shared/http/caller.ts';
import type { Log } from '../../shared/log.ts';
import type { UssdReply, UssdRequest } from '../../shared/ussd.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { UssdChannel } from './channel.ts';
import { converse, type DialogueDeps, endSession, isAlive } from './dialogue.ts';
import type { ReplyGate } from './reply-gate.ts';

export type UssdRouteDeps = DialogueDeps & {
  channel(id: string): UssdChannel | undefined;
  gate: ReplyGate;
  /** True while nobody may be asked to pay: payers get a last screen that says to try again. */
  isPaused(): Promise<boolean>;
  /** Called after a collection was opened, so that the worker need not wait for its next round. */
  onOpened(): void;
  /** Addresses of proxies whose `x-forwarded-for` is believed. */
  trustedProxies: { has(address: string): boolean };
  log: Log;
  metrics: Pick<Metrics, 'turn'> & DialogueDeps['metrics'];
};

/** A USSD request is a few hundred bytes. */
const maxRequestBytes = 64 * 1024;

type Env = { Bindings: Partial<HttpBindings>; Variables: RequestIdVariables & { channel: UssdChannel } };

/** A reply, and when it was first given. */
type Answered = { reply: UssdReply; at: number };

/**
 * `/ussd/:channel/:secret`: the callback URL that a merchant enters at the aggregator, for screens and for notices.
 * Most aggregators POST; some ask with GET, or PUT a notice, or put the session id behind the secret.
 *
 * Whoever knows the secret, and calls from an allowed address where the channel names any, always gets 200 and a valid
 * screen in the aggregator's own shape, whatever went wrong; whoever does not gets 404 and learns nothing.
 */
export function ussdRoute(deps: UssdRouteDeps): Hono<Env> {
  const app = new Hono<Env>();
  const find = (c: Context<Env>): UssdChannel | undefined => {
    // Hono serves HEAD as GET, but what only looks must not press a key.
    if (c.req.method === 'HEAD') return undefined;
    const channel = deps.channel(c.req.param('channel') ?? '');
    if (!channel || !isKnown(c, channel)) return undefined;
    if (!channel.allowFrom) return channel;
    const caller = callerOf(c.env?.incoming, c.req.header('x-forwarded-for'), deps.trustedProxies);
    if (caller !== undefined && channel.allowFrom.has(caller)) return channel;
    deps.log.warn({ channel: channel.id, caller }, 'a USSD request came from an address that is not allowed');
    return undefined;
  };
  app.on(
    ['GET', 'POST', 'PUT'],
    ['/ussd/:channel/:secret', '/ussd/:channel/:secret/*'],
    async (c, next) => {
      const channel = find(c);
      if (!channel) return c.notFound();
      c.set('channel', channel);
      return next();
    },
    bodyLimit({
      maxSize: maxRequestBytes,
      onError: (c: Context<Env>) => {
        const channel = c.get('channel');
        const unread = channel.decode({ ...rawOf(c, ''), query: {} });
        return wire(channel.encode(sorry(channel), unread, deps.clock.now()));
      },
    }),
    async (c) => {
      const channel = c.get('channel');
      // Once nobody calls by the old secret any more, it can go.
      const by = isOld(c, channel) ? { by: 'previous secret' } : {};
      const log = deps.log.child({ request: c.get('requestId'), channel: channel.id, ...by });
      const reading = channel.decode(rawOf(c, await c.req.text()));
      const askedAt = deps.clock.now();
      const { reply, at } = await answer({ ...deps, log }, channel, reading, c.env?.outgoing);
      if (reading.kind === 'request') deps.metrics.turn(channel.id, reply.kind, deps.clock.now() - askedAt);
      return wire(channel.encode(reply, reading, at));
    },
  );
  return app;
}

/** Whether it was called by the channel's secret, or by the one before. */
function isKnown(c: Context, channel: UssdChannel): boolean {
  const isNew = sameSecret(c.req.param('secret') ?? '', channel.secret);
  return isOld(c, channel) || isNew;
}

function isOld(c: Context, { previousSecret }: UssdChannel): boolean {
  return previousSecret !== undefined && sameSecret(c.req.param('secret') ?? '', previousSecret);
}

function rawOf(c: Context, body: string): RawRequest {
  const secret = c.req.param('secret') ?? '';
  const path = c.req.path.split(`/${secret}`).slice(1).join(`/${secret}`);
  return { body, query: c.req.query(), path: path.replace(/^\/+|\/+$/g, '') };
}

async function answer(
  deps: UssdRouteDeps,
  channel: UssdChannel,
  reading: Reading,
  outgoing: HttpBindings['outgoing'] | undefined,
): Promise<Answered> {
  const { clock, log } = deps;
  let late = false;
  try {
    return await withTimeout(clock, channel.replyWithinMs, (signal) => {
      signal.addEventListener('abort', () => {
        late = true;
      });
      return respond(deps, channel, reading, outgoing, signal);
    });
  } catch (fault) {
    const what = late ? 'a USSD request was not answered in time' : 'a USSD request could not be answered';
    log.error({ fault: messageOf(fault) }, what);
    // Too late, the turn may be on disk or not: nothing is said about money.
    return { reply: late ? slow(channel) : sorry(channel), at: clock.now() };
  }
}

async function respond(
  deps: UssdRouteDeps,
  channel: UssdChannel,
  reading: Reading,
  outgoing: HttpBindings['outgoing'] | undefined,
  signal: AbortSignal,
): Promise<Answered> {
  const { log, clock } = deps;
  switch (reading.kind) {
    case 'request':
      return take(deps, channel, reading.request, outgoing, signal);
    case 'notice': {
      const { reply, turn } = await endSession(deps, channel, reading.session, reading.ending);
      log.info({ dialogue: turn?.dialogueId, ending: reading.ending }, 'session ended');
      return { reply, at: turn?.at ?? clock.now() };
    }
    case 'probe': {
      const kind = (await isAlive(deps, channel, reading.session)) ? 'continue' : 'end';
      return { reply: { kind, text: '' }, at: clock.now() };
    }
    case 'unreadable':
      log.warn({ fields: reading.fields.size }, 'a USSD request could not be read');
      return { reply: sorry(channel), at: clock.now() };
    default:
      return unreachable(reading);
  }
}

async function take(
  deps: UssdRouteDeps,
  channel: UssdChannel,
  request: UssdRequest,
  outgoing: HttpBindings['outgoing'] | undefined,
  signal: AbortSignal,
): Promise<Answered> {
  const { clock, log } = deps;
  if (await deps.isPaused()) {
    log.info('a USSD request came while nobody is asked to pay');
    return { reply: sorry(channel), at: clock.now() };
  }
  const startedAt = clock.now();
  let held: string | undefined;
  const hold = (dialogueId: string) => {
    // A connection that broke before the reply was written tells its end to nobody who asks now.
    if (!outgoing || outgoing.closed || held === dialogueId) return;
    held = dialogueId;
    outgoing.once('close', deps.gate.hold(dialogueId));
  };
  const { reply, turn } = await converse(deps, channel, request, hold, signal);
  if (turn?.collectionId) deps.onOpened();
  const ms = clock.now() - startedAt;
  log.info({ dialogue: turn?.dialogueId, turn: turn?.sequence, reply: reply.kind, ms }, 'turn');
  return { reply, at: turn?.at ?? clock.now() };
}

/** In the menu's first language: the dialogue's own could not be read. */
function sorry({ merchant: { menu } }: UssdChannel): UssdReply {
  return { kind: 'end', text: faultText(menu, menu.languages[0] ?? '') };
}

function slow({ merchant: { menu } }: UssdChannel): UssdReply {
  return { kind: 'end', text: slowText(menu, menu.languages[0] ?? '') };
}

function wire({ contentType, body }: WireReply): Response {
  return new Response(body, { headers: { 'content-type': contentType, 'cache-control': 'no-store' } });
}

/** Compares digests, so that neither length nor content shows in the time it takes. */
function sameSecret(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}
