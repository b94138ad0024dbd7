import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { z } from 'zod';
import { scopes as allScopes } from '../../src/contract/service/admin.ts';
import type { Rail, ReportRailResult } from '../../src/service/rail/rail.ts';
import { ask } from './admin-client.ts';
import { type Bench, create, initiate, json, pushed, type Received } from './support.ts';

export const url = 'https://merchant.example/hook';
export const secret = 'a-secret-of-the-merchant';

export const hour = 3_600_000;
export const day = 24 * hour;

/** A merchant whose test events go to `url`, signed with `secret`. */
export async function withEndpoint(bench: Bench): Promise<{ merchantId: string; key: string }> {
  const { id: merchantId } = await bench.service.createMerchant({ name: 'Abena Stores' });
  await bench.service.approveOffline(merchantId);
  const { key } = await bench.service.createKey({ merchantId, livemode: false, scopes: allScopes });
  await bench.service.setWebhook({ merchantId, livemode: false, url, secret });
  return { merchantId, key };
}

/** Has a payer pay; answers the session's id. */
export async function pay(bench: Bench, key: string): Promise<string> {
  const { id, promptId } = await pushed(bench, key);
  await bench.service.phone.approve(promptId, '1234');
  await bench.clock.advance(0);
  return id;
}

/** A live rail whose payers pay before the push is even answered. */
export const payingRail = (report: ReportRailResult): Rail => ({
  async push({ sessionId, amountMinor }) {
    const at = Date.parse('2026-03-06T09:00:00Z');
    await report({ sessionId, outcome: 'approved', chargedMinor: amountMinor, at });
    return { kind: 'accepted' };
  },
  inquire: async () => ({ kind: 'pending' }),
  round: async () => undefined,
});

/** Has a live payer pay on a `payingRail`. */
export async function payLive(bench: Bench, liveKey: string): Promise<string> {
  const id = await create(bench, liveKey);
  expect((await initiate(bench, liveKey, id)).status).toBe(200);
  await bench.clock.advance(0);
  return id;
}

/** A call of the back office. */
export const admin = (bench: Bench, method: string, path: string, body?: unknown, idempotencyKey?: string) =>
  ask(bench, method, path, body, idempotencyKey === undefined ? {} : { idempotencyKey });

const objects = z.array(z.record(z.string(), z.unknown()));

export async function deliveries(bench: Bench, merchantId: string, query = '') {
  const answer = await admin(bench, 'GET', `/merchants/${merchantId}/deliveries${query}`);
  return objects.parse((await json(answer)).data);
}

/** An event's delivery with its log. */
export async function delivery(bench: Bench, eventId: unknown) {
  const { attempts_log: log, ...rest } = await json(await admin(bench, 'GET', `/events/${eventId}`));
  return { ...rest, log: objects.parse(log) };
}

export async function endpoints(bench: Bench, merchantId: string) {
  const answer = await admin(bench, 'GET', `/merchants/${merchantId}/webhooks`);
  return objects.parse((await json(answer)).data);
}

/** The id of the event that a delivery carried. */
export const idOf = (received: Received | undefined) => received?.headers.get('service-event-id') ?? '';

/** A delivery's signature header, taken apart. */
export function signatures(received: Received | undefined) {
  const [t, ...v1] = (received?.headers.get('service-signature') ?? '').split(',');
  return { t: t?.slice(2), v1: v1.map((part) => part.slice(3)) };
}

export const hmac = (key: string, t: string | undefined, body: string | undefined) =>
  createHmac('sha256', key).update(`${t}.${body}`).digest('hex');

/** An endpoint that never answers. */
export const hangs = (_: Received, signal: AbortSignal) =>
  new Promise<Response>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

export const takes = async () => Response.json({ received: true });

export const fails = async () => new Response('no', { status: 500 });
