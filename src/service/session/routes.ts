import type { Context, Hono } from 'hono';
import { jsonAnswer, refusalAnswer } from '../http/answer.ts';
import type { Env } from '../http/app.ts';
import { readJson } from '../http/body.ts';
import { fingerprint, type Request as KeyedRequest, type Once } from '../idempotency/once.ts';
import { type Caller, checkOffline } from '../key/authenticate.ts';
import { type Refused, refuse } from '../refusal.ts';
import { type CreateSession, checkMode } from './create.ts';
import type { InitiateSession } from './initiate.ts';
import type { SessionStore } from './session-store.ts';
import { statusView } from './view.ts';

const keyPattern = /^[\x20-\x7e]{1,255}$/;

type Verbs = {
  authenticate(header: string | undefined): Promise<Caller | Refused>;
  once: Once;
  create: CreateSession;
  initiate: InitiateSession;
  sessions: SessionStore;
};

/** The three calls of the offline side, under `/v1/payments/sessions`. */
export function sessionRoutes(app: Hono<Env>, verbs: Verbs): void {
  const { authenticate, once } = verbs;

  app.post('/v1/payments/sessions', async (c) => {
    const answer = await create(c);
    return answer.kind === 'refused' ? refusalAnswer(answer, c.get('requestId')) : respond(answer);
  });
  app.post('/v1/payments/sessions/:id/initiate', async (c) => {
    const answer = await initiate(c, c.req.param('id'));
    return answer.kind === 'refused' ? refusalAnswer(answer, c.get('requestId')) : respond(answer);
  });
  app.get('/v1/payments/sessions/:id/status', async (c) => {
    const caller = await authenticate(c.req.header('authorization'));
    if (caller.kind === 'refused') return refusalAnswer(caller, c.get('requestId'));
    const session = await verbs.sessions.find(ownerOf(caller), c.req.param('id'));
    if (!session) return refusalAnswer(refuse('session_not_found'), c.get('requestId'));
    return jsonAnswer(200, JSON.stringify(statusView(session)));
  });

  async function create(c: Context<Env>) {
    const caller = await authenticate(c.req.header('authorization'));
    if (caller.kind === 'refused') return caller;
    const body = await readJson(c.req.raw);
    if (body.kind === 'refused') return body;
    const refused = checkMode(body.value) ?? checkOffline(caller);
    if (refused) return refused;
    const keyed = keyOf(c, body.bytes);
    if (keyed === undefined) return refuse('idempotency_key_required', { param: 'Idempotency-Key' });
    if (keyed.kind === 'refused') return keyed;
    const owner = ownerOf(caller);
    return once(owner, keyed, (keep) => verbs.create(owner, body.value, keep));
  }

  async function initiate(c: Context<Env>, id: string) {
    const caller = await authenticate(c.req.header('authorization'));
    if (caller.kind === 'refused') return caller;
    const body = await readJson(c.req.raw);
    if (body.kind === 'refused') return body;
    const stray = Object.keys(body.value)[0];
    if (stray !== undefined) return refuse('unknown_field', { param: stray.slice(0, 64) });
    const keyed = keyOf(c, body.bytes);
    if (keyed?.kind === 'refused') return keyed;
    const owner = ownerOf(caller);
    return once(owner, keyed, (keep) =>
      verbs.initiate({ ...owner, merchantName: caller.merchantName }, id, keep),
    );
  }
}

function ownerOf({ merchantId, livemode }: Caller) {
  return { merchantId, livemode };
}

function keyOf(c: Context<Env>, body: Uint8Array): (KeyedRequest & { kind: 'keyed' }) | Refused | undefined {
  const key = c.req.header('idempotency-key');
  if (key === undefined) return undefined;
  if (!keyPattern.test(key)) return refuse('invalid_idempotency_key', { param: 'Idempotency-Key' });
  return { kind: 'keyed', key, fingerprint: fingerprint(c.req.method, c.req.path, body) };
}

function respond(answer: { status: number; body: string; replayed: boolean }): Response {
  return jsonAnswer(answer.status, answer.body, answer.replayed ? { 'idempotent-replayed': 'true' } : {});
}
