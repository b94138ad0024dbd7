import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { onTestFinished } from 'vitest';
import { formatCedis, parseCedis } from '../../src/shared/money.ts';
import { fitScreen } from '../../src/shared/screen-text.ts';
import type { Entry, UssdReply, UssdRequest } from '../../src/shared/ussd.ts';
import type { PendingPrompt } from '../../src/simulator/prompts.ts';
import { settle, type TestClock } from '../kit/clock.ts';
import { aggregatorOf, createDialect } from '../kit/dialects.ts';
import { freePort } from '../process/free-port.ts';

export type Peer = {
  url: string;
  /** The parsed requests, in order of arrival. */
  requests: UssdRequest[];
  prompts: PendingPrompt[];
  /** Prompts of the second phone, 0201234567. */
  elsewhere: PendingPrompt[];
  /** The number of polls for prompts. */
  polls: number;
  /** The number of attempts to answer a prompt. */
  decisions: number;
};

export type PeerOptions = {
  serviceCode?: string;
  /** The number of polls after the session's end that return no prompt yet. */
  latePolls?: number;
  /** The behaviour of the payer's magic number. */
  magic?: string;
  /** Runs before the gateway answers with the last screen of a payment. */
  ended?: () => Promise<void>;
};

/** Returns the screens of a small menu: pay an amount, for the own or another number, or exit. */
function screenAfter(answers: readonly string[]): UssdReply {
  const [first, number, ...rest] = answers;
  if (first === '3') {
    return number === undefined ? { kind: 'continue', text: 'Number?' } : screenAfter(['1', ...rest]);
  }
  const [choice, amount, yes] = answers;
  if (choice === undefined) return { kind: 'continue', text: 'Demo Shop\n1. Pay\n2. Exit' };
  if (choice !== '1') return { kind: 'end', text: 'Thank you.' };
  const minor = parseCedis(amount ?? '');
  if (minor === undefined) return { kind: 'continue', text: 'Amount in GHS?' };
  if (yes === undefined) return { kind: 'continue', text: `Pay ${formatCedis(minor)}?\n1. Yes` };
  return { kind: 'end', text: 'Approve the prompt on your phone.' };
}

function answersOf(entry: Entry, before: readonly string[]): string[] {
  switch (entry.kind) {
    case 'dialled':
      return [...entry.suffix];
    case 'typed':
      return [...before, entry.input];
    case 'cumulative':
      return entry.text === '' ? [] : entry.text.split('*');
  }
}

async function listen(app: Hono): Promise<string> {
  const server = await new Promise<ReturnType<typeof serve>>((resolve) => {
    const started = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(started));
  });
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/**
 * Starts a gateway of one menu and a simulated phone, on a real port. Each channel has the name of its aggregator and the
 * secret `s3cret`. The real dialects read and write the screens.
 */
export async function startPeer({
  serviceCode = '*713*5#',
  latePolls = 0,
  magic,
  ended,
}: PeerOptions = {}): Promise<Peer> {
  const app = new Hono();
  const sessions = new Map<string, string[]>();
  const peer: Peer = { url: '', requests: [], prompts: [], elsewhere: [], polls: 0, decisions: 0 };
  let hidden = 0;

  app.on(['GET', 'POST', 'PUT'], ['/ussd/:channel/s3cret', '/ussd/:channel/s3cret/*'], async (c) => {
    const channel = c.req.param('channel') ?? '';
    const dialect = createDialect(channel, serviceCode);
    const path = c.req.path.split('/s3cret/')[1] ?? '';
    const reading = dialect.decode({ body: await c.req.text(), query: c.req.query(), path });
    if (reading.kind !== 'request') return c.text('unreadable', 400);
    const { request } = reading;
    peer.requests.push(request);
    const answers = answersOf(request.entry, sessions.get(request.session) ?? []);
    sessions.set(request.session, answers);
    const screen = screenAfter(answers);
    const isOther = answers[0] === '3';
    if (screen.kind === 'end' && (isOther || answers[0] === '1')) {
      await ended?.();
      hidden = latePolls;
      const prompts = isOther ? peer.elsewhere : peer.prompts;
      prompts.push({
        id: `prm_${peer.prompts.length + peer.elsewhere.length + 1}`,
        session_id: 'pay_1',
        amount_minor: (parseCedis(answers[isOther ? 2 : 1] ?? '') ?? 0) + 20,
        merchant_name: 'Demo Shop',
        expires_at: '2026-03-06T09:05:00.000Z',
        ...(magic === undefined ? {} : { magic }),
      });
    }
    const text = fitScreen(screen.text, aggregatorOf(channel).style);
    const reply = dialect.encode({ ...screen, text }, reading, 0);
    return c.body(reply.body, 200, { 'content-type': reply.contentType });
  });

  app.get('/handset/prompts', (c) => {
    peer.polls++;
    if (c.req.query('msisdn') === '0201234567' && peer.elsewhere.length > 0) {
      return c.json({ data: peer.elsewhere, has_more: false, next_cursor: null });
    }
    if (c.req.query('msisdn') !== '0244123456') {
      return c.json({ error: { code: 'invalid_msisdn', message: 'No.' } }, 400);
    }
    const visible = hidden-- > 0 ? peer.prompts.slice(0, -1) : peer.prompts;
    return c.json({ data: visible, has_more: false, next_cursor: null });
  });

  const close = (id: string) => {
    return [peer.prompts, peer.elsewhere].some((prompts) => {
      const at = prompts.findIndex((one) => one.id === id);
      if (at >= 0) prompts.splice(at, 1);
      return at >= 0;
    });
  };
  app.post('/handset/prompts/:id/approve', async (c) => {
    const { pin } = await c.req.json<{ pin: string }>();
    peer.decisions++;
    if (pin === '0000') return c.json({ error: { code: 'wrong_pin', message: 'Wrong PIN.' } }, 403);
    if (close(c.req.param('id'))) return c.json({ id: c.req.param('id'), status: 'approved' });
    return c.json({ error: { code: 'prompt_not_found', message: 'No such prompt.' } }, 404);
  });
  app.post('/handset/prompts/:id/decline', (c) => {
    peer.decisions++;
    if (close(c.req.param('id'))) return c.json({ id: c.req.param('id'), status: 'declined' });
    return c.json({ error: { code: 'prompt_not_found', message: 'No such prompt.' } }, 404);
  });

  peer.url = await listen(app);
  return peer;
}

/** Starts a server with one answer to every request. Without an answer, it never answers. */
export async function startServer(answer?: Response): Promise<{ url: string; asked: Promise<void> }> {
  const app = new Hono();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  app.all('*', () => {
    ask();
    return answer?.clone() ?? new Promise<Response>(() => {});
  });
  return { url: await listen(app), asked };
}

/** Returns a URL of a closed port. */
export async function closedUrl(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}

/** Creates ids with a counter. */
export function countingIds() {
  let last = 0;
  return {
    next: (prefix: string) => `${prefix}_${++last}`,
    secret: () => 's',
    digits: (count: number) => '0'.repeat(count),
    random: () => 0,
  };
}

/** Advances the clock by the short waits between polls until the work is done, but not by the long timeouts of requests. */
export async function passWaits<T>(clock: TestClock, work: Promise<T>): Promise<T> {
  let done = false;
  const watched = work.finally(() => {
    done = true;
  });
  while (!done) {
    await settle();
    const wake = clock.nextWake();
    if (wake !== undefined && wake - clock.now() <= 1000) await clock.advance(wake - clock.now());
  }
  return watched;
}
