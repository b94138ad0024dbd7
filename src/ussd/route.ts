import { createHash, timingSafeEqual } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { RequestIdVariables } from 'hono/request-id';
import { faultText } from '../menu/messages.ts';
import { messageOf } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { type Channel, converse, type DialogueDeps } from './dialogue.ts';
import type { ReplyGate } from './reply-gate.ts';
import type { Aggregator, UssdReply, UssdRequest, WireReply } from './turn.ts';

export type UssdChannel = Channel & { aggregator: Aggregator; secret: string; serviceCode: string };

export type UssdRouteDeps = DialogueDeps & {
  channel(id: string): UssdChannel | undefined;
  gate: ReplyGate;
  /** Called after a collection was opened, so that the worker need not wait for its next round. */
  onOpened(): void;
  log: Log;
};

/** A USSD request is a few hundred bytes. */
const largestRequestBytes = 64 * 1024;

type Env = { Bindings: Partial<HttpBindings>; Variables: RequestIdVariables };

/**
 * `POST /ussd/:channel/:secret`: the callback URL that a merchant enters at the aggregator.
 *
 * Whoever knows the secret always gets 200 and a valid screen in the aggregator's own shape, whatever went wrong;
 * whoever does not gets 404 and learns nothing.
 */
export function ussdRoute(deps: UssdRouteDeps): Hono<Env> {
  const app = new Hono<Env>();
  const known = (c: Context): UssdChannel | undefined => {
    const channel = deps.channel(c.req.param('channel') ?? '');
    return channel && sameSecret(c.req.param('secret') ?? '', channel.secret) ? channel : undefined;
  };
  app.post(
    '/ussd/:channel/:secret',
    async (c, next) => (known(c) ? next() : c.notFound()),
    bodyLimit({
      maxSize: largestRequestBytes,
      onError: (c) => {
        const channel = known(c);
        return channel ? wire(channel.aggregator.encode(sorry(channel), undefined)) : c.notFound();
      },
    }),
    async (c) => {
      const channel = known(c);
      if (!channel) return c.notFound();
      const raw = { body: await c.req.text(), query: c.req.query() };
      const request = channel.aggregator.decode(raw, channel.serviceCode);
      const log = deps.log.child({ request: c.get('requestId'), channel: channel.id });
      const reply = request
        ? await answer({ ...deps, log }, channel, request, c.env?.outgoing)
        : sorry(channel);
      if (!request) log.warn('a USSD request could not be read');
      return wire(channel.aggregator.encode(reply, request));
    },
  );
  return app;
}

async function answer(
  deps: UssdRouteDeps,
  channel: UssdChannel,
  request: UssdRequest,
  outgoing: HttpBindings['outgoing'] | undefined,
): Promise<UssdReply> {
  const startedAt = deps.clock.now();
  const hold = (dialogueId: string) => {
    // A connection that broke before the reply was written tells its end to nobody who asks now.
    if (outgoing && !outgoing.closed) outgoing.once('close', deps.gate.hold(dialogueId));
  };
  try {
    const { reply, turn } = await converse(deps, channel, request, hold);
    if (turn?.collectionId) deps.onOpened();
    const ms = deps.clock.now() - startedAt;
    deps.log.info({ dialogue: turn?.dialogueId, turn: turn?.sequence, reply: reply.kind, ms }, 'turn');
    return reply;
  } catch (fault) {
    deps.log.error({ fault: messageOf(fault) }, 'a USSD request could not be answered');
    return sorry(channel);
  }
}

function sorry({ merchant }: Channel): UssdReply {
  return { kind: 'end', text: faultText(merchant.menu, '') };
}

function wire({ contentType, body }: WireReply): Response {
  return new Response(body, { headers: { 'content-type': contentType } });
}

/** Compares digests, so that neither length nor content shows in the time it takes. */
function sameSecret(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}
