import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { RequestIdVariables } from 'hono/request-id';
import type { Reading, WireReply } from '../../aggregators/dialect.ts';
import type { RawRequest } from '../../aggregators/raw-request.ts';
import { faultText, numberNotSupportedText, slowText } from '../../menu/text/messages.ts';
import { type Clock, type EpochMs, withTimeout } from '../../shared/clock.ts';
import { messageOf, unreachable } from '../../shared/errors.ts';
import { grantAccess } from '../../shared/http/access.ts';
import { callerOf } from '../../shared/http/caller.ts';
import type { Log } from '../../shared/log.ts';
import type { LogSummary } from '../../shared/log-summary.ts';
import type { UssdReply, UssdRequest } from '../../shared/ussd.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { answerRequest, type DialogueAnswer } from './answer-request.ts';
import type { UssdChannel } from './channel.ts';
import { isChannelSecret, isPreviousSecret } from './channel-secret.ts';
import { endSession, isSessionAlive } from './end-session.ts';
import type { ReplyGate } from './reply-gate.ts';
import { ReplyTimes } from './reply-times.ts';
import type { DialogueDeps } from './types.ts';

export type UssdRouteDeps = DialogueDeps & {
  channel(id: string): UssdChannel | undefined;
  gate: ReplyGate;
  /** True while no collection may be opened: payers get an END screen that asks them to try again. */
  isPaused(): Promise<boolean>;
  /** Called after a collection was opened, so that the worker starts at once. */
  onCollection(): void;
  /** Addresses of proxies whose `x-forwarded-for` header is trusted. */
  trustedProxies: { has(address: string): boolean };
  log: Log;
  /** Requests with the right secret from other addresses than `allowFrom`. */
  forbiddenAddresses: LogSummary;
  metrics: Pick<Metrics, 'turn'>;
};

/** A USSD request has a few hundred bytes. */
const maxRequestBytes = 64 * 1024;

type Env = { Bindings: Partial<HttpBindings>; Variables: RequestIdVariables & { channel: UssdChannel } };

/** A reply, and its time. The time of a reply that a turn stores is the same for each repeat. */
type TimedReply = { reply: UssdReply; at: EpochMs; isStored: boolean };

/** One HTTP request of an aggregator. */
type Call = {
  channel: UssdChannel;
  reading: Reading;
  /** The response; absent without a socket. */
  outgoing: HttpBindings['outgoing'] | undefined;
};

/**
 * `/ussd/:channel/:secret`: the callback URL that a merchant registers with the aggregator, for screens and end notices.
 * Most aggregators use POST; some use GET, PUT for a notice, or append the session id to the path.
 *
 * A request with the right secret, from an allowed address where the channel lists any, always gets 200 and a valid
 * screen in the aggregator's format, whatever fails. Every other request gets 404 without details.
 */
export function ussdRoute(deps: UssdRouteDeps): Hono<Env> {
  const app = new Hono<Env>();
  const times = new ReplyTimes(deps.settings.dialogueLifetimeMs);
  app.on(
    ['GET', 'POST', 'PUT'],
    ['/ussd/:channel/:secret', '/ussd/:channel/:secret/*'],
    async (c, next) => {
      const channel = authorizedChannel(deps, c);
      if (!channel) return c.notFound();
      grantAccess(c.env);
      c.set('channel', channel);
      return next();
    },
    bodyLimit({
      maxSize: maxRequestBytes,
      onError: (c: Context<Env>) => {
        const channel = c.get('channel');
        const unread = channel.decode({ ...rawOf(c, ''), query: {} });
        return wireResponse(channel.encode(faultReply(channel), unread, deps.clock.now()));
      },
    }),
    async (c) => {
      const channel = c.get('channel');
      // When this field no longer appears, the merchant can remove the previous secret.
      const isPrevious = isPreviousSecret(channel, c.req.param('secret'));
      const previousSecret = isPrevious ? { by: 'previous secret' } : {};
      const log = deps.log.child({ request: c.get('requestId'), channel: channel.id, ...previousSecret });
      const reading = channel.decode(rawOf(c, await c.req.text()));
      const receivedAt = deps.clock.now();
      const call = { channel, reading, outgoing: c.env?.outgoing };
      const { reply, at, isStored } = await answer({ ...deps, log }, call);
      const session = sessionOf(reading);
      const now = deps.clock.now();
      const firstAt =
        isStored || session === undefined ? at : times.first(`${channel.id} ${session}`, reply.text, at, now);
      if (reading.kind === 'request') deps.metrics.turn(channel.id, reply.kind, now - receivedAt);
      return wireResponse(channel.encode(reply, reading, firstAt));
    },
  );
  return app;
}

/** The channel of a request, when its secret and its address are right. */
function authorizedChannel(deps: UssdRouteDeps, c: Context<Env>): UssdChannel | undefined {
  // Hono serves HEAD as GET, but a read-only request must not enter an input.
  if (c.req.method === 'HEAD') return undefined;
  const channel = deps.channel(c.req.param('channel') ?? '');
  const hasSecret = isChannelSecret(channel, c.req.param('secret') ?? '');
  if (!channel || !hasSecret) return undefined;
  if (!channel.allowFrom) return channel;
  const caller = callerOf(c.env?.incoming, c.req.header('x-forwarded-for'), deps.trustedProxies);
  if (caller !== undefined && channel.allowFrom.has(caller)) return channel;
  deps.forbiddenAddresses.record('outside_allow_from', { channel: channel.id, caller });
  return undefined;
}

