import { Webhook } from 'standardwebhooks';
import { vi } from 'vitest';
import { notificationBody } from '../../src/contract/merchant/notification.ts';
import type { Config } from '../../src/gateway/config/schema.ts';
import type { WebhookFetch } from '../../src/shared/http/webhook-fetch.ts';
import { callStaff, withStaff } from './staff.ts';
import { createTill, type Till, type TillOptions } from './till.ts';

/** One verified notification, as the merchant's system got it. */
export type Notice = { id: string; at: number; type: string; data: Record<string, unknown>; body: string };

export type Receiver = {
  secrets: string[];
  received: Notice[];
  /** Requests whose signature did not match. */
  rejected: number;
  /** The answer to a request; by default 200. A thrown error is a failed connection. */
  answer(notice: Notice): { status: number; body?: string } | Promise<{ status: number; body?: string }>;
  fetch: WebhookFetch;
  types(): string[];
};

/** Creates a merchant's system that verifies each notification with the library of Standard Webhooks. */
function createReceiver(clock: { now(): number }): Receiver {
  const receiver: Receiver = {
    secrets: [],
    received: [],
    rejected: 0,
    answer: () => ({ status: 200, body: 'ok' }),
    types: () => receiver.received.map(({ type }) => type),
    async fetch(_url, { headers, body }) {
      if (!receiver.secrets.some((secret) => isSignedBy(secret, { headers, body, now: clock.now() }))) {
        receiver.rejected += 1;
        return respond(401, 'wrong signature');
      }
      const { type, data } = notificationBody.parse(JSON.parse(body));
      const notice = { id: headers['webhook-id'] ?? '', at: clock.now(), type, data, body };
      receiver.received.push(notice);
      const { status, body: text = '' } = await receiver.answer(notice);
      return respond(status, text);
    },
  };
  return receiver;
}

function isSignedBy(
  secret: string,
  { headers, body, now }: { headers: Record<string, string>; body: string; now: number },
): boolean {
  // The library compares the age with the system's time.
  vi.useFakeTimers({ now, toFake: ['Date'] });
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  } finally {
    vi.useRealTimers();
  }
}

function respond(status: number, body: string): Awaited<ReturnType<WebhookFetch>> {
  return { status, body: new Response(body).body };
}

/** Enables notifications. */
export function withNotify(config: Config): void {
  config.notify = { secretsKey: Buffer.alloc(32, 7).toString('base64'), allowPrivate: [] };
}

/** Creates a till whose gateway notifies a merchant's system, and that system. The gateway has an endpoint only once one is added. */
export async function createNotified(
  { configure, ...options }: TillOptions = {},
  create = createTill,
): Promise<{ till: Till; receiver: Receiver }> {
  let receiver: Receiver | undefined;
  const till = await create({
    ...options,
    configure(config) {
      withStaff(config);
      withNotify(config);
      configure?.(config);
    },
    overrides(clock) {
      receiver ??= createReceiver(clock);
      return { notifyFetch: receiver.fetch };
    },
  });
  if (!receiver) throw new Error('the gateway has not started');
  return { till, receiver };
}

/** Adds the system of the demo's merchant as an endpoint. Returns its id. */
export async function addEndpoint(till: Till, { secrets }: Receiver, options: { wholePayer?: boolean } = {}) {
  const body = { merchantId: 'demo-shop', url: 'https://shop.example/hooks', ...options };
  const added = await callStaff(till, 'adwoa', '/endpoints', body);
  const { endpoint, secret } = added.body as { endpoint: { id: string }; secret: string };
  secrets.push(secret);
  return endpoint.id;
}
