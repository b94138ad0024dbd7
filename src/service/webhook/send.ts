import { eventIdHeader } from '../../contract/event.ts';
import { type Clock, withTimeout } from '../../shared/clock.ts';
import type { Event } from '../event/event-store.ts';
import { isAddressRejected } from './public-fetch.ts';
import { signPayload } from './sign.ts';

/** As much of `fetch` as a delivery needs. */
export type WebhookFetch = (
  url: string,
  request: {
    method: 'POST';
    redirect: 'manual';
    headers: Record<string, string>;
    body: string;
    signal: AbortSignal;
  },
) => Promise<{ status: number; body: { cancel(): Promise<void> } | null }>;

/** How one attempt ended: with an answer of that HTTP status, or without one. */
export type DeliveryResult = { durationMs: number } & (
  | { status: number; error: null }
  | { status: null; error: 'timeout' | 'connection' | 'address_refused' }
);

export type SendEvent = (
  event: Event,
  to: { url: string; secrets: readonly string[] },
  signal: AbortSignal,
) => Promise<DeliveryResult>;

/**
 * Sends an event once. Never rejects, follows no redirect, reads nothing of an answer but its status, and waits no
 * longer than `timeoutMs`. Live events go to public addresses over https alone.
 */
export function sendEvent(deps: {
  config: { timeoutMs: number; headerName: string };
  /** The real time, also in a sandbox: receivers check the signature's age, and networks know no other. */
  wallClock: Clock;
  fetch: WebhookFetch;
  fetchPublic: WebhookFetch;
}): SendEvent {
  const { config, wallClock } = deps;
  return async (event, { url, secrets }, signal) => {
    const begun = wallClock.now();
    const took = () => ({ durationMs: wallClock.now() - begun });
    const send = event.livemode === 1 ? deps.fetchPublic : deps.fetch;
    let timedOut = false;
    try {
      const status = await withTimeout(wallClock, config.timeoutMs, async (deadline) => {
        deadline.addEventListener('abort', () => {
          timedOut = true;
        });
        const response = await send(url, {
          method: 'POST',
          redirect: 'manual',
          signal: AbortSignal.any([deadline, signal]),
          headers: {
            'content-type': 'application/json',
            [eventIdHeader]: event.id,
            [config.headerName]: signPayload(secrets, begun, event.body),
          },
          body: event.body,
        });
        // The status is the whole answer: what an endpoint says besides cannot hold the attempt up or spoil it.
        void response.body?.cancel().catch(() => undefined);
        return response.status;
      });
      return { ...took(), status, error: null };
    } catch (fault) {
      const error = timedOut ? 'timeout' : isAddressRejected(fault) ? 'address_refused' : 'connection';
      return { ...took(), status: null, error };
    }
  };
}
