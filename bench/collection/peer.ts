import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Pool } from 'undici';
import { tills, webhookSecret } from './tills.ts';

/*
 * The least that a peer of the gateway does: it creates sessions with a fee of one per cent, accepts their prompts, reports
 * each session as paid in a signed webhook, and agrees in the status poll. It stores everything in memory, so that the
 * gateway is the bottleneck.
 */

type Session = { id: string; created: string; amounts: object; merchant: string; paidAt?: string };

/**
 * What happened at the peer: `confirmed` counts the sessions whose payment a poll has confirmed, `polled` all polls, and
 * `waiting` the calls without an answer.
 */
export type PeerCounts = {
  created: number;
  initiated: number;
  delivered: number;
  confirmed: number;
  polled: number;
  waiting: number;
};

const merchants = new Map(tills.map(({ key, merchant }) => [`Bearer ${key}`, merchant]));
const path = /^\/v1\/payments\/sessions(?:\/(\w+)\/(initiate|status))?$/;

const statusOf = (id: string, status: string, paidAt?: string) => ({
  ...{ id, status, terminal: status === 'paid', paid_at: paidAt ?? null },
  retry_after_seconds: null,
});

/** Creates the peer. `deliverTo` sets the address of the gateway before the first prompt. */
export function createPeer() {
  const byKey = new Map<string, Session>();
  const byId = new Map<string, Session>();
  const confirmed = new Set<string>();
  const counts: PeerCounts = { created: 0, initiated: 0, delivered: 0, confirmed: 0, polled: 0, waiting: 0 };
  let gateway: Pool | undefined;

  function create({ headers }: IncomingMessage, body: string): Session {
    const key = String(headers['idempotency-key']);
    const known = byKey.get(key);
    if (known) return known;
    const request = JSON.parse(body);
    const id = `pay_${String(++counts.created).padStart(26, '0')}`;
    const fee = Math.ceil(request.amount_minor / 100);
    const amounts = {
      goods_minor: request.amount_minor,
      amount_minor: request.amount_minor + fee,
      expected_fee_minor: fee,
      expected_net_minor: request.amount_minor,
    };
    const { network, reference, msisdn } = request;
    const payer = { reference, payer_msisdn: `0${String(msisdn).slice(3)}` };
    const view = { id, mode: 'offline', channel: 'ussd', network, ...amounts, status: 'created', ...payer };
    const merchant = merchants.get(String(headers.authorization)) ?? '';
    const session = { id, created: JSON.stringify(view), amounts: { ...amounts, reference }, merchant };
    byKey.set(key, session);
    byId.set(id, session);
    return session;
  }

  async function deliver({ id, amounts, merchant, paidAt }: Session): Promise<void> {
    const event = `evt_${id.slice(4)}`;
    const data = { id, status: 'paid', ...amounts, paid_at: paidAt };
    const body = JSON.stringify({
      ...{ id: event, type: 'payment.session.paid', created_at: paidAt, livemode: false },
      data,
    });
    const answer = await gateway?.request({
      path: `/webhooks/${merchant}`,
      method: 'POST',
      headers: signedHeaders(event, body),
      body,
    });
    await answer?.body.dump();
    if (answer?.statusCode !== 200) throw new Error(`the webhook was answered with ${answer?.statusCode}`);
    counts.delivered++;
  }

  function answer(request: IncomingMessage, body: string): { status: number; body: string } {
    const [, id = '', call] = path.exec(request.url ?? '') ?? [];
    if (call === undefined) return { status: 201, body: create(request, body).created };
    if (call === 'status') counts.polled++;
    const session = byId.get(id);
    // The sessions of a ledger that was there before wait for their payers.
    if (!session && call === 'status')
      return { status: 200, body: JSON.stringify(statusOf(id, 'initiated')) };
    if (!session) return { status: 404, body: '{"error":{"code":"session_not_found","message":"-"}}' };
    if (call === 'initiate') {
      counts.initiated++;
      session.paidAt = new Date().toISOString();
      setImmediate(() => void deliver(session));
      return {
        status: 200,
        body: JSON.stringify({ id, status: 'initiated', mode: 'offline', channel: 'ussd' }),
      };
    }
    const isPaid = session.paidAt !== undefined;
    if (isPaid) confirmed.add(id);
    counts.confirmed = confirmed.size;
    const status = isPaid ? 'paid' : 'created';
    const polled = statusOf(id, status, session.paidAt);
    return { status: 200, body: JSON.stringify(polled) };
  }

  let isHanging = false;
  const waiting: (() => void)[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const send = () => {
        const { status, body } = answer(request, Buffer.concat(chunks).toString('utf8'));
        response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      };
      if (!isHanging) return send();
      waiting.push(send);
      counts.waiting = waiting.length;
    });
  });
  return {
    server,
    counts,
    /** Answers no request until it is called with false, and then also those that waited. */
    hang(on: boolean): void {
      isHanging = on;
      if (on) return;
      for (const send of waiting.splice(0)) send();
      counts.waiting = 0;
    },
    deliverTo(url: string): void {
      gateway = new Pool(url, { connections: 16, pipelining: 1 });
    },
  };
}

/** Returns the headers of a webhook delivery at the present time. */
export function signedHeaders(eventId: string, body: string): Record<string, string> {
  const t = Math.floor(Date.now() / 1000);
  const v1 = createHmac('sha256', webhookSecret).update(`${t}.${body}`).digest('hex');
  return {
    'content-type': 'application/json',
    'service-event-id': eventId,
    'service-signature': `t=${t},v1=${v1}`,
  };
}
