import type { Hono } from 'hono';
import { z } from 'zod';
import { wireMsisdn } from '../../contract/session.ts';
import { parseMsisdn } from '../../shared/msisdn.ts';
import { jsonAnswer, refusalAnswer } from '../http/answer.ts';
import type { Env } from '../http/app.ts';
import { readFields } from '../http/body.ts';
import { refuse } from '../refusal.ts';
import { isoTime } from '../session/view.ts';
import type { Handset } from './simulated-rail.ts';

const approval = z.strictObject({ pin: z.string() });
const nothing = z.strictObject({});

/** The simulated phone over HTTP, for test sessions. Whoever holds a phone needs no key. */
export function handsetRoutes(app: Hono<Env>, handset: Handset): void {
  app.get('/handset/prompts', async (c) => {
    const asked = c.req.query('msisdn') ?? '';
    const payer = wireMsisdn.safeParse(asked).success ? asked : parseMsisdn(asked);
    if (payer === undefined) {
      return refusalAnswer(refuse('invalid_msisdn', { param: 'msisdn' }), c.get('requestId'));
    }
    const prompts = (await handset.pending(payer)).map((prompt) => ({
      id: prompt.id,
      session_id: prompt.sessionId,
      amount_minor: prompt.amountMinor,
      merchant_name: prompt.merchantName,
      expires_at: isoTime(prompt.expiresAt),
    }));
    return jsonAnswer(200, JSON.stringify({ prompts }));
  });

  app.post('/handset/prompts/:id/approve', async (c) => {
    const body = await readFields(c.req.raw, approval);
    if (body.kind === 'refused') return refusalAnswer(body, c.get('requestId'));
    const id = c.req.param('id');
    const done = await handset.approve(id, body.fields.pin);
    if (done.kind === 'refused') return refusalAnswer(done, c.get('requestId'));
    return jsonAnswer(200, JSON.stringify({ id, status: done.kind }));
  });

  app.post('/handset/prompts/:id/decline', async (c) => {
    const body = await readFields(c.req.raw, nothing);
    if (body.kind === 'refused') return refusalAnswer(body, c.get('requestId'));
    const id = c.req.param('id');
    const done = await handset.decline(id);
    if (done.kind === 'refused') return refusalAnswer(done, c.get('requestId'));
    return jsonAnswer(200, JSON.stringify({ id, status: done.kind }));
  });
}
