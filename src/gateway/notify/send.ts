import type { Clock } from '../../shared/clock.ts';
import { createDeadlines, type Deadline } from '../../shared/deadlines.ts';
import { isAddressRejected } from '../../shared/http/checked-fetch.ts';
import { createExcerptReader, type WebhookFetch } from '../../shared/http/webhook-fetch.ts';
import { signRequest } from '../../shared/standard-webhook.ts';
import type { Notification } from './notification-store.ts';

/** Time limit of one attempt, as Standard Webhooks recommends. */
export const sendTimeoutMs = 15_000;

/** How an attempt ended: with an HTTP status, or without a response. */
export type SendResult = { durationMs: number } & (
  | { status: number; error: null; answer: string | null | Promise<string | null> }
  | { status: null; error: 'timeout' | 'connection' | 'address_refused' | 'secret_unreadable' }
);

export type SendNotification = (
  notification: Pick<Notification, 'eventId' | 'merchantId' | 'body'>,
  target: { url: string; secrets: readonly string[] },
) => Promise<SendResult>;

/**
 * Sends a notification once. Never rejects, and follows no redirect.
 *
 * @param deps.fetchFor returns the client for the notifications of a merchant.
 */
export function createSend(deps: {
  fetchFor(merchantId: string): WebhookFetch;
  networkClock: Clock;
}): SendNotification {
  const { networkClock } = deps;
  const within = createDeadlines(networkClock);
  const readExcerpt = createExcerptReader(networkClock);
  return async ({ eventId: id, merchantId, body }, { url, secrets }) => {
    const startedAt = networkClock.now();
    const duration = () => ({ durationMs: Math.max(0, networkClock.now() - startedAt) });
    const ending = new AbortController();
    let deadline: Deadline | undefined;
    try {
      const response = await within(sendTimeoutMs, (limit) => {
        deadline = limit;
        return deps.fetchFor(merchantId)(url, {
          method: 'POST',
          redirect: 'manual',
          signal: ending.signal,
          headers: {
            'content-type': 'application/json',
            'user-agent': 'dialtill',
            // The receiver compares the time with its own clock, which does not follow a test clock.
            ...signRequest(secrets, { id, at: networkClock.now(), body }),
          },
          body,
        });
      });
      const answer = readExcerpt(response.body, ending.signal);
      return { ...duration(), status: response.status, error: null, answer };
    } catch (fault) {
      ending.abort(fault);
      const error = deadline?.aborted
        ? 'timeout'
        : isAddressRejected(fault)
          ? 'address_refused'
          : 'connection';
      return { ...duration(), status: null, error };
    }
  };
}
