import { createHmac } from 'node:crypto';
import type { ServiceOverrides } from '../../../src/service/config.ts';
import { minute } from '../../kit/clock.ts';
import { createFaults } from '../faults.ts';
import type { Host } from '../machine.ts';
import { type WebhookEvent, webhookSecretOf } from '../oracle/events.ts';
import type { Part } from '../scene.ts';

export type WebhookNetworkDeps = Part & {
  machine: Pick<Host, 'request'>;
  /** Returns the merchant of a session. */
  ownerOf(sessionId: string): string | undefined;
  record(what: string): void;
};

type Send = NonNullable<ServiceOverrides['fetch']>;
type WebhookRequest = Parameters<Send>[1];

/** Simulates the network of webhooks from the service to the gateway: it loses, duplicates and delays them. */
export function createWebhookNetwork({
  scheduler,
  has,
  machine,
  record,
  count,
  violate,
  ...deps
}: WebhookNetworkDeps) {
  const random = deps.random.fork('webhook_network');
  const faults = createFaults({ random, has, count });
  const { may, of } = faults;
  const acknowledged = new Map<string, WebhookEvent>();
  /** The body of the first attempt of each event. Later attempts must send the same. */
  const bodies = new Map<string, string>();

  /** Checks a delivery: it goes to the owner of the session, with a valid signature of these bytes. */
  function check(merchant: string, { headers, body }: WebhookRequest): void {
    const { id, data } = JSON.parse(body) as { id: string; data: { id: string } };
    if (deps.ownerOf(data.id) !== merchant) violate('service events', `${id} is sent to ${merchant}`);
    const t = Math.floor(scheduler.now() / 1000);
    const v1 = createHmac('sha256', webhookSecretOf(merchant)).update(`${t}.${body}`).digest('hex');
    if (headers['service-signature'] !== `t=${t},v1=${v1}`)
      violate('service signatures', `${id} is signed ${headers['service-signature']}, not t=${t},v1=${v1}`);
    if (headers['service-event-id'] !== id)
      violate('service signatures', `${id} is sent as ${headers['service-event-id']}`);
    const before = bodies.get(id);
    if (before !== undefined && before !== body)
      violate('service events', `${id} was ${before}, and is sent as ${body}`);
    bodies.set(id, body);
  }

  /** Delivers a copy to the gateway. Resolves with its status, or `undefined` without a response. */
  async function carry(url: string, { headers, body }: WebhookRequest): Promise<number | undefined> {
    await scheduler.sleep(random.int(5, 300));
    const answer = await machine.request(url, { method: 'POST', headers, body });
    const { id, type, data } = JSON.parse(body) as { id: string; type: string; data: { id: string } };
    record(`delivers ${id} (${type} of ${data.id}): ${answer?.status ?? 'no answer'}`);
    if (answer?.status !== 200) return answer?.status;
    count('acknowledged');
    acknowledged.set(id, { id, type, merchant: merchantOf(url), body, sessionId: data.id });
    return 200;
  }

  /** Resolves with the status that the service receives. */
  async function exchange(url: string, request: WebhookRequest): Promise<number | undefined> {
    // Sometimes another server responds instead of the gateway.
    if (may('events_lost', 0.5)) return of('events_lost').pick([undefined, undefined, 302, 404, 500, 503]);
    if (may('events_duplicated', 0.5)) {
      const own = of('events_duplicated');
      for (let copy = own.int(1, 3); copy > 0; copy--)
        scheduler.after(own.int(0, 10 * minute), () => void carry(url, request));
    }
    if (may('events_late', 0.4)) await scheduler.sleep(of('events_late').int(1, 240) * minute);
    const status = await carry(url, request);
    return may('events_lost', 0.2) ? undefined : status;
  }

  const send: Send = (url, request) =>
    new Promise((resolve, reject) => {
      check(merchantOf(url), request);
      const { signal } = request;
      const giveUp = () => reject(signal.reason ?? new Error('aborted'));
      signal.addEventListener('abort', giveUp, { once: true });
      exchange(url, request).then((status) => {
        if (status !== undefined) resolve({ status, body: null });
        // Silence lasts until the sender's timeout; a broken connection is a reset.
        else if (random.happens(0.5)) reject(new Error('ECONNRESET'));
      }, reject);
    });

  return {
    send,
    /** Webhooks that the gateway acknowledged with 2xx. */
    acknowledged,
    heal: faults.heal,
  };
}

const merchantOf = (url: string) => new URL(url).pathname.slice('/webhooks/'.length);
