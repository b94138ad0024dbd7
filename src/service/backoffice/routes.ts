import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { jsonAnswer, refusalAnswer } from '../http/answer.ts';
import type { Env } from '../http/app.ts';
import { bearerToken, sameDigest, sha256 } from '../http/bearer.ts';
import { readFields } from '../http/body.ts';
import type { ApiKey, Merchant } from '../merchant/merchant-store.ts';
import { type Refused, refuse } from '../refusal.ts';
import { isoTime } from '../session/view.ts';
import type { Event } from '../webhook/event-store.ts';
import type { BackOffice } from './verbs.ts';

const listLimit = 100;

const livemode = z.boolean();
const newMerchant = z.strictObject({ name: z.string().trim().min(1).max(100) });
const newKey = z.strictObject({
  livemode,
  scopes: z.array(z.string().min(1).max(64)).max(16).optional(),
});
const newEndpoint = z.strictObject({ livemode, url: z.string(), secret: z.string().optional() });
const rotation = z.strictObject({ livemode });

/** The back office's JSON API, behind the admin token. */
export function backOfficeRoutes(app: Hono<Env>, verbs: BackOffice, adminToken: string): void {
  const adminDigest = sha256(adminToken);

  app.use('/backoffice/*', async (c, next) => {
    const token = bearerToken(c.req.header('authorization'));
    if (token === undefined || !sameDigest(sha256(token), adminDigest)) {
      return refusalAnswer(refuse('invalid_admin_token'), c.get('requestId'));
    }
    return next();
  });

  app.get('/backoffice/merchants', async (c) => {
    const merchants = await verbs.listMerchants({ limit: listLimit, after: c.req.query('after') });
    return json(200, { merchants: merchants.map(merchantView) });
  });
  app.post('/backoffice/merchants', async (c) => {
    const body = await readFields(c.req.raw, newMerchant);
    if (body.kind === 'refused') return refused(c, body);
    return json(201, merchantView(await verbs.createMerchant(body.fields)));
  });
  app.post('/backoffice/merchants/:id/approve-offline', async (c) => {
    const merchant = await verbs.approveOffline(c.req.param('id'));
    return merchant.kind === 'refused' ? refused(c, merchant) : json(200, merchantView(merchant));
  });

  app.get('/backoffice/merchants/:id/keys', async (c) => {
    const keys = await verbs.listKeys({ merchantId: c.req.param('id'), limit: listLimit });
    return json(200, { keys: keys.map(keyView) });
  });
  app.post('/backoffice/merchants/:id/keys', async (c) => {
    const body = await readFields(c.req.raw, newKey);
    if (body.kind === 'refused') return refused(c, body);
    const { livemode, scopes } = body.fields;
    const made = await verbs.createKey({
      merchantId: c.req.param('id'),
      livemode,
      ...(scopes === undefined ? {} : { scopes }),
    });
    return made.kind === 'refused' ? refused(c, made) : json(201, { id: made.id, key: made.key });
  });
  app.post('/backoffice/keys/:id/revoke', async (c) => {
    const done = await verbs.revokeKey(c.req.param('id'));
    return done.kind === 'refused' ? refused(c, done) : json(200, { id: c.req.param('id'), revoked: true });
  });

  app.put('/backoffice/merchants/:id/webhook', async (c) => {
    const body = await readFields(c.req.raw, newEndpoint);
    if (body.kind === 'refused') return refused(c, body);
    const { livemode, url, secret } = body.fields;
    const set = await verbs.setWebhook({
      merchantId: c.req.param('id'),
      livemode,
      url,
      ...(secret === undefined ? {} : { secret }),
    });
    return set.kind === 'refused' ? refused(c, set) : json(200, { url, livemode, secret: set.secret });
  });
  app.post('/backoffice/merchants/:id/webhook/rotate', async (c) => {
    const body = await readFields(c.req.raw, rotation);
    if (body.kind === 'refused') return refused(c, body);
    const merchantId = c.req.param('id');
    const rotated = await verbs.rotateSecret({ merchantId, livemode: body.fields.livemode });
    return rotated.kind === 'refused' ? refused(c, rotated) : json(200, { secret: rotated.secret });
  });

  app.get('/backoffice/merchants/:id/deliveries', async (c) => {
    const events = await verbs.listDeliveries({
      merchantId: c.req.param('id'),
      livemode: c.req.query('livemode') === 'true',
      limit: listLimit,
      before: c.req.query('before'),
    });
    return json(200, { deliveries: events.map(deliveryView) });
  });
}

function json(status: number, value: unknown): Response {
  return jsonAnswer(status, JSON.stringify(value));
}

function refused(c: Context<Env>, refusal: Refused): Response {
  return refusalAnswer(refusal, c.get('requestId'));
}

function maybeTime(at: number | null): string | null {
  return at === null ? null : isoTime(at);
}

function merchantView(merchant: Merchant) {
  return {
    id: merchant.id,
    name: merchant.name,
    offline_approved_at: maybeTime(merchant.offlineApprovedAt),
    created_at: isoTime(merchant.createdAt),
  };
}

function keyView(key: ApiKey) {
  return {
    id: key.id,
    livemode: key.livemode === 1,
    ending: key.ending,
    scopes: JSON.parse(key.scopes),
    created_at: isoTime(key.createdAt),
    revoked_at: maybeTime(key.revokedAt),
  };
}

function deliveryView(event: Event) {
  return {
    event_id: event.id,
    type: event.type,
    session_id: event.sessionId,
    state: event.state,
    attempts: event.attempts,
    created_at: isoTime(event.createdAt),
    last_attempt_at: maybeTime(event.lastAttemptAt),
    last_status: event.lastStatus,
    last_error: event.lastError,
    next_attempt_at: maybeTime(event.nextAt),
  };
}
