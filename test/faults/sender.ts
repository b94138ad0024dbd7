import { signPayload } from '../../src/service/webhook/attempt.ts';
import { webhookSecret } from '../kit/till.ts';
import type { Shop } from '../process/shop.ts';

/** Creates a sender of events about sessions of other channels. */
export function createSender(shop: Shop) {
  const taken = new Set<string>();

  /** Sends one event. Resolves with the status, or `undefined` without a response. */
  async function send(): Promise<number | undefined> {
    const id = shop.ids.next('evt');
    const body = JSON.stringify({
      id,
      type: 'payment.session.paid',
      created_at: new Date(shop.clock.now()).toISOString(),
      data: { id: `pay_elsewhere_${id}`, status: 'paid' },
    });
    try {
      const { ok, status } = await fetch(`${shop.url()}/webhooks/demo-shop`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'service-signature': signPayload([webhookSecret], shop.clock.now(), body),
        },
        body,
      });
      if (ok) taken.add(id);
      return status;
    } catch {
      return undefined;
    }
  }

  return {
    send,
    /** Ids of the events that were acknowledged with 2xx. */
    taken,
  };
}