function rawOf(c: Context, body: string): RawRequest {
  const secret = c.req.param('secret') ?? '';
  const path = c.req.path.split(`/${secret}`).slice(1).join(`/${secret}`);
  return { body, query: c.req.query(), path: path.replace(/^\/+|\/+$/g, '') };
}

/** Answers within the channel's time, and with an END screen when anything fails. */
async function answer(deps: UssdRouteDeps, call: Call): Promise<TimedReply> {
  const { clock, log } = deps;
  const { channel } = call;
  let isLate = false;
  try {
    return await withTimeout(clock, channel.replyWithinMs, (signal) => {
      signal.addEventListener('abort', () => {
        isLate = true;
      });
      return respond(deps, call, signal);
    });
  } catch (fault) {
    const failed = isLate
      ? 'a USSD request was not answered in time'
      : 'a USSD request could not be answered';
    log.error({ fault: messageOf(fault) }, failed);
    // After the time limit the turn may or may not be stored, so the screen makes no statement about money.
    return { reply: isLate ? slowReply(channel) : faultReply(channel), at: clock.now(), isStored: false };
  }
}

async function respond(deps: UssdRouteDeps, call: Call, signal: AbortSignal): Promise<TimedReply> {
  const { log, clock } = deps;
  const { channel, reading } = call;
  switch (reading.kind) {
    case 'request':
      return respondToRequest(deps, call, reading.request, signal);
    case 'notice': {
      const answered = await endSession(deps, channel, reading.session, reading.ending);
      log.info({ dialogue: answered.turn?.dialogueId, ending: reading.ending }, 'session ended');
      return timed(answered, clock);
    }
    case 'probe': {
      const kind = (await isSessionAlive(deps, channel, reading.session)) ? 'continue' : 'end';
      return { reply: { kind, text: '' }, at: clock.now(), isStored: false };
    }
    case 'unreadable':
      if (reading.isOtherNumber) {
        log.info(
          'a USSD request came from a number that cannot pay: a landline, or a number of another country',
        );
        return { reply: numberReply(channel), at: clock.now(), isStored: false };
      }
      log.warn({ fields: reading.fields.size }, 'a USSD request could not be read');
      return { reply: faultReply(channel), at: clock.now(), isStored: false };
    default:
      return unreachable(reading);
  }
}

async function respondToRequest(
  deps: UssdRouteDeps,
  { channel, outgoing }: Call,
  request: UssdRequest,
  signal: AbortSignal,
): Promise<TimedReply> {
  const { clock, log } = deps;
  if (await deps.isPaused()) {
    log.info('a USSD request arrived while collections are paused');
    return { reply: faultReply(channel), at: clock.now(), isStored: false };
  }
  const startedAt = clock.now();
  const onCollection = createPromptHold(deps.gate, outgoing);
  const answered = await answerRequest(deps, channel, request, { onCollection, signal });
  const { reply, turn } = answered;
  if (turn?.collectionId) {
    // Also for a repeated request: the payer may see this reply and not the first one.
    onCollection(turn.dialogueId);
    deps.onCollection();
  }
  const ms = clock.now() - startedAt;
  log.info({ dialogue: turn?.dialogueId, turn: turn?.sequence, reply: reply.kind, ms }, 'turn');
  return timed(answered, clock);
}

/** Returns a function that delays the prompt of a dialogue until the reply of this request has left. */
function createPromptHold(gate: ReplyGate, outgoing: Call['outgoing']): (dialogueId: string) => void {
  let registered: string | undefined;
  return (dialogueId) => {
    if (registered === dialogueId) return;
    registered = dialogueId;
    const release = gate.register(dialogueId);
    if (!outgoing) release('sent');
    // A connection that closed before the reply was written emits no further close event.
    else if (outgoing.closed) release('broken');
    else outgoing.once('close', () => release(outgoing.writableFinished ? 'sent' : 'broken'));
  };
}

function timed({ reply, turn, at }: DialogueAnswer, clock: Pick<Clock, 'now'>): TimedReply {
  return { reply, at: turn?.at ?? at ?? clock.now(), isStored: turn !== undefined };
}

function sessionOf(reading: Reading): string | undefined {
  if (reading.kind === 'request') return reading.request.session;
  return reading.kind === 'unreadable' ? undefined : reading.session;
}

/** In the menu's first language: the language of the dialogue could not be read. */
function faultReply({ merchant: { menu } }: UssdChannel): UssdReply {
  return { kind: 'end', text: faultText(menu, menu.languages[0] ?? '') };
}

function numberReply({ merchant: { menu } }: UssdChannel): UssdReply {
  return { kind: 'end', text: numberNotSupportedText(menu, menu.languages[0] ?? '') };
}

function slowReply({ merchant: { menu } }: UssdChannel): UssdReply {
  return { kind: 'end', text: slowText(menu, menu.languages[0] ?? '') };
}

function wireResponse({ contentType, body }: WireReply): Response {
  return new Response(body, { headers: { 'content-type': contentType, 'cache-control': 'no-store' } });
}
